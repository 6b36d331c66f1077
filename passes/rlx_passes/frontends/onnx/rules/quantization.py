"""Quantised tensors and their products."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rlx_dialect.attributes import Activation, CompareKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import element_type
from rlx_passes.frontends.onnx.node import Node, NodeRule
from rlx_passes.frontends.onnx.rules.windows import spatial, steps_of


def _place(node: Node) -> dict[str, int | None]:
    """Where the scales of a node go: it has an axis even if there is one scale only."""
    many = bool(node.required(1).shape)
    block = node.attributes.get("block_size", 0) or None
    return {"axis": node.attributes.get("axis", 1) if many else None, "block": block}


def quantize(g: Graph, node: Node) -> Tensor:
    zero_point, wanted = node.optional(2), node.attributes.get("output_dtype", 0)
    dtype = zero_point.dtype if zero_point is not None else element_type(wanted) if wanted else "ui8"
    if wanted and element_type(wanted) != dtype:
        raise Refusal(f"output_dtype is {element_type(wanted)}, the zero point is of {dtype}")
    return g.quantize(node.required(0), node.required(1), dtype, zero_point=zero_point, **_place(node))


def dequantize(g: Graph, node: Node) -> Tensor:
    result = g.dequantize(node.required(0), node.required(1), zero_point=node.optional(2), **_place(node))
    wanted = node.attributes.get("output_dtype", 0)
    return g.cast(result, element_type(wanted)) if wanted and element_type(wanted) != result.dtype else result


@dataclass(frozen=True)
class Codes:
    """Integers that stand for `(x - zero) * scale`."""

    x: Tensor
    scale: Tensor
    zero: Tensor | None


def bytes_of(x: Tensor) -> Codes:
    """
    Bytes between the least and the greatest element, of which 0 is one; each step is rounded to f32. The scale of zeros
    alone is 1.
    """
    g, every = x.graph, range(len(x.shape))
    least = g.minimum(g.reduce(ReduceKind.MIN, x, every), 0.0)
    span = g.maximum(g.reduce(ReduceKind.MAX, x, every), 0.0) - least
    scale = g.where(g.compare(CompareKind.EQ, span, 0.0), 1.0, span / 255.0)
    zero = g.clamp(g.activation(Activation.ROUND, -(least / scale)), 0.0, 255.0)
    codes = g.clamp(g.activation(Activation.ROUND, x / scale) + zero, 0.0, 255.0)
    return Codes(g.cast(codes, "ui8"), scale, g.cast(zero, "ui8"))


def product(a: Codes, b: Codes) -> Tensor:
    """The product of matrices of codes in floats."""
    g = a.x.graph
    sums = g.qmatmul(a.x, b.x, lhs_zero_point=a.zero, rhs_zero_point=b.zero)
    return g.cast(sums, a.scale.dtype) * (a.scale * b.scale)


def dynamic_quantize(g: Graph, node: Node) -> list[Tensor]:
    codes = bytes_of(node.required(0))
    assert codes.zero is not None
    return [codes.x, codes.scale, codes.zero]


def matmul_integer(g: Graph, node: Node) -> Tensor:
    left, right = node.optional(2), node.optional(3)
    return g.qmatmul(node.required(0), node.required(1), lhs_zero_point=left, rhs_zero_point=right)


def qlinear_matmul(g: Graph, node: Node) -> Tensor:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = map(node.required, range(8))
    sums = g.qmatmul(a, b, lhs_zero_point=a_zero, rhs_zero_point=b_zero)
    scale = g.cast(a_scale, "f32") * g.cast(b_scale, "f32")
    return g.requantize(sums, scale, g.cast(y_scale, "f32"), y_zero.dtype, zero_point=y_zero)


def _convolved(g: Graph, node: Node, sides: tuple[int, int], zero_points: tuple[int, int]) -> Tensor:
    """The sums of a node whose operands and zero points stand at these places."""
    (x, weight), (x_zero, weight_zero) = map(node.required, sides), map(node.optional, zero_points)
    kernel = [size for size in node.dims(sides[1])[2:] if isinstance(size, int)]
    if len(x.shape) != 4 or len(kernel) != 2:
        raise Refusal("convolutions of bytes are read over two spatial dims, with a kernel of known sizes")
    steps = steps_of(node, spatial(node, sides[0]), kernel)
    return g.qconv2d(
        *(x, weight),
        input_zero_point=x_zero,
        weight_zero_point=weight_zero,
        stride=steps.stride,
        padding=steps.pads,
        dilation=steps.dilation,
        groups=node.attributes.get("group", 1),
    )


def conv_integer(g: Graph, node: Node) -> Tensor:
    return _convolved(g, node, (0, 1), (2, 3))


def qlinear_conv(g: Graph, node: Node) -> Tensor:
    x_scale, weight_scale, y_scale, y_zero = map(node.required, (1, 4, 6, 7))
    sums, bias = _convolved(g, node, (0, 3), (2, 5)), node.optional(8)
    if bias is not None:
        sums = sums + node.reshape(bias, [*node.dims(8), 1, 1])
    if weight_scale.shape:
        weight_scale = node.reshape(weight_scale, [*node.dims(4), 1, 1])
    return g.requantize(sums, x_scale * weight_scale, y_scale, y_zero.dtype, zero_point=y_zero)


RULES: Mapping[str, NodeRule] = {
    "QuantizeLinear": quantize,
    "DequantizeLinear": dequantize,
    "DynamicQuantizeLinear": dynamic_quantize,
    "MatMulInteger": matmul_integer,
    "QLinearMatMul": qlinear_matmul,
    "ConvInteger": conv_integer,
    "QLinearConv": qlinear_conv,
}
