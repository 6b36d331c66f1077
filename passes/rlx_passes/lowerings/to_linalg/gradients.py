"""Gradients of elementwise ops: the derivative at the input times the gradient, in one parallel op."""

from collections.abc import Sequence

from rlx_dialect.ops import ActivationBackwardOp, ReluBackwardOp
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Tensor


def _activation_backward(op: ActivationBackwardOp, b: LinalgBuilder) -> Sequence[Tensor]:
    inputs, name = [b.tensor(op.input), b.tensor(op.gradient)], op.activation.value
    return [b.elementwise(inputs, inputs[0].element, lambda x, gradient: x.derivative(name) * gradient)]


def _relu_backward(op: ReluBackwardOp, b: LinalgBuilder) -> Sequence[Tensor]:
    inputs = [b.tensor(op.input), b.tensor(op.gradient)]
    return [b.elementwise(inputs, inputs[0].element, lambda x, gradient: (x <= 0.0).where(0.0, gradient))]


LOWERINGS: Lowerings = {ActivationBackwardOp: _activation_backward, ReluBackwardOp: _relu_backward}
