"""Gradients of the norms in plain ops. Halves go on in f32 or in the type of `accumulate`, as in the ops themselves."""

from collections.abc import Sequence

from xdsl.ir import SSAValue, TypeAttribute

from rlx_dialect.attributes import AdaNormKind, ReduceKind
from rlx_dialect.decompose.normalization import grouped, inverse_deviation, normalised
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import (
    AdaLayerNormBackwardOp,
    BatchNormInferenceBackwardBetaOp,
    BatchNormInferenceBackwardGammaOp,
    BatchNormInferenceBackwardInputOp,
    ConcatOp,
    GatedResidualBackwardOp,
    GroupNormBackwardBetaOp,
    GroupNormBackwardGammaOp,
    GroupNormBackwardInputOp,
    LayerNormBackwardGammaOp,
    LayerNormBackwardInputOp,
    NormBetaGradientOp,
    NormGammaGradientOp,
    NormInputGradientOp,
    ReshapeOp,
    RmsNormBackwardBetaOp,
    RmsNormBackwardGammaOp,
    RmsNormBackwardInputOp,
)
from rlx_dialect.shapes import shaped


def _normed(
    to: Plain, value: SSAValue, axes: tuple[int, ...], epsilon: float, centre: bool
) -> tuple[SSAValue, SSAValue]:
    """The input of a norm over `axes`, normalised, and the inverse of its deviation."""
    if centre:
        return normalised(to, value, axes, epsilon)
    inverse = inverse_deviation(to, to.reduce(ReduceKind.MEAN, to.times(value, value), axes), epsilon)
    return to.times(value, inverse), inverse


def _by_input(
    to: Plain, value: SSAValue, gradient: SSAValue, axes: tuple[int, ...], epsilon: float, centre: bool
) -> SSAValue:
    """The gradient of a norm without gain over `axes`, by its input."""
    normed, inverse = _normed(to, value, axes, epsilon, centre)
    share = to.reduce(ReduceKind.MEAN, to.times(gradient, normed), axes)
    result = to.minus(gradient, to.times(normed, share))
    if centre:
        result = to.minus(result, to.reduce(ReduceKind.MEAN, gradient, axes))
    return to.times(result, inverse)


def _total(to: Plain, value: SSAValue, axis: int) -> SSAValue:
    """The sum over all axes but `axis`."""
    rank = shaped(value).rank
    axes = [a for a in range(rank) if a != axis % rank]
    return to.reduce(ReduceKind.SUM, value, axes, keep_dims=False) if axes else value


def _summed_to(to: Plain, value: SSAValue, like: SSAValue) -> SSAValue:
    """The gradient of a broadcast from the dims of `like`, in row-major order but not in its dims."""
    dims, small = shaped(value).dims, shaped(like).dims
    ahead = len(dims) - len(small)
    axes = [a for a, d in enumerate(dims) if a < ahead or (small[a - ahead] == 1 and d != 1)]
    return to.reduce(ReduceKind.SUM, value, axes, keep_dims=False) if axes else value


def _joined(to: Plain, parts: Sequence[SSAValue]) -> SSAValue:
    """All elements, one part after the other."""
    return to.add(ConcatOp([to.flat(part) for part in parts], axis=0)).result


def _input(op: NormInputGradientOp, centre: bool) -> Decomposition:
    to = Plain()
    rank = shaped(op.input).rank
    axis = op.axis.value.data % rank
    value, gamma, gradient = (to.widened(v, op.accumulate) for v in (op.input, op.gamma, op.gradient))
    gained = to.times(gradient, to.along(gamma, axis, rank))
    return to.done(to.narrowed(_by_input(to, value, gained, (axis,), op.epsilon.value.data, centre), op.result))


def _gamma(op: NormGammaGradientOp, centre: bool) -> Decomposition:
    to = Plain()
    axis = op.axis.value.data % shaped(op.input).rank
    value, gradient = to.widened(op.input, op.accumulate), to.widened(op.gradient, op.accumulate)
    normed, _ = _normed(to, value, (axis,), op.epsilon.value.data, centre)
    return to.done(to.narrowed(_total(to, to.times(gradient, normed), axis), op.result))


def _beta(op: NormBetaGradientOp | GroupNormBackwardBetaOp, axis: int) -> Decomposition:
    to = Plain()
    return to.done(to.narrowed(_total(to, to.widened(op.gradient, op.accumulate), axis), op.result))


@plain_form(LayerNormBackwardInputOp)
def layer_norm_input(op: LayerNormBackwardInputOp) -> Decomposition:
    return _input(op, centre=True)


@plain_form(LayerNormBackwardGammaOp)
def layer_norm_gamma(op: LayerNormBackwardGammaOp) -> Decomposition:
    return _gamma(op, centre=True)


