"""CHLO's ops that stretch their operands, which RLX's elementwise ops do as well."""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue

from rlx_dialect.attributes import CompareKind
from rlx_dialect.ops import BinaryOp, CompareOp, ComplexOp, WhereOp
from rlx_dialect.shapes import broadcast_dims, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import chlo
from rlx_passes.dialects.stablehlo import chlo_broadcast as stable
from rlx_passes.dialects.stablehlo import elementwise_binary as plain
from rlx_passes.dialects.stablehlo.attributes import ComparisonType
from rlx_passes.dialects.stablehlo.base import BinaryOp as PlainOp
from rlx_passes.frontends.stablehlo import bits
from rlx_passes.frontends.stablehlo.data_movement import expanded, reshaped
from rlx_passes.frontends.stablehlo.elementwise import binary_kind
from rlx_passes.frontends.stablehlo.vocabulary import require_static, splat
from rlx_passes.rewriting.conversion import Emitter, Rule, Rules

PLAIN: dict[type[stable.BroadcastOp], type[PlainOp]] = {
    stable.BroadcastAddOp: plain.AddOp,
    stable.BroadcastAndOp: plain.AndOp,
    stable.BroadcastAtan2Op: plain.Atan2Op,
    stable.BroadcastDivideOp: plain.DivideOp,
    stable.BroadcastMaximumOp: plain.MaximumOp,
    stable.BroadcastMinimumOp: plain.MinimumOp,
    stable.BroadcastMultiplyOp: plain.MultiplyOp,
    stable.BroadcastOrOp: plain.OrOp,
    stable.BroadcastPowerOp: plain.PowerOp,
    stable.BroadcastRemainderOp: plain.RemainderOp,
    stable.BroadcastShiftLeftOp: plain.ShiftLeftOp,
    stable.BroadcastSubtractOp: plain.SubtractOp,
    stable.BroadcastXorOp: plain.XorOp,
}


def _operands(op: stable.BroadcastOp, emit: Emitter) -> tuple[SSAValue, SSAValue]:
    """Both operands aligned at the right, the lower-rank one with ones where `broadcast_dimensions` leaves dims out."""
    dims = op.broadcast_dimensions
    low, high = sorted((op.lhs, op.rhs), key=lambda value: shaped(value).rank)
    if dims is None or shaped(low).rank == shaped(high).rank:
        return op.lhs, op.rhs
    aligned = [1] * shaped(high).rank
    for size, dim in zip(require_static(low).dims, dims.get_values()):
        aligned[dim] = size
    first = min(dims.get_values(), default=len(aligned))
    low = reshaped(emit, low, aligned[first:])
    return (low, op.rhs) if shaped(op.lhs).rank < shaped(op.rhs).rank else (op.lhs, low)


def _binary(op: stable.BroadcastOp, emit: Emitter) -> SSAValue:
    kind = binary_kind(PLAIN[type(op)], shaped(op.lhs).element)
    return emit(BinaryOp(kind, *_operands(op, emit)))


def _stretched(op: stable.BroadcastOp, emit: Emitter) -> tuple[SSAValue, SSAValue]:
    """Both operands in the dims of the result."""
    lhs, rhs = _operands(op, emit)
    dims = broadcast_dims(require_static(lhs).dims, require_static(rhs).dims)
    return expanded(emit, lhs, dims), expanded(emit, rhs, dims)


def _complex(op: stable.BroadcastComplexOp, emit: Emitter) -> SSAValue:
    return emit(ComplexOp(*_stretched(op, emit)))


def _shift(kind: type[PlainOp]) -> Rule:
    """The shift of the stretched operands."""

    def shift(op: stable.BroadcastOp, emit: Emitter) -> SSAValue | Sequence[SSAValue]:
        same = kind(*_stretched(op, emit))
        try:
            return bits.RULES[kind](same, emit)
        finally:
            same.drop_all_references()

    return shift


def _compare(op: stable.BroadcastCompareOp, emit: Emitter) -> SSAValue:
    if op.compare_type is not None and op.compare_type.data is ComparisonType.TOTALORDER:
        raise Refusal("compares in the total order of floats, which tells the two zeros and NaNs apart")
    kind = CompareKind(op.comparison_direction.data.value.lower())
    return emit(CompareOp(kind, *_operands(op, emit)))


def _select(op: stable.BroadcastSelectOp, emit: Emitter) -> SSAValue:
    return emit(WhereOp(op.pred, op.on_true, op.on_false))


def _constant(op: chlo.ConstantOp, emit: Emitter) -> SSAValue:
    return emit(ConstantOp(op.value))


def _constant_like(op: chlo.ConstantLikeOp, emit: Emitter) -> SSAValue:
    value = op.value
    if not isinstance(value, IntegerAttr | FloatAttr):
        raise Refusal(f"repeats {value}")
    result = require_static(op.result)
    return expanded(emit, splat(emit, result.element, value.value.data), result.dims)


RULES: Rules = {
    **dict.fromkeys(PLAIN, _binary),
    chlo.ConstantLikeOp: _constant_like,
    chlo.ConstantOp: _constant,
    stable.BroadcastCompareOp: _compare,
    stable.BroadcastComplexOp: _complex,
    stable.BroadcastSelectOp: _select,
    stable.BroadcastShiftRightArithmeticOp: _shift(plain.ShiftRightArithmeticOp),
    stable.BroadcastShiftRightLogicalOp: _shift(plain.ShiftRightLogicalOp),
}
