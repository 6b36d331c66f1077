"""Attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import TypeAttribute

from rlx_dialect.attributes import AttentionLayout, BinaryKind, CompareKind, MaskedRows, MaskKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Dim, Size, Undecided, equal
from rlx_dialect.dtypes import element_type as dialect_type
from rlx_dialect.ops import AttentionConfig
from rlx_dialect.ops.attention import END
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import element_type
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.position import Heads, packed
from rlx_passes.frontends.onnx.rules.precision import as_type

HIDDEN = float("-inf")


# Which keys a query sees.


@dataclass(frozen=True)
class Sight:
    """
    Query i sees j iff `j <= i + offset` if causal, `i + offset - left <= j <= i + offset + right` and `j < lengths[b]`.

    The offset is a size, or `[B, 1, 1, 1]`; so are the lengths.
    """

    offset: Size | Tensor = 0
    causal: bool = False
    left: int | None = None
    right: int | None = None
    lengths: Tensor | None = None

    @property
    def everything(self) -> bool:
        return not self.causal and self.left is None and self.right is None and self.lengths is None

    @property
    def triangle(self) -> bool:
        """Whether it hides later keys alone, from a place on that is the same in each sample."""
        sides = (self.left, self.right, self.lengths)
        return self.causal and sides == (None, None, None) and not isinstance(self.offset, Tensor)

    def as_offset(self, queries: Size, keys: Size) -> int | str | None:
        """What `rlx.attention` calls the offset. Raises `Undecided` where it has no word for it."""
        if self.everything or self.offset == 0:
            return 0 if self.causal else None
        if isinstance(self.offset, Tensor) or not self.causal:
            raise Undecided("the offset")
        if isinstance(self.offset, int):
            return self.offset
        if equal(keys - queries, self.offset):
            return END
        raise Undecided("the offset")

    def mask(self, g: Graph, node: Node, queries: Size, keys: Size) -> Tensor | None:
        """`[Sq, Sk]` or `[B, 1, Sq, Sk]` of truth values; None where everything is seen."""
        if self.everything:
            return None
        columns = g.iota(node.shape([1, keys]), 1)
        distance = columns - g.iota(node.shape([queries, 1]), 0)
        if isinstance(self.offset, Dim):
            distance = distance - g.sizes(node.shape([self.offset]))
        elif self.offset != 0:
            distance = distance - self.offset
        conditions = [
            (self.causal, CompareKind.LE, distance, 0),
            (self.left is not None, CompareKind.GE, distance, -(self.left or 0)),
            (self.right is not None, CompareKind.LE, distance, self.right or 0),
        ]
        seen = [g.compare(kind, x, bound) for there, kind, x, bound in conditions if there]
        if self.lengths is not None:
            seen.append(g.compare(CompareKind.LT, columns, self.lengths))
        first, *rest = seen
        for each in rest:
            first = g.binary(BinaryKind.BIT_AND, first, each)
        return first


def hiding(g: Graph, seen: Tensor | None, bias: Tensor | None, dtype: str) -> Tensor | None:
    """What is added to the scores: the bias where a key is seen, minus infinity elsewhere."""
    if seen is None:
        return bias
    return g.where(seen, g.zeros((), dtype) if bias is None else bias, g.full((), HIDDEN, dtype))


def attend(
    g: Graph,
    node: Node,
    query: Heads,
    key: Heads,
    value: Heads,
    sight: Sight,
    bias: Tensor | None,
    *,
    scale: float | None,
    softcap: float | None = None,
    masked_rows: MaskedRows = MaskedRows.ZERO,
    accumulate: TypeAttribute | None = None,
) -> Tensor:
    """One op; what it has no word for is hidden by its bias. The result lies as the queries do."""
    queries, keys = query.length(node), key.length(node)
    if sight.lengths is not None:
        sight, bias = Sight(), hiding(g, sight.mask(g, node, queries, keys), bias, query.x.dtype)
    try:
        offset = sight.as_offset(queries, keys)
    except Undecided:
        offset, bias = None, hiding(g, sight.mask(g, node, queries, keys), bias, query.x.dtype)
        sight = Sight()
    config = AttentionConfig.make(
        query.count,
        query.width,
        scale=scale,
        kv_heads=key.count,
        v_head_dim=value.width,
        softcap=softcap,
        causal_offset=offset,
        window_left=sight.left,
        window_right=sight.right,
        masked_rows=masked_rows,
        accumulate=accumulate,
    )
    layout = AttentionLayout.BSM if query.packed else AttentionLayout.BHSD
    kind = None if bias is None else MaskKind.BIAS
    return g.attention(query.x, key.x, value.x, config, layout=layout, mask=bias, mask_kind=kind)


# The op of the format.


def attention(g: Graph, node: Node) -> Sequence[Result]:
    """One op where nobody reads the scores; these are written out beside it."""
    query, key, value = (
        Heads.of(node.required(at), node.attributes.get(f"{side}_num_heads"))
        for at, side in enumerate(("q", "kv", "kv"))
    )
    wanted = [bool(name) for name in node.outputs] + [False] * 3
    flat, past = query.packed, node.optional(4)
    present = past is not None or any(wanted[1:4])
    if present:
        query, key, value = (each.apart(node) for each in (query, key, value))
    sight = _sight(g, node, query, past)
    if past is not None:
        key, value = key.behind(past, node), value.behind(node.required(5), node)
    values = Heads(as_type(g, value.x, query.x.dtype), value.count, value.width)
    bias = _bias(g, node, query.x.dtype, key.length(node))
    scale, softcap = node.attributes.get("scale"), node.attributes.get("softcap") or None
    accumulate = _precision(node)
    y = attend(g, node, query, key, values, sight, bias, scale=scale, softcap=softcap, accumulate=accumulate)
    y = packed(node, y) if flat and present else y
    if not wanted[3]:
        return [y, key.x, value.x]
    added = hiding(g, sight.mask(g, node, query.length(node), key.length(node)), bias, query.x.dtype)
    return [y, key.x, value.x, _scores(g, node, query, key, added, scale, softcap)]


def _precision(node: Node) -> TypeAttribute | None:
    """What to sum in: f64 if the softmax is to be that precise, else f32, which also serves nodes that ask for less."""
    wanted = element_type(node.attributes.get("softmax_precision", 1))
    return dialect_type(wanted) if wanted == "f64" else None


def _sight(g: Graph, node: Node, query: Heads, past: Tensor | None) -> Sight:
    left, right = (node.attributes.get(f"{side}_window_size", -1) for side in ("left", "right"))
    offset: Size | Tensor = 0 if past is None else node.dims_of(past)[2]
    lengths = node.optional(6)
    if lengths is not None:
        lengths = node.reshape(lengths, (*node.dims(6), 1, 1, 1))
        queries = query.length(node)
        offset = lengths - (g.sizes(node.shape([queries])) if isinstance(queries, Dim) else queries)
    return Sight(
        offset,
        bool(node.attributes.get("is_causal")),
        None if left < 0 else left,
        None if right < 0 else right,
        lengths,
    )


def _bias(g: Graph, node: Node, dtype: str, keys: Size) -> Tensor | None:
    """The mask as what is added to the scores; a key that it does not reach is hidden."""
    mask = node.optional(3)
    if mask is None:
        return None
    if mask.dtype == "i1":
        mask = g.where(mask, g.zeros((), dtype), g.full((), HIDDEN, dtype))
    mask = as_type(g, mask, dtype)
    *outer, reached = node.dims_of(mask)
    missing = keys - reached
    if missing == 0 or node.opset < 24:
        return mask
    if isinstance(missing, int) and missing < 0:
        raise Refusal(f"a mask of {reached} keys, of which there are {keys}")
    return g.concat([mask, g.filled(node.shape([*outer, missing]), HIDDEN, dtype)], len(outer))


def _scores(
    g: Graph, node: Node, query: Heads, key: Heads, bias: Tensor | None, scale: float | None, softcap: float | None
) -> Tensor:
    """The scores that `qk_matmul_output_mode` asks for: raw, capped, biased, or after the softmax."""
    mode = node.attributes.get("qk_matmul_output_mode", 0)
    if mode not in range(4):
        raise Refusal(f"attribute qk_matmul_output_mode is 0 to 3, got {mode}")
    keys = _for_each_query_head(g, node, query, key)
    scores = (query.x @ g.transpose(keys, (0, 1, 3, 2))) * (query.width**-0.5 if scale is None else scale)
    if mode >= 1 and softcap is not None:
        scores = g.tanh(scores / softcap) * softcap
    if mode >= 2 and bias is not None:
        scores = scores + bias
    if mode < 3:
        return scores
    blind = g.compare(CompareKind.EQ, g.reduce(ReduceKind.MAX, scores, (3,), keep_dims=True), HIDDEN)
    return g.where(blind, 0.0, g.softmax(scores))


def _for_each_query_head(g: Graph, node: Node, query: Heads, key: Heads) -> Tensor:
    """`[B, heads, S, width]` of keys, each head of which several heads of queries read."""
    if query.count == key.count:
        return key.x
    group = query.count // key.count
    batch, _, length, width = node.dims_of(key.x)
    grouped = node.reshape(key.x, (batch, key.count, 1, length, width))
    return node.reshape(
        node.expand(grouped, (batch, key.count, group, length, width)), (batch, query.count, length, width)
    )


RULES: Mapping[str, NodeRule] = {"Attention": attention}
