"""Which masks of written attention are conditions on keys, and which of those are causal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, prod

from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.constants import array_of, constant_of, scalar
from rlx_dialect.ops import BinaryOp, CastOp, CompareOp, ExpandOp, LogicalNotOp, ReshapeOp, TransposeOp, WhereOp
from rlx_dialect.shapes import DYNAMIC, Dims
from rlx_passes.constants import LOWEST, is_truth, splat
from rlx_passes.frontend.raising.attention_scores import Mask, Replaced
from rlx_passes.frontend.raising.evaluation import evaluated
from rlx_passes.legality import dims_of, require, tensor_type
from rlx_passes.miss import Reason

HIDING = -1e9
"""A finite score at or below this hides a key: beside any score that is not itself beyond it, its exponential is zero."""


@dataclass(frozen=True)
class Extent:
    """The dims of the scores as `[batch, heads, queries, keys]`, and how many of them the scores have in front of the last two."""

    dims: Dims
    leading: int
    element: Attribute
    order: tuple[int, ...] = ()
    """Where masks meet the scores with their axes moved: which of the axes they meet is each axis of the product."""

    @property
    def queries(self) -> int:
        return self.dims[2]

    @property
    def keys(self) -> int:
        return self.dims[3]


@dataclass(frozen=True)
class Hiding:
    """
    Keys that are hidden: those where `condition` does not hold, or, `inverted`, where it holds. A condition on floats holds where they are 0.

    The condition's elements meet the scores under `dims`. Hidden scores become `number`, or, `summed`, `score + number`.
    """

    condition: SSAValue
    dims: Dims
    inverted: bool
    number: float
    summed: bool

    @property
    def replaces(self) -> bool:
        """Whether hidden scores are one number whatever they were."""
        return not self.summed or self.number == -inf


def hiding(mask: Mask, extent: Extent) -> Hiding | SSAValue:
    """A mask as a condition where it certainly is one, else the bias it adds. Raises `Miss` for scores replaced by a number that hides nothing."""
    if isinstance(mask, Replaced):
        lowest = LOWEST.get(_name(extent.element), -inf)
        require(
            mask.number <= max(HIDING, lowest),
            Reason.CONSTANT,
            mask.condition,
            detail=lambda: f"scores are replaced by {mask.number}, which hides no key",
        )
        condition, dims = seen_through(mask.condition)
        return in_order(Hiding(condition, dims, mask.inverted, mask.number, summed=False), extent)
    found = constant_hiding(mask.bias) or written_hiding(mask.bias)
    if found is not None and is_exact(found := in_order(found, extent), extent):
        return found
    require(not extent.order, Reason.LAYOUT, mask.bias, detail="the mask's axes would have to move")
    return mask.bias


def is_exact(found: Hiding, extent: Extent) -> bool:
    """
    Whether adding `number` gives what replacing the score by it gives, in a row of hidden keys as well.

    -inf does. The lowest finite number does in a type whose scores are lost beside it, which f16 is not. Any hiding number does where
    each row shows a key.
    """
    if found.number == -inf or visible_offset(found, extent) is not None:
        return True
    name = _name(extent.element)
    return name in ("f32", "f64", "bf16") and found.number == LOWEST[name]


def seen_through(value: SSAValue) -> tuple[SSAValue, Dims]:
    """The value whose elements `value` stretches, reshapes left out, and the dims under which it stretches them."""
    while isinstance(value.owner, ExpandOp):
        value = value.owner.input
    dims = dims_of(value)
    while isinstance(value.owner, ReshapeOp) or (isinstance(value.owner, TransposeOp) and moves_ones(value.owner)):
        value = value.owner.input
    return value, dims


def moves_ones(transpose: TransposeOp) -> bool:
    """Whether only dims of 1 change their place, so that the elements stay in row-major order."""
    dims = dims_of(transpose.input)
    return keeps_order(dims, transpose.permutation.get_values())


def keeps_order(dims: Dims, permutation: Sequence[int]) -> bool:
    """Whether the axes that are no 1 stay in order under a permutation."""
    kept = [axis for axis in permutation if dims[axis] != 1]
    return kept == sorted(kept)


def in_order(found: Hiding, extent: Extent) -> Hiding:
    """The condition as it meets the product's axes. Raises `Miss` where its elements would have to move."""
    if not extent.order:
        return found
    dims = (1,) * (len(extent.order) - len(found.dims)) + found.dims
    require(
        keeps_order(dims, extent.order), Reason.LAYOUT, found.condition, detail="the mask's axes would have to move"
    )
    return replace(found, dims=tuple(dims[axis] for axis in extent.order))


