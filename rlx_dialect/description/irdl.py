"""
The dialect as IRDL, for MLIR's own tools: `rlx-opt --emit-irdl > rlx.irdl`, then `mlir-opt --irdl-file=rlx.irdl`.

Programs go there in the generic form with all properties among the attributes:
`rlx-opt --print-op-generic --print-no-properties`.

What IRDL says of an op: how many operands and results it has and that they are tensors, which of them have one type,
and the words and kinds of its attributes. What it cannot say, of MLIR 22:

- An op with regions, and an op that ends a block, cannot be declared.
- A list of operands has one type for all of them, so an op whose list may mix types cannot be declared.
- Every declared attribute must be there, so optional ones are not declared, and not checked.
- Shapes stay unchecked: no constraint computes.

mlir-opt refuses an op of a declared dialect that has no declaration, whatever its flags. A program with such ops goes
there without `--irdl-file`, with `--allow-unregistered-dialect`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from io import StringIO

from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.irdl import (
    AnyOfOp,
    AnyOp,
    AttributesOp,
    BaseOp,
    DialectOp,
    IsOp,
    OperandsOp,
    OperationOp,
    ResultsOp,
    VariadicityArrayAttr,
    VariadicityAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    AttrConstraint,
    AttrOrPropDef,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    OpDef,
    OperandDef,
    OptionalDef,
    ParamAttrConstraint,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    ResultDef,
    VarConstraint,
    VariadicDef,
)
from xdsl.printer import Printer
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from rlx_dialect.attributes import WordOf

BASES: Mapping[type[Attribute], str] = {
    ArrayAttr: "#builtin.array",
    BytesAttr: "#builtin.string",
    DenseArrayBase: "#builtin.dense_array",
    DenseIntOrFPElementsAttr: "#builtin.dense_intorfp_elements",
    FloatAttr: "#builtin.float",
    IndexType: "!builtin.index",
    IntegerAttr: "#builtin.integer",
    StringAttr: "#builtin.string",
    TensorType: "!builtin.tensor",
    TypeAttribute: "#builtin.type",
    UnitAttr: "#builtin.unit",
}
"""What MLIR calls a class of attributes or types."""


def dialect_irdl(operations: Iterable[type[Operation]]) -> ModuleOp:
    """A module that declares the ops of a dialect, those that IRDL can express, in their order."""
    declared = [_declaration(op) for op in operations if issubclass(op, IRDLOperation) and obstacle(op) is None]
    return ModuleOp([DialectOp("rlx", Region(Block(declared)))])


@cache
def irdl_text() -> str:
    """The RLX dialect as IRDL, with the ops that are missing in a comment on top."""
    from rlx_dialect.ops import ALL_OPS

    missing = {op.name: obstacle(op) for op in ALL_OPS}
    lines = [f"//   {name}: {reason}\n" for name, reason in missing.items() if reason is not None]
    out = StringIO()
    Printer(out).print_op(dialect_irdl(ALL_OPS))
    return "// The RLX dialect. Not expressible in IRDL:\n" + "".join(lines) + out.getvalue()


def obstacle(op: type[IRDLOperation]) -> str | None:
    """Why IRDL cannot declare `op`, or None where it can."""
    definition = op.get_irdl_definition()
    if definition.regions:
        return "has regions"
    if op.has_trait(IsTerminator):
        return "ends a block"
    for name, field in (*definition.operands, *definition.results):
        several = isinstance(field, VariadicDef) and not isinstance(field, OptionalDef)
        if several and not isinstance(_constraint(field.constr), EqAttrConstraint | VarConstraint):
            return f"{name} may mix types"
    return None


def _declaration(op: type[IRDLOperation]) -> OperationOp:
    definition = op.get_irdl_definition()
    block = Block()
    writer = _Writer(Builder(InsertPoint.at_end(block)))
    writer.values(OperandsOp, definition.operands)
    writer.values(ResultsOp, definition.results)
    writer.attributes(definition)
    return OperationOp(op.name.partition(".")[2], Region(block))


class _Writer:
    """Writes the body of one declaration. Each constraint is a value; one that is used twice means one type."""

    def __init__(self, builder: Builder):
        self.builder = builder
        self.variables: dict[str, SSAValue] = {}

    def values(
        self,
        declare: type[OperandsOp] | type[ResultsOp],
        fields: Sequence[tuple[str, OperandDef | ResultDef]],
    ) -> None:
        if not fields:
            return
        values = [self.constraint(_constraint(field.constr)) for _, field in fields]
        counts = VariadicityArrayAttr(ArrayAttr([_variadicity(field) for _, field in fields]))
        names = ArrayAttr([StringAttr(_plain(name)) for name, _ in fields])
        self.builder.insert(declare(values, counts, names))

    def attributes(self, definition: OpDef) -> None:
        required: dict[str, SSAValue] = {}
        for name, field in _required(definition):
            required[name] = self.constraint(field.constr)
        if required:
            self.builder.insert(AttributesOp.get(required))

    def constraint(self, constraint: AttrConstraint) -> SSAValue:
        """The value that holds a constraint."""
        match constraint:
            case VarConstraint():
                if constraint.name not in self.variables:
                    self.variables[constraint.name] = self.constraint(constraint.constraint)
                return self.variables[constraint.name]
            case MessageConstraint():
                return self.constraint(constraint.constr)
            case WordOf():
                return self._any_of([self._is(StringAttr(str(word))) for word in constraint.words])
            case AnyOf():
                return self._any_of([self.constraint(each) for each in constraint.attr_constrs])
            case EqAttrConstraint():
                return self._is(constraint.attr)
            case BaseAttr():
                return self._base(constraint.attr)
            case ParamAttrConstraint():
                return self._base(constraint.base_attr)
            case _:
                return self.builder.insert(AnyOp()).output

    def _is(self, attribute: Attribute) -> SSAValue:
        return self.builder.insert(IsOp(attribute)).output

    def _any_of(self, values: Sequence[SSAValue]) -> SSAValue:
        """One of `values`, of which MLIR from 24 on refuses two that say the same."""
        different: dict[object, SSAValue] = {}
        for value in values:
            op = value.owner
            if isinstance(op, Operation) and different.setdefault(_said(op), value) is not value:
                op.detach()
        several = list(different.values())
        return several[0] if len(several) == 1 else self.builder.insert(AnyOfOp(several)).output

    def _base(self, base: type[Attribute]) -> SSAValue:
        name = BASES.get(base)
        return self.builder.insert(AnyOp() if name is None else BaseOp(name)).output


def _said(op: Operation) -> object:
    """What a constraint says; two that are made of others never say the same."""
    return op.name, tuple(op.operands), tuple(op.properties.items())


def _required(definition: OpDef) -> list[tuple[str, AttrOrPropDef]]:
    """The attributes that an op always has."""
    fields: dict[str, AttrOrPropDef] = {**definition.properties, **definition.attributes}
    return [(name, field) for name, field in fields.items() if not isinstance(field, OptionalDef)]


def _constraint(constraint: RangeConstraint) -> AttrConstraint:
    """What a range constraint says of each of its values."""
    if isinstance(constraint, RangeLengthConstraint):
        return _constraint(constraint.constraint)
    return constraint.constr if isinstance(constraint, RangeOf) else AnyAttr()


def _variadicity(field: OperandDef | ResultDef) -> VariadicityAttr:
    if isinstance(field, OptionalDef):
        return VariadicityAttr.OPTIONAL
    return VariadicityAttr.VARIADIC if isinstance(field, VariadicDef) else VariadicityAttr.SINGLE


def _plain(name: str) -> str:
    """A Python name without the underscore that keeps it from being a keyword."""
    return name.rstrip("_")
