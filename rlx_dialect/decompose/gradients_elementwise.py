"""Gradients of elementwise ops in plain ops. Halves go on in f32, as the ops themselves do."""

from rlx_dialect.attributes import CompareKind
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.functions import derivative_of
from rlx_dialect.ops import ActivationBackwardOp, CompareOp, ReluBackwardOp, WhereOp


@plain_form(ReluBackwardOp)
def relu_backward(op: ReluBackwardOp) -> Decomposition:
    to = Plain()
    zero = to.scalar(0.0, op.input)
    below = to.add(CompareOp(CompareKind.LE, op.input, zero)).result
    return to.done(to.add(WhereOp(below, zero, op.gradient)).result)


@plain_form(ActivationBackwardOp)
def activation_backward(op: ActivationBackwardOp) -> Decomposition:
    to = Plain()
    derivative = derivative_of(op.activation.value, lambda new: to.add(new).results[0], to.widened(op.input))
    return to.done(to.narrowed(to.times(derivative, to.widened(op.gradient)), op.result))
