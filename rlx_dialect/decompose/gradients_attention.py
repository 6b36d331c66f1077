"""
Gradients of attention in plain ops. Halves go on in f32, or in the type that `accumulate` asks for, as in the ops.

Heads lie as `[B, kv_heads, group, S, D]`, a group's query heads sharing a key head; keys and values have groups of 1.
"""

import math
from typing import NamedTuple

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from rlx_dialect.attributes import (
    Activation,
    AttentionLayout,
    AttentionOperand,
    BinaryKind,
    CompareKind,
    MaskedRows,
    MaskKind,
    ReduceKind,
)
from rlx_dialect.constants import dense
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import (
    AttentionBackwardAllOp,
    AttentionBackwardOp,
    AttentionGradient,
    CompareOp,
    ConcatOp,
    LogicalNotOp,
    ReduceOp,
    ReshapeOp,
    SoftmaxOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped

INNER = (0, 2, 3, 1, 4)
"""`[B, S, kv_heads, group, D]` with the heads in front of the positions; `OUTER` is the inverse."""
OUTER = (0, 3, 1, 2, 4)


class Softmax(NamedTuple):
    """The weights of an attention, which keys each query sees (None: all), and which queries see none."""

    weights: SSAValue
    seen: SSAValue | None
    blind: SSAValue | None


def _where(to: Plain, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
    return to.add(WhereOp(condition, on_true, on_false)).result


def _swapped(to: Plain, value: SSAValue) -> SSAValue:
    """The last two dims exchanged."""
    return to.add(TransposeOp(value, (0, 1, 2, 4, 3))).result


def _places(value: Shaped, layout: AttentionLayout) -> tuple[int | None, int]:
    """The axes of batch and position."""
    if layout is AttentionLayout.BHSD:
        return 0, 2
    return (None, 0) if value.rank == 2 else (0, 1)


def _sizes(to: Plain, value: SSAValue, layout: AttentionLayout) -> list[SSAValue]:
    axes = _places(shaped(value), layout)
    return [to.size(value, axis) for axis in axes if axis is not None and shaped(value).dims[axis] == DYNAMIC]


def _split(
    to: Plain, value: SSAValue, layout: AttentionLayout, op: AttentionGradient, group: int, width: int
) -> SSAValue:
    """A query, key or value as heads."""
    wide, heads, dims = to.widened(value, op.accumulate), op.kv_heads.value.data, shaped(value).dims
    batch_axis, place = _places(shaped(value), layout)
    batch, length = 1 if batch_axis is None else dims[batch_axis], dims[place]
    sizes = _sizes(to, value, layout)
    if layout is AttentionLayout.BHSD:
        return to.add(ReshapeOp(wide, (batch, heads, group, length, width), sizes)).result
    split = to.add(ReshapeOp(wide, (batch, length, heads, group, width), sizes)).result
    return to.add(TransposeOp(split, INNER)).result


def _merge(to: Plain, heads: SSAValue, like: SSAValue, layout: AttentionLayout) -> SSAValue:
    """The inverse of `_split`, in the shape and the element type of `like`."""
    if layout is not AttentionLayout.BHSD:
        heads = to.add(TransposeOp(heads, OUTER)).result
    merged = to.add(ReshapeOp(heads, shaped(like).dims, to.sizes(like))).result
    return to.narrowed(merged, like)


def _biased(to: Plain, op: AttentionGradient, mask: SSAValue) -> SSAValue | None:
    """A bias laid along the scores; None where it is not known whether it has heads."""
    dims = shaped(mask).dims
    batch, heads, queries, keys = (*(1,) * (4 - len(dims)), *dims)
    if heads == DYNAMIC:
        return None
    kv_heads = op.kv_heads.value.data if heads > 1 else 1
    laid = (batch, kv_heads, heads // kv_heads, queries, keys)
    return to.add(ReshapeOp(to.widened(mask, op.accumulate), laid, to.sizes(mask))).result


def _reach(to: Plain, op: AttentionGradient, queries: int, keys: int) -> SSAValue | None:
    """`[S_q, S_k]`: what the causal offset and the window let each query see; None where a size is not known."""
    if DYNAMIC in (queries, keys):
        return None
    from rlx_dialect.reference.attention import visible_keys

    return to.add(ConstantOp(dense(Shaped((queries, keys), i1).type, visible_keys(op.config, queries, keys)))).result


def _softmax(to: Plain, op: AttentionGradient, scores: SSAValue) -> Softmax | None:
    """Of scores after the softcap; None where it would take an unknown size."""
    config = op.config
    seen: list[SSAValue] = []
    if config.causal_offset is not None or config.window_left is not None or config.window_right is not None:
        reach = _reach(to, op, *shaped(scores).dims[-2:])
        if reach is None:
            return None
        seen.append(reach)
    if op.mask is not None and op.masking is MaskKind.KEYS:
        mask = op.mask
        if shaped(mask).element != i1:
            mask = to.add(CompareOp(CompareKind.NE, mask, to.scalar(0, mask))).result
        batch, keys = shaped(mask).dims
        seen.append(to.add(ReshapeOp(mask, (batch, 1, 1, 1, keys), to.sizes(mask))).result)
    elif op.mask is not None:
        bias = _biased(to, op, op.mask)
        if bias is None:
            return None
        scores = to.plus(scores, bias)
        seen.append(to.add(CompareOp(CompareKind.NE, bias, to.scalar(-math.inf, bias))).result)
    if not seen:
        return Softmax(to.add(SoftmaxOp(scores, axis=-1, accumulate=op.accumulate)).result, None, None)
    every = seen[0]
    for more in seen[1:]:
        every = to.binary(BinaryKind.BIT_AND, every, more)
    last = (shaped(every).rank - 1,)
    some = to.add(ReduceOp(ReduceKind.ANY, every, last, keep_dims=True)).result
    blind = to.add(LogicalNotOp(some)).result
    return Softmax(_masked(to, op, scores, every, blind), every, blind)


def _masked(to: Plain, op: AttentionGradient, scores: SSAValue, seen: SSAValue, blind: SSAValue) -> SSAValue:
    """The softmax of the scores that are seen, with the policy for queries that see none."""
    zero, one, lowest = (to.scalar(number, scores) for number in (0.0, 1.0, -math.inf))
    scores = _where(to, seen, scores, lowest)
    highest = to.reduce(ReduceKind.MAX, scores, (4,))
    highest = _where(to, to.add(CompareOp(CompareKind.EQ, highest, lowest)).result, zero, highest)
    powers = _where(to, seen, to.activated(Activation.EXP, to.minus(scores, highest)), zero)
    total = _where(to, blind, one, to.reduce(ReduceKind.SUM, powers, (4,)))
    weights = to.binary(BinaryKind.DIV, powers, total)
    rows = op.config.masked_rows
    if rows is MaskedRows.ZERO:
        return weights
    if rows is MaskedRows.NAN:
        return _where(to, blind, to.scalar(math.nan, weights), weights)
    ones = _where(to, to.add(CompareOp(CompareKind.EQ, scores, scores)).result, one, one)
    share = to.activated(Activation.RECIP, to.reduce(ReduceKind.SUM, ones, (4,)))
    return _where(to, blind, share, weights)


def _gradients(to: Plain, op: AttentionGradient) -> dict[AttentionOperand, SSAValue] | None:
    """By query, key and value, each as the operand lies."""
    config, layout = op.config, op.lies
    group = config.heads // config.kv_heads
    query = _split(to, op.query, layout, op, group, config.head_dim)
    key = _split(to, op.key, layout, op, 1, config.head_dim)
    value = _split(to, op.value, layout, op, 1, config.v_head_dim)
    outer = _split(to, op.gradient, layout, op, group, config.v_head_dim)
    product = to.matmul(query, _swapped(to, key), accumulate=op.accumulate)
    scores, capped = to.times(product, to.scalar(config.scale, product)), None
    if config.softcap is not None:
        capped = to.activated(Activation.TANH, to.times(scores, to.scalar(1 / config.softcap, scores)))
        scores = to.times(capped, to.scalar(config.softcap, scores))
    found = _softmax(to, op, scores)
    if found is None:
        return None
    inner = to.matmul(outer, _swapped(to, value), accumulate=op.accumulate)
    mean = to.reduce(ReduceKind.SUM, to.times(found.weights, inner), (4,))
    change = to.times(found.weights, to.minus(inner, mean))
    if found.seen is not None:
        change = _where(to, found.seen, change, to.scalar(0.0, change))
    if capped is not None:
        change = to.times(change, to.minus(to.scalar(1.0, capped), to.times(capped, capped)))
    change = to.times(change, to.scalar(config.scale, change))
    if found.blind is not None and config.masked_rows is MaskedRows.NAN:
        change = _where(to, found.blind, to.scalar(math.nan, change), change)
    by_key = to.matmul(_swapped(to, change), query, accumulate=op.accumulate)
    by_value = to.matmul(_swapped(to, found.weights), outer, accumulate=op.accumulate)
    return {
        AttentionOperand.QUERY: _merge(to, to.matmul(change, key, accumulate=op.accumulate), op.query, layout),
        AttentionOperand.KEY: _merge(to, to.reduce(ReduceKind.SUM, by_key, (2,)), op.key, layout),
        AttentionOperand.VALUE: _merge(to, to.reduce(ReduceKind.SUM, by_value, (2,)), op.value, layout),
    }


@plain_form(AttentionBackwardOp)
def attention_backward(op: AttentionBackwardOp) -> Decomposition | None:
    to = Plain()
    by = _gradients(to, op)
    return None if by is None else to.done(by[op.by])


@plain_form(AttentionBackwardAllOp)
def attention_backward_all(op: AttentionBackwardAllOp) -> Decomposition | None:
    to = Plain()
    by = _gradients(to, op)
    if by is None:
        return None
    return to.done(to.add(ConcatOp([by[operand] for operand in AttentionOperand], axis=0)).result)
