"""Heads of an attention, and rotary embeddings of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rlx_dialect.attributes import RopeStyle
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result


@dataclass(frozen=True)
class Heads:
    """Queries, keys or values: `[B, heads, S, width]`, or `[B, S, heads * width]` where packed."""

    x: Tensor
    count: int
    width: int

    @staticmethod
    def of(x: Tensor, count: int | None) -> Heads:
        """`count` is the number of packed heads. Raises `Refusal` unless their number and width are known."""
        if len(x.shape) == 4:
            count, width = x.shape[1], x.shape[3]
        elif len(x.shape) == 3 and count:
            width = x.shape[2] if x.shape[2] == DYNAMIC else x.shape[2] // count
        else:
            raise Refusal(f"heads of a tensor of {len(x.shape)} dims, of which {count or 'no'} are told")
        if DYNAMIC in (count, width):
            raise Refusal("how many heads there are and how wide they are must be known on import")
        return Heads(x, count, width)

    @property
    def packed(self) -> bool:
        return len(self.x.shape) == 3

    def length(self, node: Node) -> Size:
        return node.dims_of(self.x)[1 if self.packed else 2]

    def apart(self, node: Node) -> Heads:
        """`[B, heads, S, width]`"""
        if not self.packed:
            return self
        batch, length, _ = node.dims_of(self.x)
        split = node.reshape(self.x, (batch, length, self.count, self.width))
        return Heads(self.x.graph.transpose(split, (0, 2, 1, 3)), self.count, self.width)

    def behind(self, past: Tensor, node: Node) -> Heads:
        """With those of a cache in front."""
        return Heads(self.x.graph.concat([past, self.apart(node).x], 2), self.count, self.width)


def packed(node: Node, x: Tensor) -> Tensor:
    """`[B, heads, S, width]` as `[B, S, heads * width]`."""
    batch, heads, length, width = node.dims_of(x)
    return node.reshape(x.graph.transpose(x, (0, 2, 1, 3)), (batch, length, heads * width))


def rotary(g: Graph, node: Node) -> Result:
    """With positions the tables hold a row for each place, without them one for each token."""
    x, cos, sin = node.required(0), node.required(1), node.required(2)
    if (positions := node.optional(3)) is not None:
        cos, sin = g.gather(cos, positions), g.gather(sin, positions)
    return rotated(node, Heads.of(x, node.attributes.get("num_heads")), cos, sin, node.attributes.get("interleaved"))


def rotated(node: Node, heads: Heads, cos: Tensor, sin: Tensor, interleaved: int | None) -> Tensor:
    """The heads with their first entries rotated, as many as attribute `rotary_embedding_dim` says, else all."""
    x, dims = heads.x, node.dims_of(heads.x)
    y = x.graph.rope(
        *(node.reshape(x, (*dims[:2], heads.count, heads.width)) if heads.packed else x, cos, sin),
        axis=1 if heads.packed else 2,
        n_rot=node.attributes.get("rotary_embedding_dim") or None,
        style=RopeStyle.GPTJ if interleaved else RopeStyle.NEOX,
    )
    return node.reshape(y, dims) if heads.packed else y


RULES: Mapping[str, NodeRule] = {"RotaryEmbedding": rotary}
