"""Ops of the domain `com.microsoft` on codes: the op on the numbers that they stand for, quantised again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.shapes import normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result, first
from rlx_passes.frontends.onnx.rules.elementwise import function, unary
from rlx_passes.frontends.onnx.rules.microsoft import DOMAIN, embedded, turned
from rlx_passes.frontends.onnx.rules.pooling import average_pool, max_pool, over_image
from rlx_passes.frontends.onnx.rules.quantization import Codes, bytes_of, dequantize, product, qlinear_conv, quantize
from rlx_passes.frontends.onnx.rules.reductions import reduction
from rlx_passes.frontends.onnx.rules.softmax import along_axis, softmax


def codes(node: Node, at: int) -> Codes:
    """Input `at`, with its scale and zero point after it."""
    return Codes(node.required(at), node.required(at + 1), node.optional(at + 2))


def real(g: Graph, node: Node, at: int) -> Tensor:
    """What the codes of input `at` stand for."""
    given = codes(node, at)
    return g.dequantize(given.x, given.scale, zero_point=given.zero)


def coded(g: Graph, node: Node, y: Tensor, at: int) -> Tensor:
    """A result as codes with the scale that is input `at` and the zero point after it, else of the type of input 0."""
    zero = node.optional(at + 1)
    return g.quantize(y, node.required(at), node.dtype(0) if zero is None else zero.dtype, zero_point=zero)


# Functions.


def of_one(rule: NodeRule) -> NodeRule:
    """Inputs: the codes, then the scale and the zero point of the result."""

    def quantised(g: Graph, node: Node) -> Result:
        return coded(g, node, first(rule(g, node.of(real(g, node, 0)))), 3)

    return quantised


def of_two(kind: BinaryKind) -> NodeRule:
    return lambda g, node: coded(g, node, g.binary(kind, real(g, node, 0), real(g, node, 3)), 6)


def where(g: Graph, node: Node) -> Result:
    zero = node.required(8)
    chosen = g.where(node.required(0), real(g, node, 1), real(g, node, 4))
    return g.quantize(chosen, node.required(7), zero.dtype, zero_point=zero)


def concat(g: Graph, node: Node) -> Result:
    if len(node.inputs) < 5 or len(node.inputs) % 3 != 2:
        raise Refusal(f"it has a scale, a zero point and three inputs for each tensor, got {len(node.inputs)} inputs")
    if "axis" not in node.attributes:
        raise Refusal("attribute 'axis' is missing")
    tensors = [real(g, node, at) for at in range(2, len(node.inputs), 3)]
    return coded(g, node, g.concat(tensors, normalize_axis(node.attributes["axis"], len(tensors[0].shape))), 0)


def soft_max(g: Graph, node: Node) -> Result:
    """The op of the op set that an attribute names."""
    if "opset" not in node.attributes:
        raise Refusal("attribute 'opset' is missing")
    of_opset = replace(node.of(real(g, node, 0)), opset=node.attributes["opset"])
    return coded(g, node, first(along_axis(softmax)(g, of_opset)), 3)


# Images.


def in_front(g: Graph, rule: NodeRule, node: Node) -> Tensor:
    """What a rule of images `[N, C, ..]` makes of one whose channels are last; so is its result."""
    x, rest = node.required(0), [node.optional(at) for at in range(1, len(node.inputs))]
    rank = len(x.shape)
    if rank < 3:
        raise Refusal(f"an image has a batch, spatial dims and channels, got {rank} dims")
    y = first(rule(g, node.of(g.transpose(x, (0, rank - 1, *range(1, rank - 1))), *rest)))
    return g.transpose(y, (0, *range(2, rank), 1))


def channels_last(rule: NodeRule) -> NodeRule:
    """The rule, whose node says by an attribute where the channels are."""
    return lambda g, node: in_front(g, rule, node) if node.attributes.get("channels_last") else rule(g, node)


def nhwc_max_pool(g: Graph, node: Node) -> Result:
    return in_front(g, max_pool, node)


# Products.


def integers_to_floats(g: Graph, node: Node) -> Result:
    a = Codes(node.required(0), node.required(2), node.optional(4))
    b = Codes(node.required(1), node.required(3), node.optional(5))
    return _biased(product(a, b), node.optional(6))


def dynamic_matmul(g: Graph, node: Node) -> Result:
    """The left side becomes bytes when the program runs."""
    weights = Codes(node.required(1), node.required(2), node.optional(3))
    return _biased(product(bytes_of(node.required(0)), weights), node.optional(4))


def _biased(x: Tensor, bias: Tensor | None) -> Tensor:
    return x if bias is None else x + bias


def gemm(g: Graph, node: Node) -> Result:
    """The bias counts in steps of the product. Without a scale for them the sums stay floats."""
    a, b = codes(node, 0), codes(node, 3)
    sides = [turned(g, side.x, bool(node.attributes.get(f"trans{name}"))) for name, side in zip("AB", (a, b))]
    sums = _biased(g.qmatmul(*sides, lhs_zero_point=a.zero, rhs_zero_point=b.zero), node.optional(6))
    scale = a.scale * b.scale * node.attributes.get("alpha", 1.0)
    if node.value(7) is None:
        return g.cast(sums, scale.dtype) * scale
    zero = node.required(8)
    return g.requantize(sums, scale, node.required(7), zero.dtype, zero_point=zero)


def embed_layer_norm(g: Graph, node: Node) -> Sequence[Result]:
    """Every table is codes, whose scales stand after the mask and whose zero points after those."""
    tables = [
        None
        if node.value(at) is None
        else g.dequantize(node.required(at), node.required(scale), zero_point=node.optional(scale + 5))
        for at, scale in zip(range(2, 7), range(8, 13))
    ]
    return embedded(g, node.of(node.required(0), node.optional(1), *tables, node.optional(7)))


RULES: Mapping[str, NodeRule] = {
    f"{DOMAIN}.{name}": rule
    for name, rule in {
        "DequantizeLinear": dequantize,
        "DynamicQuantizeMatMul": dynamic_matmul,
        "MatMulIntegerToFloat": integers_to_floats,
        "NhwcMaxPool": nhwc_max_pool,
        "QEmbedLayerNormalization": embed_layer_norm,
        "QGemm": gemm,
        "QLinearAdd": of_two(BinaryKind.ADD),
        "QLinearAveragePool": channels_last(of_one(average_pool)),
        "QLinearConcat": concat,
        "QLinearConv": channels_last(qlinear_conv),
        "QLinearGlobalAveragePool": channels_last(of_one(over_image(ReduceKind.MEAN))),
        "QLinearLeakyRelu": of_one(function("leaky_relu")),
        "QLinearMul": of_two(BinaryKind.MUL),
        "QLinearReduceMean": of_one(reduction(ReduceKind.MEAN)),
        "QLinearSigmoid": of_one(unary(Activation.SIGMOID)),
        "QLinearSoftmax": soft_max,
        "QLinearWhere": where,
        "QuantizeLinear": quantize,
    }.items()
}
