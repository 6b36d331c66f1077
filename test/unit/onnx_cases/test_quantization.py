"""Quantisation against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, cases, check
from windows_of_nodes import pads_of

from rlx_dialect.builder import Graph, Tensor

RESULTS = {0: "ui8", 5: "i16"}
"""The element type of a result by its number in the format."""


def place(node: Node) -> dict[str, int | None]:
    """Where the scales of a node go: it has an axis even if there is one scale only."""
    many = bool(node.required(1).shape)
    block = node.attributes.get("block_size") or None
    return {"axis": node.attributes.get("axis", 1) if many else None, "block": block}


def quantize(g: Graph, node: Node) -> Tensor:
    zero_point = node.optional(2)
    dtype = RESULTS[node.attributes.get("output_dtype", 0)] if zero_point is None else zero_point.dtype
    return g.quantize(node.required(0), node.required(1), dtype, zero_point=zero_point, **place(node))


def dequantize(g: Graph, node: Node) -> Tensor:
    return g.dequantize(node.required(0), node.required(1), zero_point=node.optional(2), **place(node))


def matmul_integer(g: Graph, node: Node) -> Tensor:
    return g.qmatmul(
        node.required(0), node.required(1), lhs_zero_point=node.optional(2), rhs_zero_point=node.optional(3)
    )


def qlinear_matmul(g: Graph, node: Node) -> Tensor:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = map(node.required, range(8))
    sums = g.qmatmul(a, b, lhs_zero_point=a_zero, rhs_zero_point=b_zero)
    return g.requantize(
        sums, g.cast(a_scale, "f32") * g.cast(b_scale, "f32"), g.cast(y_scale, "f32"), y_zero.dtype, zero_point=y_zero
    )


def convolved(g: Graph, node: Node, sides: tuple[int, int], zero_points: tuple[int, int]) -> Tensor:
    """The sums of a node whose operands and zero points stand at these places."""
    (x, weight), (x_zero, weight_zero) = map(node.required, sides), map(node.optional, zero_points)
    return g.qconv2d(
        *(x, weight),
        input_zero_point=x_zero,
        weight_zero_point=weight_zero,
        stride=node.attributes.get("strides", 1),
        padding=pads_of(node, x.shape[2:], weight.shape[2:]),
        dilation=node.attributes.get("dilations", 1),
        groups=node.attributes.get("group", 1),
    )


def conv_integer(g: Graph, node: Node) -> Tensor:
    return convolved(g, node, (0, 1), (2, 3))


def qlinear_conv(g: Graph, node: Node) -> Tensor:
    x_scale, weight_scale, y_scale, y_zero = map(node.required, (1, 4, 6, 7))
    sums = convolved(g, node, (0, 3), (2, 5))
    bias = node.optional(8)
    sums = sums if bias is None else sums + g.reshape(bias, (-1, 1, 1))
    return g.requantize(sums, x_scale * g.reshape(weight_scale, (-1, 1, 1)), y_scale, y_zero.dtype, zero_point=y_zero)


ADAPTERS = {
    "QuantizeLinear": quantize,
    "DequantizeLinear": dequantize,
    "MatMulInteger": matmul_integer,
    "QLinearMatMul": qlinear_matmul,
    "ConvInteger": conv_integer,
    "QLinearConv": qlinear_conv,
}
UNSUPPORTED = {
    **{
        f"test_{op}_{kind}": "element type"
        for op in ("quantizelinear", "dequantizelinear")
        for kind in ("uint16", "uint4", "int4", "uint2", "int2", "float4e2m1")
    },
}
CASES = [case for op_type in ADAPTERS for case in cases(op_type.lower(), op_type)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, UNSUPPORTED)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
    assert set(UNSUPPORTED) <= {case.name for case in CASES}