def written_hiding(bias: SSAValue) -> Hiding | None:
    """The condition of `where(c, 0, number)`, or of `(1 - cast(c)) * number` for an i1 c."""
    value, dims = seen_through(bias)
    owner = value.owner
    if isinstance(owner, WhereOp):
        on_true, on_false = scalar(owner.on_true), scalar(owner.on_false)
        if (
            dims_of(owner.condition) != dims_of(value)
            or on_true is None
            or on_false is None
            or 0 not in (on_true, on_false)
        ):
            return None
        inverted = on_true != 0
        number = on_true if inverted else on_false
        condition = owner.condition
    elif isinstance(owner, BinaryOp) and owner.binary is BinaryKind.MUL:
        right, left = scalar(owner.rhs), scalar(owner.lhs)
        number, factor = (right, owner.lhs) if right is not None else (left, owner.rhs)
        inverted = True
        if (
            isinstance(factor.owner, BinaryOp)
            and factor.owner.binary is BinaryKind.SUB
            and scalar(factor.owner.lhs) == 1
        ):
            factor, inverted = factor.owner.rhs, False
        if number is None or number == -inf or not isinstance(factor.owner, CastOp) or not is_truth(factor.owner.input):
            return None
        condition = factor.owner.input
        if dims_of(condition) != dims_of(value):
            return None
    else:
        return None
    if number > HIDING:
        return None
    if dims == dims_of(value):
        condition, dims = seen_through(condition)
    return Hiding(condition, dims, inverted, number, summed=True)


def constant_hiding(bias: SSAValue) -> Hiding | None:
    """A constant of zeros and one hiding number, as a condition on itself."""
    value, dims = seen_through(bias)
    constant = constant_of(value)
    if constant is None:
        return None
    values = array_of(constant)
    hidden = values[values != 0]
    if values.dtype.kind in "biuc" or not hidden.size or not (hidden == hidden[0]).all() or hidden[0] > HIDING:
        return None
    return Hiding(value, dims, False, float(hidden[0]), summed=True)


def visible_offset(found: Hiding, extent: Extent) -> int | None:
    """
    The o of a constant condition that shows key j to query i iff `j <= i + o`, so that each query sees a key; None for any other.

    One query alone has no diagonal: its mask is one of keys.
    """
    queries, keys = extent.queries, extent.keys
    if queries in (0, 1, DYNAMIC) or keys in (0, DYNAMIC):
        return None
    if found.dims[-2:] != (queries, keys) or prod(found.dims[:-2]) != 1:
        return None
    values = evaluated(found.condition)
    if values is None:
        return None
    flags = ((values != 0) != found.inverted if is_truth(found.condition) else values == 0).reshape(queries, keys)
    offset = int(flags[0].sum()) - 1
    causal = offset >= 0 and all(
        row[: offset + i + 1].all() and not row[offset + i + 1 :].any() for i, row in enumerate(flags)
    )
    return offset if causal else None


def shown(found: Hiding, new: list[Operation]) -> SSAValue:
    """The condition that holds where keys are shown, as i1; what makes it is appended to `new`."""
    if not is_truth(found.condition):
        zero = splat(tensor_type(found.condition).element_type, (), 0.0)
        test = CompareOp(CompareKind.EQ, found.condition, zero.result)
        new += [zero, test]
        return test.result
    if not found.inverted:
        return found.condition
    op = LogicalNotOp(found.condition)
    new.append(op)
    return op.result


def conjunction(values: Iterable[SSAValue], new: list[Operation]) -> SSAValue:
    """Where all of the conditions hold; there is at least one."""
    first, *rest = values
    for value in rest:
        op = BinaryOp(BinaryKind.BIT_AND, first, value)
        new.append(op)
        first = op.result
    return first


def _name(element: Attribute) -> str:
    return element.name
