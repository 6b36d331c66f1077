"""Normalisations in plain ops. Halves go on in f32 or in the type of `accumulate`, as in the ops themselves."""

from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, ReduceKind
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import BatchNormInferenceOp, GroupNormOp, LayerNorm2dOp, LayerNormOp, ReshapeOp
from rlx_dialect.shapes import shaped


def inverse_deviation(to: Plain, variance: SSAValue, epsilon: float) -> SSAValue:
    """`1 / sqrt(variance + epsilon)`"""
    return to.activated(Activation.RSQRT, to.plus(variance, to.scalar(epsilon, variance)))


def grouped(to: Plain, value: SSAValue, groups: int) -> SSAValue:
    """`[N, C, ..]` as `[N, groups, C / groups, ..]`"""
    batch, channels, *rest = shaped(value).dims
    return to.add(ReshapeOp(value, (batch, groups, channels // groups, *rest), to.sizes(value))).result


def normalised(to: Plain, value: SSAValue, axes: tuple[int, ...], epsilon: float) -> tuple[SSAValue, SSAValue]:
    """`value` without its mean and with a deviation of 1 over `axes`, and the inverse of the deviation it had."""
    centred = to.minus(value, to.reduce(ReduceKind.MEAN, value, axes))
    inverse = inverse_deviation(to, to.reduce(ReduceKind.MEAN, to.times(centred, centred), axes), epsilon)
    return to.times(centred, inverse), inverse


@plain_form(GroupNormOp)
def group_norm(op: GroupNormOp) -> Decomposition:
    to = Plain()
    rank = shaped(op.input).rank
    value, gamma, beta = (to.widened(v, op.accumulate) for v in (op.input, op.gamma, op.beta))
    axes = tuple(range(2, rank + 1))
    normed, _ = normalised(to, grouped(to, value, op.num_groups.value.data), axes, op.epsilon.value.data)
    flat = to.add(ReshapeOp(normed, shaped(value).dims, to.sizes(value))).result
    scaled = to.plus(to.times(flat, to.along(gamma, 1, rank)), to.along(beta, 1, rank))
    return to.done(to.narrowed(scaled, op.result))


@plain_form(LayerNorm2dOp)
def layer_norm2d(op: LayerNorm2dOp) -> Decomposition:
    to = Plain()
    norm = LayerNormOp(op.input, op.gamma, op.beta, epsilon=op.epsilon.value.data, axis=1, accumulate=op.accumulate)
    return to.done(to.add(norm).result)


@plain_form(BatchNormInferenceOp)
def batch_norm_inference(op: BatchNormInferenceOp) -> Decomposition:
    to = Plain()
    rank, axis = shaped(op.input).rank, op.axis.value.data
    value = to.widened(op.input)
    gamma, beta, mean, variance = (to.widened(v) for v in (op.gamma, op.beta, op.mean, op.variance))
    gain = to.times(inverse_deviation(to, variance, op.epsilon.value.data), gamma)
    centred = to.minus(value, to.along(mean, axis, rank))
    scaled = to.plus(to.times(centred, to.along(gain, axis, rank)), to.along(beta, axis, rank))
    return to.done(to.narrowed(scaled, op.result))
