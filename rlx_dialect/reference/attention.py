"""Attention in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionOp
from rlx_dialect.ops.attention import END
from rlx_dialect.reference.numeric import Array, rounded, wide


def to_bhsd(x: Array, layout: AttentionLayout, heads: int) -> Array:
    """`[B, H, S, D]`"""
    if layout is AttentionLayout.BHSD:
        return x
    if layout is AttentionLayout.BSM:
        *batch, length, width = x.shape
        x = x.reshape(batch[0] if batch else 1, length, heads, width // heads)
    return x.transpose(0, 2, 1, 3)


def from_bhsd(x: Array, layout: AttentionLayout, rank: int) -> Array:
    """The inverse of `to_bhsd` for a value of `rank` dims."""
    if layout is AttentionLayout.BHSD:
        return x
    x = x.transpose(0, 2, 1, 3)
    if layout is AttentionLayout.BSHD:
        return x
    batch, length, heads, width = x.shape
    packed = x.reshape(batch, length, heads * width)
    return packed[0] if rank == 2 else packed


def visible_keys(config: AttentionConfig, queries: int, keys: int) -> Array:
    """`[S_q, S_k]`: what the causal offset and the window let each query see."""
    offset = keys - queries if config.causal_offset == END else config.causal_offset
    distance = np.arange(keys)[None, :] - np.arange(queries)[:, None] - (int(offset) if offset is not None else 0)
    seen = np.ones((queries, keys), dtype=bool)
    if offset is not None:
        seen &= distance <= 0
    if config.window_left is not None:
        seen &= distance >= -config.window_left
    if config.window_right is not None:
        seen &= distance <= config.window_right
    return seen


class Weights(NamedTuple):
    """What a softmax over masked scores gives: `[B, H, S_q, S_k]` each."""

    weights: Array
    seen: Array
    slope: Array
    """The derivative of the softcap at each score."""


def weigh(query: Array, key: Array, config: AttentionConfig, mask: Array | None, kind: MaskKind | None) -> Weights:
    """query and key `[B, H, S, D]` in float64, with equally many heads."""
    scores = query @ key.swapaxes(-1, -2) * config.scale
    slope = np.ones_like(scores)
    if config.softcap is not None:
        capped = np.tanh(scores / config.softcap)
        scores, slope = config.softcap * capped, 1 - capped * capped
    seen = np.broadcast_to(visible_keys(config, query.shape[2], key.shape[2]), scores.shape)
    if mask is not None and kind is MaskKind.KEYS:
        seen = seen & (mask != 0)[:, None, None, :]
    elif mask is not None:
        bias = wide(mask)
        scores = scores + bias
        seen = seen & (bias != -np.inf)
    scores = np.where(seen, scores, -np.inf)
    highest = scores.max(-1, keepdims=True, initial=-np.inf)
    powers = np.where(seen, np.exp(scores - np.where(highest == -np.inf, 0, highest)), 0)
    blind = ~seen.any(-1, keepdims=True)
    weights = powers / np.where(blind, 1, powers.sum(-1, keepdims=True))
    if config.masked_rows is MaskedRows.UNIFORM:
        weights = np.where(blind, 1 / max(scores.shape[-1], 1), weights)
    elif config.masked_rows is MaskedRows.NAN:
        weights = np.where(blind, np.nan, weights)
    return Weights(weights, seen, slope)


def attend(
    query: Array, key: Array, value: Array, config: AttentionConfig, mask: Array | None, kind: MaskKind | None
) -> Array:
    """query, key, value `[B, H, S, D]` in float64, with `heads` and `kv_heads` heads."""
    group = config.heads // config.kv_heads
    key, value = np.repeat(key, group, axis=1), np.repeat(value, group, axis=1)
    return weigh(query, key, config, mask, kind).weights @ value


@register_impls
class AttentionFunctions(InterpreterFunctions):
    @impl(AttentionOp)
    def attention(self, interpreter: Interpreter, op: AttentionOp, args: tuple[Any, ...]):
        config, layout = op.config, op.lies
        query, key, value = (wide(x, config.accumulate) for x in args[:3])
        mask = args[3] if len(args) > 3 else None
        result = attend(
            to_bhsd(query, layout, config.heads),
            to_bhsd(key, layout, config.kv_heads),
            to_bhsd(value, layout, config.kv_heads),
            config,
            mask,
            op.masking,
        )
        return (rounded(from_bhsd(result, layout, query.ndim), op.result),)
