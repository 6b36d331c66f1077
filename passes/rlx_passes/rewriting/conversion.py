"""
Conversions between dialects: one rule for each op class, one driver for every backend and for the import of StableHLO.

A rule takes an op and an `Emitter`, puts new ops at the end of the emitter's block and returns the values of the op's
results. It raises `Refusal` for an op that it cannot express; the driver adds which op that is and where.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp, TensorType, UnknownLoc, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from rlx_dialect.decompose import composite_ops, decompose
from rlx_dialect.ops import YieldOp
from rlx_dialect.shapes import ShapeError, same_but_for_sizes, shaped
from rlx_dialect.xdsl_repairs import retype
from rlx_passes.core.errors import Refusal
from rlx_passes.rewriting.effects import is_dead

OpT = TypeVar("OpT", bound=Operation)

Rule = Callable[[Any, Any], Any]
"""From an op of the class it is listed under, and a backend's emitter, to the values of its results, or the one."""

Rules = Mapping[type[Operation], Rule]
Listener = Callable[[Operation, str], None]
Advice = Callable[[Operation], str]


def _none(op: Operation) -> str:
    return ""


@dataclass(frozen=True)
class Conversion:
    """
    What a conversion is made of. `form` is how messages call its outcome.

    An op without a rule stays where `keeps` says so, becomes its plain ops where it has any, and is refused otherwise,
    with `advice` unless the refusal has its own. Without `refused` the first refusal ends the conversion; with it, it
    hears of each refused op, which stays. Bodies of `opaque` ops that stay are left alone.
    """

    rules: Rules
    form: str
    keeps: Callable[[Operation], bool]
    advice: Advice = _none
    refused: Listener | None = None
    opaque: tuple[type[Operation], ...] = ()


