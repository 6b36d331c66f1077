"""Gradients of attention in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import AttentionOperand, MaskedRows
from rlx_dialect.ops import AttentionBackwardAllOp, AttentionBackwardOp, AttentionGradient
from rlx_dialect.reference.attention import from_bhsd, to_bhsd, weigh
from rlx_dialect.reference.numeric import Array, rounded, wide


def summed_groups(gradient: Array, group: int) -> Array:
    """The gradient of a key head: the sum over the query heads that read it."""
    batch, heads, length, width = gradient.shape
    return gradient.reshape(batch, heads // group, group, length, width).sum(2)


def gradients(op: AttentionGradient, args: tuple[Any, ...]) -> dict[AttentionOperand, Array]:
    """By query, key and value, each as the operand lies."""
    config, layout = op.config, op.lies
    query, key, value, outer = (wide(x, config.accumulate) for x in args[:4])
    rank, group = query.ndim, config.heads // config.kv_heads
    q, g = (to_bhsd(x, layout, config.heads) for x in (query, outer))
    k, v = (np.repeat(to_bhsd(x, layout, config.kv_heads), group, axis=1) for x in (key, value))
    found = weigh(q, k, config, args[4] if len(args) > 4 else None, op.masking)
    weights = found.weights
    inner = g @ v.swapaxes(-1, -2)
    scores = weights * (inner - (weights * inner).sum(-1, keepdims=True))
    scores = np.where(found.seen, scores, 0) * found.slope * config.scale
    if config.masked_rows is MaskedRows.NAN:
        scores = np.where(found.seen.any(-1, keepdims=True), scores, np.nan)
    by = {
        AttentionOperand.QUERY: scores @ k,
        AttentionOperand.KEY: summed_groups(scores.swapaxes(-1, -2) @ q, group),
        AttentionOperand.VALUE: summed_groups(weights.swapaxes(-1, -2) @ g, group),
    }
    return {operand: from_bhsd(gradient, layout, rank) for operand, gradient in by.items()}


@register_impls
class AttentionGradientFunctions(InterpreterFunctions):
    @impl(AttentionBackwardOp)
    def attention_backward(self, interpreter: Interpreter, op: AttentionBackwardOp, args: tuple[Any, ...]):
        return (rounded(gradients(op, args)[op.by], op.result),)

    @impl(AttentionBackwardAllOp)
    def attention_backward_all(self, interpreter: Interpreter, op: AttentionBackwardAllOp, args: tuple[Any, ...]):
        by = gradients(op, args)
        return (rounded(np.concatenate([by[operand] for operand in AttentionOperand], axis=0), op.result),)
