"""Batch normalisation."""

from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind
from rlx_dialect.ops import BatchNormInferenceOp, ReduceOp
from rlx_dialect.shapes import shaped
from rlx_passes.dialects.stablehlo import normalization as stable
from rlx_passes.frontends.stablehlo.data_movement import reshaped
from rlx_passes.frontends.stablehlo.vocabulary import Arithmetic, require_static
from rlx_passes.rewriting.conversion import Emitter, Rules

ADD, DIV, MUL, SUB = BinaryKind.ADD, BinaryKind.DIV, BinaryKind.MUL, BinaryKind.SUB


class _Channels:
    """The operand of a batch normalisation, whose vectors have one number for each channel."""

    def __init__(self, op: stable.BatchNormOp, emit: Emitter):
        self.emit, self.axis = emit, op.feature_index.value.data
        self.dims, element = require_static(op.operand)
        self.of = Arithmetic(emit, element)
        self.epsilon = op.epsilon.value.data
        self.others = [axis for axis in range(len(self.dims)) if axis != self.axis]

    def along(self, vector: SSAValue) -> SSAValue:
        """A vector in dims that stretch to those of the operand."""
        return reshaped(self.emit, vector, [shaped(vector).dims[0], *[1] * (len(self.dims) - 1 - self.axis)])

    def reduced(self, kind: ReduceKind, value: SSAValue) -> SSAValue:
        return self.emit(ReduceOp(kind, value, self.others))

    def centred(self, value: SSAValue, mean: SSAValue) -> SSAValue:
        return self.of(SUB, value, self.along(mean))


def _inference(op: stable.BatchNormInferenceOp, emit: Emitter) -> SSAValue:
    return emit(
        BatchNormInferenceOp(
            op.operand,
            op.scale,
            op.offset,
            op.mean,
            op.variance,
            epsilon=op.epsilon.value.data,
            axis=op.feature_index.value.data,
        )
    )


def _training(op: stable.BatchNormTrainingOp, emit: Emitter) -> list[SSAValue]:
    """Mean and variance of the operand, the variance in two passes, and the normalisation by them."""
    channels = _Channels(op, emit)
    mean = channels.reduced(ReduceKind.MEAN, op.operand)
    centred = channels.centred(op.operand, mean)
    variance = channels.reduced(ReduceKind.MEAN, channels.of(MUL, centred, centred))
    output = BatchNormInferenceOp(
        op.operand, op.scale, op.offset, mean, variance, epsilon=channels.epsilon, axis=channels.axis
    )
    return [emit(output), mean, variance]


def _grad(op: stable.BatchNormGradOp, emit: Emitter) -> list[SSAValue]:
    """
    With `c = operand - mean`, `v = variance + epsilon` and means over all but the channels:

        grad_operand = scale / sqrt(v) * (g - mean(g) - c * mean(g c) / v)
        grad_scale = sum(g c) / sqrt(v),  grad_offset = sum(g)
    """
    channels = _Channels(op, emit)
    of, along, gradient = channels.of, channels.along, op.grad_output
    centred = channels.centred(op.operand, op.mean)
    weighted = of(MUL, gradient, centred)
    spread = of(ADD, op.variance, channels.epsilon)
    root = of(Activation.SQRT, spread)
    slope = of(DIV, channels.reduced(ReduceKind.MEAN, weighted), spread)
    rest = of(
        SUB, channels.centred(gradient, channels.reduced(ReduceKind.MEAN, gradient)), of(MUL, centred, along(slope))
    )
    return [
        of(MUL, along(of(DIV, op.scale, root)), rest),
        of(DIV, channels.reduced(ReduceKind.SUM, weighted), root),
        channels.reduced(ReduceKind.SUM, gradient),
    ]


RULES: Rules = {
    stable.BatchNormGradOp: _grad,
    stable.BatchNormInferenceOp: _inference,
    stable.BatchNormTrainingOp: _training,
}