@dataclass
class Emitter:
    """What rules build with: new ops go to the end of `block`. A backend adds its own vocabulary in a subclass."""

    block: Block
    conversion: Conversion

    carries_names = True
    """Whether the name of a result goes over to all that it becomes."""
    carries_attributes = True
    """Whether foreign attributes of an op go over to the last one that it becomes."""

    def add(self, op: OpT) -> OpT:
        """Take `op` as the next one."""
        self.block.add_op(op)
        return op

    def __call__(self, op: Operation) -> SSAValue:
        """Take `op` as the next one; its first result."""
        self.block.add_op(op)
        return op.results[0]

    def inside(self, block: Block) -> Self:
        """An emitter for a block within this one's."""
        return type(self)(block, self.conversion)

    # What a backend may change: how values of the program are related to their converted form.

    def values_of(self, given: Any) -> Sequence[SSAValue]:
        """The values that a rule returned."""
        return cast("Sequence[SSAValue]", (given,) if isinstance(given, SSAValue) else given)

    def value(self, old: SSAValue) -> SSAValue:
        """The converted form of a value of the program."""
        return old

    def type_of(self, type: Attribute) -> Attribute:
        """The type of the converted form of a value of `type`."""
        return type

    def fitted(self, value: SSAValue, declared: Attribute, *, new: bool) -> SSAValue:
        """`value` as the result that it is for, whose declared type may know more or fewer of its sizes."""
        if new:
            retype(value, declared)
        return value

    def bind(self, old: SSAValue, new: SSAValue) -> None:
        """`new` is the converted form of `old`."""
        old.replace_all_uses_with(new)

    def retire(self, op: Operation) -> None:
        """Take `op`, which has been converted, out of the program."""
        if op.parent is not None:
            op.detach()
        op.drop_all_references()

    def keep(self, op: Operation) -> None:
        """Take `op` as it is, with what its regions hold converted."""
        if op.parent is not None:
            op.detach()
        self.block.add_op(op)
        if not isinstance(op, self.conversion.opaque):
            for region in op.regions:
                for block in region.blocks:
                    self.inside(block).convert(block)

    # The driver.

    def convert(self, block: Block) -> None:
        """Convert the ops of `block`, which may be the emitter's own, in order."""
        for op in list(block.ops):
            self.lower(op)

    def body(self, region: Region, arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Convert the ops of a region that ends in `rlx.yield`, on `arguments`; what it yields."""
        for argument, value in zip(region.block.args, arguments, strict=True):
            self.bind(argument, value)
        for op in list(region.block.ops):
            if isinstance(op, YieldOp):
                return [self.value(value) for value in op.arguments]
            self.lower(op)
        return ()

    def plain(self, op: Operation) -> Sequence[SSAValue] | None:
        """The results of `op` from its plain form; None where it has none."""
        parts = decompose(op, wide=True)
        if parts is None:
            return None
        made: dict[SSAValue, SSAValue] = {
            old: new for part in parts.ops for old, new in zip(part.results, self.lower(part))
        }
        return [made[value] if value in made else self.value(value) for value in parts.results]

    def require_plain(self, op: Operation) -> Sequence[SSAValue]:
        """The results of `op` from its plain form. Raises `Refusal` where it has none."""
        values = self.plain(op)
        if values is None:
            raise without_form(op, self.conversion.form)
        return values

    def lower(self, op: Operation) -> Sequence[SSAValue]:
        """Convert `op`; the converted form of its results."""
        last = self.block.last_op
        try:
            values = self._ruled(op)
            if values is not None:
                values = self._declared(op, values, last)
        except (Refusal, ShapeError) as fault:
            refusal = placed(fault, op, self.conversion.advice)
            if self.conversion.refused is None:
                raise refusal from fault
            _discard(op, list(_after(self.block, last)))
            self.conversion.refused(op, refusal.reason)
            values = None
        if values is None:
            self.keep(op)
            return [self.value(result) for result in op.results]
        for old, value in zip(op.results, values):
            self.bind(old, value)
        self.retire(op)
        return values

    def _ruled(self, op: Operation) -> Sequence[SSAValue] | None:
        """What the rule of `op` or its plain form gives; None for an op that stays as it is."""
        rule = self.conversion.rules.get(type(op))
        if rule is not None:
            return self.values_of(rule(op, self))
        if self.conversion.keeps(op):
            return None
        return self.require_plain(op)

    def _declared(self, op: Operation, values: Sequence[SSAValue], last: Operation | None) -> Sequence[SSAValue]:
        """The values with the types of the results of `op`; new ops take its location, names and foreign attributes."""
        result: list[SSAValue] = []
        for old, value in zip(op.results, values, strict=True):
            given, declared = value.type, self.type_of(old.type)
            if given is not declared and given != declared:
                if not same_but_for_sizes(given, declared):
                    raise Refusal(f"gives {given} where {declared} is declared")
                value = self.fitted(value, declared, new=value.owner in tuple(_after(self.block, last)))
            if value.name_hint is None and old.name_hint is not None:
                value.name_hint = old.name_hint
            result.append(value)
        self._carry_over(op, list(_after(self.block, last)), result)
        return result

    def _carry_over(self, op: Operation, new: Sequence[Operation], values: Sequence[SSAValue]) -> None:
        """New ops take the location of `op`, and its names and attributes as far as these are carried."""
        if type(op.location) is not UnknownLoc:
            for top in new:
                for each in top.walk() if top.regions else (top,):
                    if type(each.location) is UnknownLoc:
                        each.location = op.location
        if self.carries_attributes and new:
            for name, attribute in op.attributes.items():
                new[-1].attributes.setdefault(name, attribute)
        if self.carries_names and len(values) == 1 and values[0].name_hint is not None:
            for value in (each for op in new for each in op.results if each.name_hint is None):
                value.name_hint = values[0].name_hint


def on_copy(module: ModuleOp, work: Callable[[ModuleOp], None]) -> None:
    """Do `work` on a copy of `module` and move the outcome into `module`, which a refusal leaves as it was."""
    copy = module.clone()
    work(copy)
    old, new = module.body.block, copy.body.block
    module.body.detach_block(old)
    copy.body.detach_block(new)
    module.body.add_block(new)
    module.attributes, module.properties = copy.attributes, copy.properties
    for op in old.ops:
        op.drop_all_references()


def erase_dead(module: ModuleOp) -> None:
    """Erase the ops without effects that nothing reads."""
    for op in reversed(list(module.walk())):
        if op.results and is_dead(op):
            Rewriter.erase_op(op)


def placed(fault: Exception, op: Operation, advice: Advice = _none) -> Refusal:
    """
    The refusal of `op` for what `fault` says.

    An op outside the program is part of one in it, which the refusal will name.
    """
    refusal = fault if isinstance(fault, Refusal) else Refusal(str(fault))
    if refusal.op is not None:
        return refusal
    function, root = op if isinstance(op, FuncOp) else None, op
    while (parent := root.parent_op()) is not None:
        root = parent
        function = root if isinstance(root, FuncOp) and function is None else function
    if not isinstance(root, ModuleOp | FuncOp):
        return Refusal(f"becomes '{name_of(op)}', which {refusal.reason}", refusal.advice or advice(op))
    where = "" if function is None else f"in @{function.sym_name.data}"
    return Refusal(refusal.reason, refusal.advice or advice(op), what=f"'{name_of(op)}'", where=where, op=op)


def without_form(op: Operation, form: str) -> Refusal:
    """The refusal of an op that has neither a rule nor, with its types and sizes, a plain form."""
    if type(op) not in composite_ops():
        return Refusal(f"has no form in {form}")
    if all(not isinstance(value.type, TensorType) or shaped(value).static for value in (*op.operands, *op.results)):
        return Refusal(f"has no form in {form} with these types and sizes", "choose others")
    reason = "has a size that is only known at run time, so it cannot be written in plain ops"
    return Refusal(reason, "make its sizes static")


def name_of(op: Operation) -> str:
    """The name of `op` as the text has it, registered or not."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _after(block: Block, last: Operation | None) -> Iterator[Operation]:
    """The ops of `block` that come after `last`."""
    op = block.first_op if last is None else last.next_op
    while op is not None:
        yield op
        op = op.next_op


def _discard(op: Operation, new: Sequence[Operation]) -> None:
    """Erase new ops, and let go of the operands of ops whose constructors failed."""
    for value in (*op.operands, *(result for each in new for result in each.results)):
        for use in tuple(value.uses):
            if use.operation.parent is None and use.operation is not op:
                use.operation.drop_all_references()
    for each in reversed(new):
        each.detach()
        each.erase()
