"""Ops of the domain `com.microsoft` that exporters and optimisers of models write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.attributes import Activation
from rlx_dialect.builder import Graph, Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.elementwise import swish_of
from rlx_passes.frontends.onnx.rules.normalization import inverse_rms, layer_normed, read, rms_normed, statistics
from rlx_passes.frontends.onnx.rules.position import Heads, rotated
from rlx_passes.frontends.onnx.rules.products import multiplied, scaled

DOMAIN = "com.microsoft"


def refuse(node: Node, *attributes: str) -> None:
    """Raises `Refusal` for an attribute that is set to something else than 0."""
    for name in attributes:
        if node.attributes.get(name):
            raise Refusal(f"attribute {name} is {node.attributes[name]}")


# Elementwise ops.


def gelu(g: Graph, node: Node) -> Result:
    return g.gelu(node.required(0))


def bias_gelu(g: Graph, node: Node) -> Result:
    return g.gelu(node.required(0) + node.required(1))


def fast_gelu(g: Graph, node: Node) -> Result:
    x, bias = node.required(0), node.optional(1)
    return g.activation(Activation.GELU_APPROX, x if bias is None else x + bias)


def quick_gelu(g: Graph, node: Node) -> Result:
    return swish_of(g, node.required(0), node.attributes.get("alpha", 1.702))


# Products.


def fused_matmul(g: Graph, node: Node) -> Result:
    refuse(node, "transBatchA", "transBatchB")
    sides = [turned(g, node.required(at), bool(node.attributes.get(f"trans{'AB'[at]}"))) for at in range(2)]
    return scaled(node, multiplied(node, *sides), "alpha")


def turned(g: Graph, x: Tensor, turn: bool) -> Tensor:
    """`x` with its last two dims exchanged; a vector has nothing to exchange."""
    rank = len(x.shape)
    return g.transpose(x, (*range(rank - 2), rank - 1, rank - 2)) if turn and rank > 1 else x


# Norms.


def epsilon_of(node: Node) -> float:
    return node.attributes.get("epsilon", 1e-12)


def skip_layer_norm(g: Graph, node: Node) -> Sequence[Result]:
    x = _summed(node, 4)
    y = layer_normed(g, node, x, node.required(2), node.optional(3), epsilon_of(node))
    if not (read(node, 1) or read(node, 2)):
        return [y, y, y, x]
    return [y, *statistics(g, node, x, epsilon_of(node)), x]


def skip_rms_norm(g: Graph, node: Node) -> Sequence[Result]:
    if read(node, 1):
        raise Refusal(f"output '{node.outputs[1]}', the mean, which this norm does not take")
    x = _summed(node, 3)
    y = rms_normed(g, node, x, node.required(2), epsilon_of(node))
    return [y, y, inverse_rms(g, node, x, epsilon_of(node)) if read(node, 2) else y, x]


def _summed(node: Node, bias: int) -> Tensor:
    """The input, what is added to it, and the bias where there is one."""
    x, shift = node.required(0) + node.required(1), node.optional(bias)
    return x if shift is None else x + shift


def embedded(g: Graph, node: Node) -> Sequence[Result]:
    """The norm of a sum of rows: of the word, of its place and of its segment."""
    words, dims = node.required(0), node.dims(0)
    places = node.optional(8)
    places = g.iota(node.shape(dims[1:]), 0) if places is None else places
    total = g.gather(node.required(2), words) + g.gather(node.required(3), places)
    if (segments := node.optional(1)) is not None:
        total = total + g.gather(node.required(4), segments)
    y = layer_normed(g, node, total, node.required(5), node.required(6), epsilon_of(node))
    if not read(node, 1):
        return [y, y, total]
    mask = node.optional(7)
    lengths = g.filled(node.shape(dims[:1]), 0, "i32") if mask is None else g.sum(mask, (1,))
    return [y, lengths, total]


# Positions.


def rotary(g: Graph, node: Node) -> Result:
    """One position is that of the first token."""
    refuse(node, "is_packed_batching")
    if node.attributes.get("scale", 1.0) != 1:
        raise Refusal(f"attribute scale is {node.attributes['scale']}")
    x, positions, cos, sin = (node.required(at) for at in range(4))
    if len(positions.shape) == 1:
        length = node.dims(0)[1 if len(x.shape) == 3 else 2]
        positions = g.iota(node.shape([length]), 0, positions.dtype) + positions
    heads = node.attributes.get("num_heads")
    if not heads and len(x.shape) == 3:
        # Whole heads are rotated then, and the tables say how wide they are.
        heads = Heads.of(x, 1).width // (2 * cos.shape[-1])
    tables = g.gather(cos, positions), g.gather(sin, positions)
    return rotated(node, Heads.of(x, heads), *tables, node.attributes.get("interleaved"))


RULES: Mapping[str, NodeRule] = {
    f"{DOMAIN}.{name}": rule
    for name, rule in {
        "BiasGelu": bias_gelu,
        "EmbedLayerNormalization": embedded,
        "FastGelu": fast_gelu,
        "FusedMatMul": fused_matmul,
        "Gelu": gelu,
        "QuickGelu": quick_gelu,
        "RotaryEmbedding": rotary,
        "SkipLayerNormalization": skip_layer_norm,
        "SkipSimplifiedLayerNormalization": skip_rms_norm,
    }.items()
}
