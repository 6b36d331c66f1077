"""The attentions of the domain `com.microsoft`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.attributes import CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size, Undecided, equal
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.attention import Sight, attend
from rlx_passes.frontends.onnx.rules.microsoft import DOMAIN, refuse
from rlx_passes.frontends.onnx.rules.normalization import read
from rlx_passes.frontends.onnx.rules.position import Heads, packed
from rlx_passes.frontends.onnx.rules.quantization import Codes, product

FILTER = -10000.0
"""What is added to the score of a hidden key where the node says nothing else."""


def heads_of(node: Node) -> int:
    count = node.attributes.get("num_heads")
    if not count:
        raise Refusal("attribute 'num_heads' is missing")
    return count


def self_attention(g: Graph, node: Node) -> Sequence[Result]:
    """With its projections: queries, keys and values are parts of one product."""
    joined, bias = node.required(0) @ node.required(1), node.optional(2)
    return _projected(g, node, joined if bias is None else joined + bias, mask=3, past=4, bias=5)


def quantized_self_attention(g: Graph, node: Node) -> Sequence[Result]:
    """The same of codes, whose product becomes floats."""
    sides = (Codes(node.required(at), node.required(at + 3), node.optional(at + 6)) for at in (0, 1))
    return _projected(g, node, product(*sides) + node.required(2), mask=5, past=8, bias=None)


def _projected(g: Graph, node: Node, joined: Tensor, *, mask: int, past: int, bias: int | None) -> Sequence[Result]:
    """The attention of what a product gives, with the inputs at these places."""
    refuse(node, "do_rotary", "past_present_share_buffer", "rotary_embedding_dim")
    cache = node.optional(past)
    query, key, value = (Heads.of(each, heads_of(node)) for each in _parts(g, node, joined))
    if cache is not None:
        dims = node.dims_of(cache)[1:]
        keys, values = (node.reshape(g.narrow(cache, 0, at, 1), dims) for at in range(2))
        key, value = key.behind(keys, node), value.behind(values, node)
    y, key, value = _attended(g, node, query, key, value, cache, mask=mask, bias=bias)
    if not read(node, 1):
        return [y]
    sides = (each.apart(node).x for each in (key, value))
    return [y, g.concat([node.reshape(each, (1, *node.dims_of(each))) for each in sides], 0)]


def _parts(g: Graph, node: Node, joined: Tensor) -> list[Tensor]:
    """Thirds of the last axis, or parts as wide as the node says."""
    whole = joined.shape[-1]
    if whole == DYNAMIC:
        raise Refusal("how wide the projections are must be known on import")
    widths: Sequence[int] = node.attributes.get("qkv_hidden_sizes") or [whole // 3] * 3
    starts = (0, widths[0], widths[0] + widths[1])
    return [g.narrow(joined, -1, start, width) for start, width in zip(starts, widths)]


def multi_head_attention(g: Graph, node: Node) -> Sequence[Result]:
    """Of projected queries, keys and values; keys and values may be a cache as it is."""
    count = heads_of(node)
    for at, name in ((8, "past_sequence_length"), (9, "cache_indirection")):
        if node.value(at) is not None:
            raise Refusal(f"input {at} ({name})")
    if read(node, 3):
        raise Refusal(f"output '{node.outputs[3]}', the scores")
    sides = [node.optional(at) for at in range(3)]
    if any(each is None or len(each.shape) == 5 for each in sides):
        raise Refusal("queries, keys and values that are packed into one input")
    bias, past = node.optional(3), node.optional(6)
    tensors = [each for each in sides if each is not None]
    if bias is not None:
        shifts = _shifts(g, bias, tensors)
        tensors = [x + shift if len(x.shape) == 3 else x for x, shift in zip(tensors, shifts)]
    query, key, value = (Heads.of(each, count) for each in tensors)
    if past is not None:
        key, value = key.behind(past, node), value.behind(node.required(7), node)
    y, key, value = _attended(g, node, query, key, value, past, mask=4, bias=5)
    present = [each.apart(node).x for each in (key, value)] if read(node, 1) or read(node, 2) else []
    return [y, *present]


def _shifts(g: Graph, bias: Tensor, sides: Sequence[Tensor]) -> list[Tensor]:
    """The parts of a bias that queries, keys and values get."""
    width = sides[0].shape[-1]
    if DYNAMIC in (width, bias.shape[0]):
        raise Refusal("how wide the projections are must be known on import")
    widths = (width, width, bias.shape[0] - 2 * width)
    return [g.narrow(bias, 0, at * width, each) for at, each in enumerate(widths)]


def _attended(
    g: Graph, node: Node, query: Heads, key: Heads, value: Heads, past: Tensor | None, *, mask: int, bias: int | None
) -> tuple[Tensor, Heads, Heads]:
    """The packed result, and the keys and values as they were read."""
    batch = node.dims_of(query.x)[0]
    if not (key.packed and value.packed):
        query, key, value = (each.apart(node) for each in (query, key, value))
    hidden = _hidden(g, node, mask, batch, key.length(node), query.x.dtype)
    given = None if bias is None else node.optional(bias)
    added = hidden if given is None else given if hidden is None else hidden + given
    offset = 0 if past is None else node.dims_of(past)[-2]
    sight = Sight(offset, bool(node.attributes.get("unidirectional")))
    scale = node.attributes.get("scale") or None
    y = attend(g, node, query, key, value, sight, added, scale=scale)
    return (y if query.packed else packed(node, y)), key, value


def _hidden(g: Graph, node: Node, at: int, batch: Size, keys: Size, dtype: str) -> Tensor | None:
    """A mask `[B, Sk]` or `[B, Sq, Sk]` of 0 and 1, or key counts `[B]`, as what is added to the scores."""
    mask = node.optional(at)
    if mask is None:
        return None
    dims = node.dims(at)
    if len(dims) == 1 and _same(dims[0], batch):
        lengths = node.reshape(mask, (*dims, 1, 1, 1))
        seen = g.compare(CompareKind.LT, g.iota(node.shape([keys]), 0, mask.dtype), lengths)
    elif len(dims) in (2, 3):
        seen = g.compare(CompareKind.GT, node.reshape(mask, (dims[0], *[1] * (4 - len(dims)), *dims[1:])), 0)
    else:
        raise Refusal(f"a mask of {len(dims)} dims that is neither one of keys nor a length for each sample")
    filtered = g.full((), node.attributes.get("mask_filter_value", FILTER), dtype)
    return g.where(seen, g.zeros((), dtype), filtered)


def _same(a: Size, b: Size) -> bool:
    try:
        return equal(a, b)
    except Undecided:
        return False


RULES: Mapping[str, NodeRule] = {
    f"{DOMAIN}.Attention": self_attention,
    f"{DOMAIN}.MultiHeadAttention": multi_head_attention,
    f"{DOMAIN}.QAttention": quantized_self_attention,
}
