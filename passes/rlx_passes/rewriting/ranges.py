"""Between which integers the elements of a value lie, as far as the ops around it say."""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, TensorType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind, ScatterReduction
from rlx_dialect.constants import array_of, constant_of
from rlx_dialect.dtypes import integer_limits
from rlx_dialect.ops import (
    ArgMaxOp,
    ArgMinOp,
    ArgReduceOp,
    ArgsortOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ConcatOp,
    ExpandOp,
    FullOp,
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    HistogramOp,
    IotaOp,
    NarrowOp,
    ReshapeOp,
    ReverseOp,
    ScatterNdOp,
    SliceOp,
    SortOp,
    TileOp,
    TopKOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, count, shaped

DEPTH = 24
"""How far a value is followed; what lies behind may be any integer of its type."""

MOST_ELEMENTS = 1 << 16
"""How many elements of a constant are looked at."""

PICKING = (NarrowOp, ReshapeOp, ExpandOp, TransposeOp, SliceOp, ReverseOp, TileOp, SortOp, GatherElementsOp, GatherNdOp)
"""Ops whose elements are all elements of their first operand."""


class Range(NamedTuple):
    """From `low` to `high`, both included; infinite where nothing is known."""

    low: float
    high: float

    def joins(self, other: "Range") -> "Range":
        return Range(min(self.low, other.low), max(self.high, other.high))


TRUTH = Range(0, 1)
UNKNOWN = Range(-inf, inf)


def range_of(value: SSAValue, depth: int = DEPTH) -> Range:
    """The range of the elements of a value of integers or truth values; `UNKNOWN` for one of another type."""
    if not isinstance(value.type, TensorType):
        return UNKNOWN
    limits = _limits(shaped(value).element)
    owner = value.owner
    if limits is None or not depth or not isinstance(owner, Operation):
        return limits or UNKNOWN
    found = _followed(owner, value, depth - 1)
    high = limits.high if found.high == inf else found.high
    return Range(found.low, high) if limits.low <= found.low and high <= limits.high else limits


def _limits(element: Attribute) -> Range | None:
    if element == i1:
        return TRUTH
    return Range(*integer_limits(element)) if is_integer(element) else None


def is_integer(element: Attribute) -> bool:
    return isinstance(element, IntegerType | IndexType)


def _followed(op: Operation, value: SSAValue, depth: int) -> Range:
    """The range before overflow: one that leaves the type says nothing. Infinite is one that the type alone ends."""
    match op:
        case ConstantOp():
            return _of_constant(value)
        case FullOp(value=IntegerAttr() as number):
            return Range(number.value.data, number.value.data)
        case IotaOp():
            return _places(shaped(op.result).dims, op.axis.value.data)
        case ArgsortOp() | ArgMaxOp() | ArgMinOp():
            return _places(shaped(op.input).dims, op.axis.value.data)
        case TopKOp() | ArgReduceOp() if value is op.indices:
            return _places(shaped(op.input).dims, op.axis.value.data)
        case HistogramOp():
            counted = count(shaped(op.input).dims)
            return Range(0, inf if counted is None else counted)
        case CastOp() if _limits(shaped(op.input).element) is not None:
            return range_of(op.input, depth)
        case GatherOp():
            return range_of(op.table, depth)
        case ConcatOp():
            return _joined(op.inputs, depth)
        case ScatterNdOp() if op.reduction.data == ScatterReduction.NONE.value:
            return _joined((op.input, op.updates), depth)
        case WhereOp():
            return _chosen(op, depth)
        case CompareOp():
            return _compared(op.comparison, range_of(op.lhs, depth), range_of(op.rhs, depth))
        case BinaryOp():
            return _combined(op.binary, range_of(op.lhs, depth), range_of(op.rhs, depth))
        case _ if isinstance(op, PICKING):
            return range_of(op.operands[0], depth)
        case _:
            return UNKNOWN


def _of_constant(value: SSAValue) -> Range:
    constant = constant_of(value)
    size = count(shaped(value).dims)
    if constant is None or not size or size > MOST_ELEMENTS:
        return UNKNOWN
    array = array_of(constant)
    return Range(int(array.min()), int(array.max()))


def _places(dims: Sequence[int], axis: int) -> Range:
    """The places along an axis, which the type holds."""
    size = dims[axis]
    return Range(0, inf if size == DYNAMIC else max(size - 1, 0))


def _joined(values: Sequence[SSAValue], depth: int) -> Range:
    found = range_of(values[0], depth)
    for each in values[1:]:
        found = found.joins(range_of(each, depth))
    return found


def _chosen(op: WhereOp, depth: int) -> Range:
    condition = range_of(op.condition, depth)
    if condition.low == condition.high:
        return range_of(op.on_true if condition.low else op.on_false, depth)
    return _joined((op.on_true, op.on_false), depth)


def _compared(kind: CompareKind, a: Range, b: Range) -> Range:
    """`[1, 1]` where the comparison always holds, `[0, 0]` where it never does."""
    if UNKNOWN in (a, b):
        return TRUTH
    below, above = a.high < b.low, b.high < a.low
    at_most, at_least = a.high <= b.low, b.high <= a.low
    equal = a == b and a.low == a.high
    holds = {
        CompareKind.LT: (below, at_least),
        CompareKind.LE: (at_most, above),
        CompareKind.GT: (above, at_most),
        CompareKind.GE: (at_least, below),
        CompareKind.EQ: (equal, below or above),
        CompareKind.NE: (below or above, equal),
    }
    always, never = holds[kind]
    return Range(1, 1) if always else Range(0, 0) if never else TRUTH


def _combined(kind: BinaryKind, a: Range, b: Range) -> Range:
    match kind:
        case BinaryKind.ADD:
            return Range(a.low + b.low, a.high + b.high)
        case BinaryKind.SUB:
            return Range(a.low - b.high, a.high - b.low)
        case BinaryKind.MUL if a.low >= 0 and b.low >= 0:
            return Range(a.low * b.low, a.high * b.high)
        case BinaryKind.MIN:
            return Range(min(a.low, b.low), min(a.high, b.high))
        case BinaryKind.MAX:
            return Range(max(a.low, b.low), max(a.high, b.high))
        case BinaryKind.DIV if a.low >= 0 and b.low > 0:
            return Range(a.low // b.high, a.high // b.low)
        case BinaryKind.MOD if a.low >= 0 and b.low > 0:
            return Range(0, min(a.high, b.high - 1))
        case BinaryKind.BIT_AND if a.low >= 0 and b.low >= 0:
            return Range(0, min(a.high, b.high))
        case BinaryKind.BIT_OR if max(a.high, b.high) <= 1 and min(a.low, b.low) >= 0:
            return Range(max(a.low, b.low), max(a.high, b.high))
        case _:
            return UNKNOWN
