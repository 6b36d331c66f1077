"""Cross entropies in plain ops. Halves go on in f32 or in the type of `accumulate`, as in the ops themselves."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, CompareKind, ReduceKind
from rlx_dialect.constants import dense
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import is_float, numpy_dtype
from rlx_dialect.ops import (
    CastOp,
    CompareOp,
    ReshapeOp,
    SoftmaxCrossEntropyBackwardOp,
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
    SoftmaxOp,
    WhereOp,
)
from rlx_dialect.shapes import Shaped, shaped


def _logs(to: Plain, logits: SSAValue, axis: int) -> SSAValue:
    """`-log(softmax(logits))`"""
    shifted = to.minus(logits, to.reduce(ReduceKind.MAX, logits, (axis,)))
    powers = to.activated(Activation.EXP, shifted)
    return to.minus(to.activated(Activation.LOG, to.reduce(ReduceKind.SUM, powers, (axis,))), shifted)


def _kept(to: Plain, value: SSAValue, axis: int) -> SSAValue:
    """`value` with a dim of 1 put in at `axis`."""
    dims = shaped(value).dims
    return to.add(ReshapeOp(value, (*dims[:axis], 1, *dims[axis:]), to.sizes(value))).result


def _at_label(to: Plain, labels: SSAValue, logits: SSAValue, axis: int) -> SSAValue:
    """Where the class on `axis` of `logits` is the label's, as i1."""
    import numpy as np

    dims = shaped(logits).dims
    if not isinstance(shaped(labels).element, IndexType):
        labels = to.add(CastOp(labels, i64)).result  # classes beyond a narrow type would come out as others
    element = shaped(labels).element
    places = tuple(d if a == axis else 1 for a, d in enumerate(dims))
    numbers = np.arange(dims[axis], dtype=numpy_dtype(element)).reshape(places)
    classes = to.add(ConstantOp(dense(Shaped(places, element).type, numbers))).result
    return to.add(CompareOp(CompareKind.EQ, _kept(to, labels, axis), classes)).result


@plain_form(SoftmaxCrossEntropyOp)
def softmax_cross_entropy(op: SoftmaxCrossEntropyOp) -> Decomposition:
    to = Plain()
    axis = op.axis.value.data % shaped(op.logits).rank
    logs = _logs(to, to.widened(op.logits, op.accumulate), axis)
    loss = to.reduce(ReduceKind.SUM, to.times(to.widened(op.targets, op.accumulate), logs), (axis,), keep_dims=False)
    return to.done(to.narrowed(loss, op.result))


@plain_form(SoftmaxCrossEntropyWithLogitsOp)
def with_logits(op: SoftmaxCrossEntropyWithLogitsOp) -> Decomposition:
    to = Plain()
    axis = op.axis.value.data % shaped(op.logits).rank
    logs = _logs(to, to.widened(op.logits, op.accumulate), axis)
    chosen = to.add(WhereOp(_at_label(to, op.labels, logs, axis), logs, to.scalar(0.0, logs))).result
    return to.done(to.narrowed(to.reduce(ReduceKind.SUM, chosen, (axis,), keep_dims=False), op.result))


@plain_form(SoftmaxCrossEntropyBackwardOp)
def backward(op: SoftmaxCrossEntropyBackwardOp) -> Decomposition:
    to = Plain()
    axis = op.axis.value.data % shaped(op.logits).rank
    logits = to.widened(op.logits, op.accumulate)
    chances = to.add(SoftmaxOp(logits, axis=axis)).result
    if is_float(shaped(op.targets).element):
        shares = to.widened(op.targets, op.accumulate)
        chances = to.times(chances, to.reduce(ReduceKind.SUM, shares, (axis,)))
    else:
        shares = to.add(CastOp(_at_label(to, op.targets, logits, axis), shaped(logits).element)).result
    outer = _kept(to, to.widened(op.gradient, op.accumulate), axis)
    return to.done(to.narrowed(to.times(to.minus(chances, shares), outer), op.result))
