"""Norms and softmax, in the accumulate type throughout and rounded once; the variance takes two passes."""

import math

from xdsl.ir import Attribute, SSAValue

from rlx_dialect.ops import LayerNormOp, NormOp, RmsNormOp, SoftmaxOp
from rlx_dialect.shapes import normalize_axis, shaped
from rlx_passes.dialects.stablehlo.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MultiplyOp,
    SubtractOp,
)
from rlx_passes.dialects.stablehlo.elementwise_unary import ExponentialOp, SqrtOp
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import (
    accumulator,
    along,
    cast_to,
    reduce_over,
    reshape_to,
    restored,
    splat,
)
from rlx_passes.rewriting.conversion import Rules


def mean_over(emit: StableEmitter, value: SSAValue, axis: int) -> SSAValue:
    """The mean over `axis`, which is dropped."""
    total = reduce_over(emit, value, [axis], AddOp, 0)
    return emit(DivideOp(total, splat(emit, shaped(total), sized(value).dims[axis])))


def _scaled(op: NormOp, emit: StableEmitter, value: SSAValue, axis: int) -> SSAValue:
    """`value / sqrt(mean(value^2) + epsilon) * gamma + beta`, in the type of the op."""
    wide = sized(value)
    square = mean_over(emit, emit(MultiplyOp(value, value)), axis)
    padded = emit(AddOp(square, splat(emit, shaped(square), op.epsilon.value.data)))
    deviation = restored(emit, emit(SqrtOp(padded)), wide, axis)
    gamma, beta = (along(emit, cast_to(emit, side, wide.element), wide, axis) for side in (op.gamma, op.beta))
    scaled = emit(MultiplyOp(emit(DivideOp(value, deviation)), gamma))
    return cast_to(emit, emit(AddOp(scaled, beta)), sized(op.result).element)


def _widened(op: NormOp, emit: StableEmitter) -> tuple[SSAValue, int]:
    source = sized(op.input)
    axis = normalize_axis(op.axis.value.data, source.rank)
    return cast_to(emit, op.input, accumulator(source.element, op.accumulate)), axis


def _layer_norm(op: LayerNormOp, emit: StableEmitter) -> SSAValue:
    value, axis = _widened(op, emit)
    mean = restored(emit, mean_over(emit, value, axis), sized(value), axis)
    return _scaled(op, emit, emit(SubtractOp(value, mean)), axis)


def _rms_norm(op: RmsNormOp, emit: StableEmitter) -> SSAValue:
    return reshape_to(emit, _scaled(op, emit, *_widened(op, emit)), sized(op.result).dims)


def softmax_over(emit: StableEmitter, value: SSAValue, axis: int) -> SSAValue:
    """The softmax over `axis` in the type of `value`."""
    source = sized(value)
    highest = restored(emit, reduce_over(emit, value, [axis], MaximumOp, -math.inf), source, axis)
    powers = emit(ExponentialOp(emit(SubtractOp(value, highest))))
    return emit(DivideOp(powers, restored(emit, reduce_over(emit, powers, [axis], AddOp, 0), source, axis)))


def _softmax(op: SoftmaxOp, emit: StableEmitter) -> SSAValue:
    source = sized(op.input)
    wide: Attribute = accumulator(source.element, op.accumulate)
    axis = normalize_axis(op.axis.value.data, source.rank)
    return cast_to(emit, softmax_over(emit, cast_to(emit, op.input, wide), axis), source.element)


RULES: Rules = {LayerNormOp: _layer_norm, RmsNormOp: _rms_norm, SoftmaxOp: _softmax}
