"""Attention: scores, visibility and softmax in the accumulate type; key heads are shared, not repeated."""

from functools import partial

from xdsl.dialects.builtin import i1, i32
from xdsl.ir import SSAValue

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionOp
from rlx_dialect.ops.attention import END, split_heads
from rlx_dialect.shapes import Dims, Shaped, shaped
from rlx_passes.dialects.stablehlo.attributes import (
    ComparisonDirection,
    DotDimensionNumbers,
    Precision,
)
from rlx_passes.dialects.stablehlo.elementwise_binary import (
    AddOp,
    AndOp,
    CompareOp,
    DivideOp,
    MultiplyOp,
    OrOp,
    SelectOp,
    SubtractOp,
)
from rlx_passes.dialects.stablehlo.elementwise_unary import TanhOp
from rlx_passes.lowerings.to_stablehlo.elementwise import comparison_type
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.normalization import softmax_over
from rlx_passes.lowerings.to_stablehlo.vocabulary import (
    accumulator,
    broadcast_to,
    cast_to,
    dot,
    lowest,
    places,
    reduce_over,
    reshape_to,
    restored,
    splat,
    transpose_to,
)
from rlx_passes.rewriting.conversion import Rules

SWAP_HEADS = (0, 2, 1, 3)


def _to_bhsd(emit: StableEmitter, value: SSAValue, layout: AttentionLayout, dims: Dims) -> SSAValue:
    """`value` as `[B, H, S, D]`, which are `dims`."""
    if layout is AttentionLayout.BHSD:
        return value
    batch, heads, length, width = dims
    return transpose_to(emit, reshape_to(emit, value, (batch, length, heads, width)), SWAP_HEADS)


def _compared(emit: StableEmitter, direction: ComparisonDirection, value: SSAValue, number: float) -> SSAValue:
    like = shaped(value)
    return emit(CompareOp(direction, value, splat(emit, like, number), comparison_type(like.element)))


def _conditions(emit: StableEmitter, op: AttentionOp, config: AttentionConfig, scores: Shaped) -> list[SSAValue]:
    """What must hold for a key to be visible, each stretched to the dims of the scores."""
    queries, keys = scores.dims[-2:]
    offset = keys - queries if config.causal_offset == END else config.causal_offset
    bounds = [
        (ComparisonDirection.LE, None if offset is None else 0),
        (ComparisonDirection.GE, None if config.window_left is None else -config.window_left),
        (ComparisonDirection.LE, config.window_right),
    ]
    found: list[SSAValue] = []
    if any(bound is not None for _, bound in bounds):
        plane = Shaped((queries, keys), i32)
        ahead = emit(SubtractOp(places(emit, 1, plane), places(emit, 0, plane)))
        distance = emit(SubtractOp(ahead, splat(emit, plane, offset or 0)))
        found += [_compared(emit, order, distance, bound) for order, bound in bounds if bound is not None]
    if op.mask is not None:
        mask = op.mask
        if op.masking is MaskKind.KEYS:
            mask = reshape_to(emit, mask, (scores.dims[0], 1, 1, keys))
            if shaped(mask).element != i1:
                mask = _compared(emit, ComparisonDirection.NE, mask, 0)
        else:
            mask = _compared(emit, ComparisonDirection.NE, mask, -float("inf"))
        found.append(mask)
    return [broadcast_to(emit, condition, scores.dims) for condition in found]


def _weights(emit: StableEmitter, op: AttentionOp, config: AttentionConfig, scores: SSAValue) -> SSAValue:
    """The softmax over the visible keys; a query that sees none gives what `masked_rows` says."""
    like = shaped(scores)
    conditions = _conditions(emit, op, config, like)
    if op.mask is not None and op.masking is MaskKind.BIAS:
        scores = emit(AddOp(scores, broadcast_to(emit, cast_to(emit, op.mask, like.element), like.dims)))
    if not conditions:
        return softmax_over(emit, scores, 3)
    seen, *others = conditions
    for condition in others:
        seen = emit(AndOp(seen, condition))
    scores = emit(SelectOp(seen, scores, splat(emit, like, lowest(like.element))))
    weights = softmax_over(emit, scores, 3)
    if config.masked_rows is MaskedRows.UNIFORM:
        return weights
    blind = 0.0 if config.masked_rows is MaskedRows.ZERO else float("nan")
    sighted = restored(emit, reduce_over(emit, seen, [3], OrOp, False), like, 3)
    return emit(SelectOp(sighted, weights, splat(emit, like, blind)))


def _attention(precision: Precision, op: AttentionOp, emit: StableEmitter) -> SSAValue:
    config, layout, result = op.config, op.lies, sized(op.result)
    wide = accumulator(result.element, config.accumulate)
    sides: list[tuple[SSAValue, Dims]] = []
    for name, side, heads, width in (
        ("query", op.query, config.heads, config.head_dim),
        ("key", op.key, config.kv_heads, config.head_dim),
        ("value", op.value, config.kv_heads, config.v_head_dim),
    ):
        dims = split_heads(sized(side), layout, heads, width, name)
        sides.append((_to_bhsd(emit, side, layout, dims), dims))
    (query, (batch, heads, queries, width)), (key, key_dims), (value, _) = sides
    keys, groups = key_dims[2], (config.kv_heads, heads // config.kv_heads)

    query = reshape_to(emit, query, (batch, *groups, queries, width))
    numbers = DotDimensionNumbers((0, 1), (0, 1), (4,), (3,))
    scores = dot(emit, query, key, numbers, (batch, *groups, queries, keys), wide, precision)
    scores = reshape_to(emit, scores, (batch, heads, queries, keys))
    like = shaped(scores)
    scores = emit(MultiplyOp(scores, splat(emit, like, config.scale)))
    if (cap := config.softcap) is not None:
        bounded = emit(TanhOp(emit(DivideOp(scores, splat(emit, like, cap)))))
        scores = emit(MultiplyOp(bounded, splat(emit, like, cap)))
    weights = cast_to(emit, _weights(emit, op, config, scores), result.element)

    weights = reshape_to(emit, weights, (batch, *groups, queries, keys))
    numbers = DotDimensionNumbers((0, 1), (0, 1), (4,), (2,))
    summed = dot(emit, weights, value, numbers, (batch, *groups, queries, config.v_head_dim), wide, precision)
    heads_first = reshape_to(emit, cast_to(emit, summed, result.element), (batch, heads, queries, config.v_head_dim))
    if layout is not AttentionLayout.BHSD:
        heads_first = transpose_to(emit, heads_first, SWAP_HEADS)
    return reshape_to(emit, heads_first, result.dims)


def rules(precision: Precision) -> Rules:
    """The rules of this chapter; products are made with `precision`."""
    return {AttentionOp: partial(_attention, precision)}
