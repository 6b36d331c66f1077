"""Cross entropies of a softmax, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import (
    SoftmaxCrossEntropyBackwardOp,
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
)
from rlx_dialect.reference.normalization import along, softmax
from rlx_dialect.reference.numeric import Array, check_indices, rounded, wide


def log_softmax(x: Array, axis: int) -> Array:
    if x.shape[axis] == 0:
        return x
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def one_hot(labels: Array, logits: Array, axis: int, name: str) -> Array:
    """1 at the class of each label, 0 elsewhere, in the dims of `logits`."""
    check_indices(labels, logits.shape[axis], name)
    classes = along(np.arange(int(logits.shape[axis])), axis, logits.ndim)
    return (np.expand_dims(labels, axis) == classes).astype(np.float64)


@register_impls
class LossFunctions(InterpreterFunctions):
    @impl(SoftmaxCrossEntropyOp)
    def softmax_cross_entropy(self, interpreter: Interpreter, op: SoftmaxCrossEntropyOp, args: tuple[Any, ...]):
        axis = op.axis.value.data
        logs = log_softmax(wide(args[0], op.accumulate), axis)
        return (rounded(-(wide(args[1]) * logs).sum(axis), op.result),)

    @impl(SoftmaxCrossEntropyWithLogitsOp)
    def with_logits(self, interpreter: Interpreter, op: SoftmaxCrossEntropyWithLogitsOp, args: tuple[Any, ...]):
        logits, labels = args
        axis = op.axis.value.data
        check_indices(labels, logits.shape[axis], op.name)
        logs = log_softmax(wide(logits, op.accumulate), axis)
        chosen = np.take_along_axis(logs, np.expand_dims(labels, axis).astype(np.int64), axis)
        return (rounded(-chosen.squeeze(axis), op.result),)

    @impl(SoftmaxCrossEntropyBackwardOp)
    def backward(self, interpreter: Interpreter, op: SoftmaxCrossEntropyBackwardOp, args: tuple[Any, ...]):
        logits, targets, gradient = args
        axis = op.axis.value.data
        shares = one_hot(targets, logits, axis, op.name) if targets.dtype.kind in "iu" else wide(targets)
        chances = softmax(wide(logits, op.accumulate), axis)
        outer = np.expand_dims(wide(gradient), axis)
        return (rounded((chances * shares.sum(axis, keepdims=True) - shares) * outer, op.result),)