@plain_form(RmsNormBackwardInputOp)
def rms_norm_input(op: RmsNormBackwardInputOp) -> Decomposition:
    return _input(op, centre=False)


@plain_form(RmsNormBackwardGammaOp)
def rms_norm_gamma(op: RmsNormBackwardGammaOp) -> Decomposition:
    return _gamma(op, centre=False)


@plain_form(RmsNormBackwardBetaOp, BatchNormInferenceBackwardBetaOp)
def norm_beta(op: NormBetaGradientOp) -> Decomposition:
    return _beta(op, op.axis.value.data)


@plain_form(GroupNormBackwardBetaOp)
def group_norm_beta(op: GroupNormBackwardBetaOp) -> Decomposition:
    return _beta(op, 1)


def _groups(
    to: Plain,
    op: GroupNormBackwardInputOp | GroupNormBackwardGammaOp,
    value: SSAValue,
    accumulate: TypeAttribute | None,
) -> SSAValue:
    return grouped(to, to.widened(value, accumulate), op.num_groups.value.data)


@plain_form(GroupNormBackwardInputOp)
def group_norm_input(op: GroupNormBackwardInputOp) -> Decomposition:
    to = Plain()
    dims = shaped(op.input).dims
    gamma, gradient = to.widened(op.gamma, op.accumulate), to.widened(op.gradient, op.accumulate)
    gained = to.times(gradient, to.along(gamma, 1, len(dims)))
    value, outer = _groups(to, op, op.input, op.accumulate), _groups(to, op, gained, op.accumulate)
    axes = tuple(range(2, len(dims) + 1))
    result = _by_input(to, value, outer, axes, op.epsilon.value.data, centre=True)
    flat = to.add(ReshapeOp(result, dims, to.sizes(op.input))).result
    return to.done(to.narrowed(flat, op.result))


@plain_form(GroupNormBackwardGammaOp)
def group_norm_gamma(op: GroupNormBackwardGammaOp) -> Decomposition:
    to = Plain()
    dims = shaped(op.input).dims
    axes = tuple(range(2, len(dims) + 1))
    normed, _ = normalised(to, _groups(to, op, op.input, op.accumulate), axes, op.epsilon.value.data)
    flat = to.add(ReshapeOp(normed, dims, to.sizes(op.input))).result
    gradient = to.widened(op.gradient, op.accumulate)
    return to.done(to.narrowed(_total(to, to.times(gradient, flat), 1), op.result))


@plain_form(BatchNormInferenceBackwardInputOp)
def batch_norm_input(op: BatchNormInferenceBackwardInputOp) -> Decomposition:
    to = Plain()
    gamma, variance, gradient = (to.widened(v) for v in (op.gamma, op.variance, op.gradient))
    gain = to.times(gamma, inverse_deviation(to, variance, op.epsilon.value.data))
    laid = to.along(gain, op.axis.value.data, shaped(gradient).rank)
    return to.done(to.narrowed(to.times(gradient, laid), op.result))


@plain_form(BatchNormInferenceBackwardGammaOp)
def batch_norm_gamma(op: BatchNormInferenceBackwardGammaOp) -> Decomposition:
    to = Plain()
    rank, axis = shaped(op.input).rank, op.axis.value.data
    operands = (op.input, op.mean, op.variance, op.gradient)
    value, mean, variance, gradient = (to.widened(v, op.accumulate) for v in operands)
    total = _total(to, to.times(gradient, to.minus(value, to.along(mean, axis, rank))), axis)
    scaled = to.times(total, inverse_deviation(to, variance, op.epsilon.value.data))
    return to.done(to.narrowed(scaled, op.result))


@plain_form(AdaLayerNormBackwardOp)
def ada_layer_norm(op: AdaLayerNormBackwardOp) -> Decomposition:
    to = Plain()
    axes, epsilon = (shaped(op.input).rank - 1,), op.epsilon.value.data
    centre = op.normalises is AdaNormKind.LAYER_NORM
    value, scale, gradient = (to.widened(v, op.accumulate) for v in (op.input, op.scale, op.gradient))
    gained = to.times(gradient, to.plus(scale, to.scalar(1.0, scale)))
    normed, _ = _normed(to, value, axes, epsilon, centre)
    parts = (
        _by_input(to, value, gained, axes, epsilon, centre),
        _summed_to(to, to.times(gradient, normed), op.scale),
        _summed_to(to, gradient, op.shift),
    )
    return to.done(to.narrowed(_joined(to, parts), op.result))


@plain_form(GatedResidualBackwardOp)
def gated_residual(op: GatedResidualBackwardOp) -> Decomposition:
    to = Plain()
    update, gate, gradient = (to.widened(v) for v in (op.update, op.gate, op.gradient))
    parts = (gradient, to.times(gradient, gate), _summed_to(to, to.times(gradient, update), op.gate))
    return to.done(to.narrowed(_joined(to, parts), op.result))
