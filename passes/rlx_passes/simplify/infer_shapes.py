"""
`rlx-infer-shapes`: sizes that a program leaves as `?` and that follow from others become numbers.

    %0 = rlx.expand %b sizes(%c4) : tensor<1x8xf32> -> tensor<?x8xf32>
    %1 = rlx.activation relu %0 : tensor<?x8xf32>
      =>
    %0 = rlx.expand %b : tensor<1x8xf32> -> tensor<4x8xf32>
    %1 = rlx.activation relu %0 : tensor<4x8xf32>

A size follows from operands by the op's own rule, from a constant size operand, from the number of elements of a
reshape, from the calls of a private function, and from `rlx.dims = ["batch", 64]` on its arguments: a number is a size,
and arguments of one function that give a dim one name have one size there.

Public functions keep their signatures, and values read outside the dialect or returned by one of them keep their types.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.tensor import DimOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.irdl import RangeLengthConstraint, RangeOf, VarConstraint
from xdsl.passes import ModulePass

from rlx_dialect.dims import Size
from rlx_dialect.known_sizes import KnownSizes, Sizes, named_sizes, settled
from rlx_dialect.ops import RegionOp, RlxOp, YieldOp
from rlx_dialect.shapes import DYNAMIC, ShapeError, meet, shaped
from rlx_dialect.signature import is_private
from rlx_dialect.xdsl_repairs import retype
from rlx_passes.core.errors import RlxError
from rlx_passes.rewriting.inline_private import named_symbols


class ShapeInferenceError(RlxError):
    """Sizes of a program that contradict each other; `op` is where they meet."""

    def __init__(self, op: Operation, reason: str):
        self.op = op
        super().__init__(f"'{op.name}': {reason}")


@dataclass(frozen=True)
class InferShapesPass(ModulePass):
    """Sizes that follow from others are written down; signatures of public functions stay."""

    name: ClassVar[str] = "rlx-infer-shapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        module = _Module(op)
        while module.refine():
            pass


class _Module:
    """
    The functions of a module, and what is known of its values' types.

    Values of one group have one type: those that an op's definition says so of, an argument of a private function and
    what its only call passes, what a private function returns and the results of its calls. A group with a value whose
    type must stay keeps its types.
    """

    def __init__(self, module: ModuleOp):
        self.functions = [op for op in module.body.ops if isinstance(op, FuncOp) and op.body.blocks]
        self.open = _open_functions(module, self.functions)
        self.calls = {call: len(calls) for calls in self.open.values() for call in calls}
        self.groups = [*self.function_groups(), *(group for op in module.walk() for group in one_type(op))]
        self.kept = self.kept_types(module)
        self.changed = False

    def refine(self) -> bool:
        """One round over all functions; whether a type changed."""
        self.changed = False
        known = KnownSizes()
        found = [each for func in self.functions for each in _sizes(func, known)]
        equalities = known.equalities()
        for op, value, sizes in found:
            self.give(op, value, [settled(size, equalities) for size in sizes])
        for group in self.groups:
            self.unite(group)
        for func in self.open:
            last = cast(ReturnOp, func.body.block.last_op)
            func.function_type = FunctionType.from_lists(list(func.body.block.arg_types), list(last.operand_types))
        return self.changed

    def function_groups(self) -> Iterator[list[SSAValue]]:
        for func, calls in self.open.items():
            block = func.body.block
            returned = cast(ReturnOp, block.last_op).operands
            yield from ([value, *(call.results[i] for call in calls)] for i, value in enumerate(returned))
            if len(calls) == 1:
                yield from (list(pair) for pair in zip(block.args, calls[0].operands))

    # What must stay

    def kept_types(self, module: ModuleOp) -> set[SSAValue]:
        """The values whose types something fixed depends on, and all that share a group with one."""
        pending = [value for op in module.walk() for value in self.kept_by(op)]
        groups: dict[SSAValue, list[list[SSAValue]]] = {}
        for group in self.groups:
            for value in group:
                groups.setdefault(value, []).append(group)
        kept: set[SSAValue] = set()
        while pending:
            value = pending.pop()
            if value not in kept:
                kept.add(value)
                pending += [other for group in groups.get(value, ()) for other in group]
        return kept

    def kept_by(self, op: Operation) -> Iterator[SSAValue]:
        """The values around `op` whose types must stay as far as `op` can tell."""
        if isinstance(op, FuncOp):
            one_call = len(self.open.get(op, ())) == 1
            yield from () if one_call else (arg for block in op.body.blocks for arg in block.args)
        elif isinstance(op, ReturnOp):
            yield from () if op.parent_op() in self.open else op.operands
        elif isinstance(op, YieldOp):
            yield from () if isinstance(op.parent_op(), RegionOp) else op.operands
        elif isinstance(op, CallOp):
            calls = self.calls.get(op, 0)
            yield from () if calls else op.results
            yield from () if calls == 1 else op.operands
        elif isinstance(op, RegionOp) or (isinstance(op, RlxOp) and not op.regions):
            return
        else:
            yield from () if isinstance(op, DimOp) else op.operands
            yield from () if isinstance(op, RlxOp) else op.results
            yield from (arg for region in op.regions for block in region.blocks for arg in block.args)

    def unite(self, group: Sequence[SSAValue]) -> None:
        """Give each value of a group the sizes that any of them has."""
        for value in group[1:]:
            self.give(_user(value), group[0], shaped(value).dims)
        for value in group[1:]:
            self.give(_user(value), value, shaped(group[0]).dims)

    def give(self, op: Operation, value: SSAValue, sizes: Sequence[Size]) -> None:
        """`value` has these sizes as well, those that are known."""
        old = shaped(value)
        dims = [size if isinstance(size, int) else DYNAMIC for size in sizes]
        try:
            new = old.with_dims(meet(a, b, f"dim {i} of {old}") for i, (a, b) in enumerate(zip(old.dims, dims)))
        except ShapeError as error:
            raise ShapeInferenceError(op, str(error)) from error
        if new != old and value not in self.kept:
            if isinstance(value, OpResult) and isinstance(value.op, RlxOp):
                value.op.give(value, new)
            else:
                retype(value, new.type)
            self.changed = True


def _open_functions(module: ModuleOp, functions: Sequence[FuncOp]) -> dict[FuncOp, list[CallOp]]:
    """The private functions that nothing but calls refers to, with these: their signatures may change."""
    named = Counter(named_symbols(module))
    calls: dict[str, list[CallOp]] = {}
    for op in module.walk():
        if isinstance(op, CallOp):
            calls.setdefault(op.callee.string_value(), []).append(op)
    return {
        func: calls[func.sym_name.data]
        for func in functions
        if is_private(func)
        and isinstance(func.body.blocks[-1].last_op, ReturnOp)
        and len(func.body.blocks) == 1
        and named[func.sym_name.data] == len(calls.get(func.sym_name.data, ())) > 0
    }


def one_type(op: Operation) -> Iterator[list[SSAValue]]:
    """The operands and results of an op that have one type by its definition, in groups."""
    if not isinstance(op, RlxOp):
        return
    definition = op.get_irdl_definition()
    groups: dict[str, list[SSAValue]] = {}
    for name, each in (*definition.operands, *definition.results):
        constraint = each.constr.constraint if isinstance(each.constr, RangeLengthConstraint) else each.constr
        if isinstance(constraint, RangeOf) and isinstance(constraint.constr, VarConstraint):
            value = cast("SSAValue | Sequence[SSAValue] | None", getattr(op, name))
            values = [value] if isinstance(value, SSAValue) else value or ()
            groups.setdefault(constraint.constr.name, []).extend(values)
    yield from groups.values()


def _sizes(func: FuncOp, known: KnownSizes) -> Iterator[tuple[Operation, SSAValue, Sizes]]:
    """The sizes of the values of a function, each with the op that says them."""
    try:
        named_sizes(func)
    except ValueError as error:
        raise ShapeInferenceError(func, str(error)) from error
    for op in func.walk():
        for argument in (arg for region in op.regions for block in region.blocks for arg in block.args):
            if isinstance(argument.type, TensorType):
                yield op, argument, known.of(argument)
        if isinstance(op, RlxOp):
            try:
                rule = known.rule(op)
            except ShapeError as error:
                raise ShapeInferenceError(op, str(error)) from error
            yield from ((op, result, sizes) for result, sizes in rule.items())


def _user(value: SSAValue) -> Operation:
    """An op to name in a message about `value`."""
    owner = value.owner
    return cast(Operation, owner.parent_op()) if isinstance(owner, Block) else owner
