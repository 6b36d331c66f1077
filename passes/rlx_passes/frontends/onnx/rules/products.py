"""Products of matrices."""

from __future__ import annotations

from collections.abc import Mapping

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import element_type, is_float
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result


def multiplied(node: Node, a: Tensor, b: Tensor) -> Tensor:
    """`a @ b`; a vector is a row on the left and a column on the right, and leaves no dim."""
    if not a.shape or not b.shape:
        raise Refusal("a product of matrices has no operand without dims")
    left = node.reshape(a, (1, *node.dims_of(a))) if len(a.shape) == 1 else a
    right = node.reshape(b, (*node.dims_of(b), 1)) if len(b.shape) == 1 else b
    product = left @ right
    if left is a and right is b:
        return product
    *outer, rows, columns = node.dims_of(product)
    return node.reshape(product, [*outer, *([rows] if left is a else []), *([columns] if right is b else [])])


def matmul(g: Graph, node: Node) -> Result:
    return multiplied(node, node.required(0), node.required(1))


def scaled(node: Node, x: Tensor, attribute: str) -> Tensor:
    """`x` times a number, 1 by default."""
    factor = node.attributes.get(attribute, 1.0)
    if factor == 1:
        return x
    if is_float(element_type(x.dtype)):
        return x * factor
    if factor != int(factor):
        raise Refusal(f"attribute {attribute} is {factor}, which {x.dtype} has not")
    return x * int(factor)


def gemm(g: Graph, node: Node) -> Result:
    a, b, c = node.required(0), node.required(1), node.optional(2)
    a, b = (g.transpose(x, (1, 0)) if node.attributes.get(name) else x for x, name in ((a, "transA"), (b, "transB")))
    product = scaled(node, a @ b, "alpha")
    return product if c is None else product + scaled(node, c, "beta")


RULES: Mapping[str, NodeRule] = {"MatMul": matmul, "Gemm": gemm}
