"""The attention of the domain `com.microsoft` whose heads share keys, and whose cache has a length for each sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rlx_dialect.attributes import CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size, Undecided, equal, larger
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.attention import Sight, attend
from rlx_passes.frontends.onnx.rules.attention_sinks import with_sink
from rlx_passes.frontends.onnx.rules.microsoft import DOMAIN, refuse
from rlx_passes.frontends.onnx.rules.normalization import read
from rlx_passes.frontends.onnx.rules.position import Heads, packed, rotated

UNREAD = {
    12: "k_scale",
    13: "v_scale",
    16: "query_seqlens",
}
"""Inputs that ask for what the rule does not do."""


@dataclass(frozen=True)
class Cache:
    """
    How many of `room` entries are there: `before` the new ones and `after`, `[B, 1, 1, 1]`; None where all are.

    With the new ones it has room for `total` entries.
    """

    room: Size
    total: Size
    before: Tensor | None = None
    after: Tensor | None = None

    def grown(self, node: Node, past: Tensor | None, new: Heads) -> Heads:
        """Keys or values with the new ones behind what is filled."""
        joined = new.apart(node) if past is None else new.behind(past, node)
        if self.before is None or self.after is None:
            return joined
        g = joined.x.graph
        places = g.iota(node.shape([1, self.total]), 1)
        batch, _, length, _ = node.dims_of(joined.x)
        before = node.reshape(self.before, (batch, 1))
        skipped = node.counted(self.room) - before
        moved = g.where(g.compare(CompareKind.LT, places, before), places, places + skipped)
        moved = g.minimum(moved, node.counted(length - 1))
        rows = node.reshape(g.transpose(joined.x, (0, 2, 1, 3)), (batch * length, joined.count, joined.width))
        rows = g.gather(rows, moved + g.iota(node.shape([batch, 1]), 0) * node.counted(length))
        there = g.compare(CompareKind.LT, node.reshape(places, (1, 1, self.total, 1)), self.after)
        return replace(joined, x=g.where(there, g.transpose(rows, (0, 2, 1, 3)), 0.0))


def grouped_attention(g: Graph, node: Node) -> Sequence[Result]:
    _check(node)
    query, key, value = _sides(g, node)
    query, key = (_normed(g, node, side, at) for side, at in ((query, 14), (key, 15)))
    past = node.optional(3)
    queries = query.length(node)
    cache = _cache(g, node, query, past)
    if node.attributes.get("do_rotary"):
        positions = _positions(g, node, queries, cache)
        tables = g.gather(node.required(7), positions), g.gather(node.required(8), positions)
        interleaved = node.attributes.get("rotary_interleaved")
        query, key = (replace(each, x=rotated(node, each, *tables, interleaved)) for each in (query, key))
    key = cache.grown(node, past, key)
    value = cache.grown(node, node.optional(4), value)
    window = node.attributes.get("local_window_size", -1)
    offset = cache.room if cache.before is None else cache.before
    sight, bias = Sight(offset, True, left=window - 1 if window > 0 else None), node.optional(10)
    if not node.attributes.get("causal", 1):
        sight = Sight(lengths=cache.after)
    keys, values, sink = key, value, _sink(g, node)
    if sink is not None:
        keys, values, sight, bias = with_sink(g, node, query, key, value, sight, bias, sink)
    y = attend(
        g,
        node,
        query.apart(node),
        keys,
        values,
        sight,
        bias,
        scale=node.attributes.get("scale") or None,
        softcap=node.attributes.get("softcap") or None,
    )
    return [packed(node, y), key.x, value.x]


def _check(node: Node) -> None:
    refuse(node, "qk_output", "sliding_window_cache", "kv_cache_bit_width")
    for name in ("num_heads", "kv_num_heads"):
        if not node.attributes.get(name):
            raise Refusal(f"attribute '{name}' is missing")
    if node.attributes.get("causal", 1) == 0 and node.attributes.get("local_window_size", -1) != -1:
        raise Refusal("a window of keys is one of a causal attention, and attribute causal is 0")
    if (node.value(14) is None) != (node.value(15) is None):
        raise Refusal("inputs 14 and 15 (q_norm_weight, k_norm_weight): one is there without the other")
    for at, name in UNREAD.items():
        if node.value(at) is not None:
            raise Refusal(f"input {at} ({name})")
    if read(node, 3):
        raise Refusal(f"output '{node.outputs[3]}', the scores")


def _sides(g: Graph, node: Node) -> tuple[Heads, Heads, Heads]:
    """Queries, keys and values, which may be parts of one tensor."""
    heads, groups = node.attributes["num_heads"], node.attributes["kv_num_heads"]
    if heads % groups:
        raise Refusal(f"{heads} heads of queries do not share {groups} heads of keys evenly")
    x, key = node.required(0), node.optional(1)
    if key is not None:
        return Heads.of(x, heads), Heads.of(key, groups), Heads.of(node.required(2), groups)
    whole = x.shape[-1]
    if len(x.shape) != 3 or whole == DYNAMIC or whole % (heads + 2 * groups):
        raise Refusal(f"queries, keys and values of {heads} and twice {groups} heads do not fill {whole} entries")
    width = whole // (heads + 2 * groups)
    counts, starts = (heads, groups, groups), (0, heads, heads + groups)
    query, key, value = (
        Heads(g.narrow(x, -1, start * width, count * width), count, width) for start, count in zip(starts, counts)
    )
    return query, key, value


def _normed(g: Graph, node: Node, heads: Heads, at: int) -> Heads:
    """Each head by its root mean square, with the gain that input `at` holds, if any."""
    gain = node.optional(at)
    if gain is None:
        return heads
    shared = node.attributes.get("qk_norm_epsilon", 1e-6)
    epsilon = node.attributes.get("q_norm_epsilon" if at == 14 else "k_norm_epsilon", shared)
    x = heads.apart(node).x
    return replace(heads, x=g.rms_norm(x, gain, g.zeros(gain.shape, gain.dtype), epsilon))


def _sink(g: Graph, node: Node) -> Tensor | None:
    """`[1, heads, 1, 1]`: input `head_sink`, or scores of 0 where attribute `smooth_softmax` wants them."""
    count = node.attributes["num_heads"]
    given = node.optional(11)
    if given is not None:
        return node.reshape(given, (1, count, 1, 1))
    wanted = node.attributes.get("smooth_softmax", 0) > 0
    return g.zeros((1, count, 1, 1), node.required(0).dtype) if wanted else None


def _cache(g: Graph, node: Node, query: Heads, past: Tensor | None) -> Cache:
    """One sample whose cache is as long as what came before fills it; any other has what its length says."""
    batch, queries = node.dims_of(query.x)[0], query.length(node)
    room: Size = 0 if past is None else node.dims_of(past)[2]
    lengths, total = node.required(5), _larger(g, node, room, node.size(6))
    if batch == 1 and _same(room + queries, total):
        return Cache(room, room + queries)
    filled = node.reshape(g.cast(lengths, "i64") + 1, (batch, 1, 1, 1))
    return Cache(room, total, g.maximum(filled - node.counted(queries), 0), filled)


def _larger(g: Graph, node: Node, a: Size, b: Size) -> Size:
    """The larger of two sizes, found when the program runs where nothing else tells."""
    known = larger(a, b)
    if known in (a, b):
        return known
    (size,) = node.emitter.sizes_in(g.maximum(node.counted(a), node.counted(b)))
    return size


def _positions(g: Graph, node: Node, queries: Size, cache: Cache) -> Tensor:
    """`[B, S]`, or `[1, S]` of one sample."""
    given = node.optional(9)
    if given is not None:
        return given
    places = g.iota(node.shape([1, queries]), 1)
    if cache.before is None:
        return places + node.counted(cache.room)
    return places + node.reshape(cache.before, (node.dims(0)[0], 1))


def _same(a: Size, b: Size) -> bool:
    try:
        return equal(a, b)
    except Undecided:
        return False


RULES: Mapping[str, NodeRule] = {f"{DOMAIN}.GroupQueryAttention": grouped_attention}
