"""Functions of several values, which broadcast, and conversions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES, element_type, is_float, is_unsigned, numpy_dtype
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import element_type as dtype_of_number
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.broadcasting import broadcasting
from rlx_passes.frontends.onnx.rules.precision import as_type

BINARIES: Mapping[str, BinaryKind] = {
    "Add": BinaryKind.ADD,
    "And": BinaryKind.BIT_AND,
    "BitwiseAnd": BinaryKind.BIT_AND,
    "BitwiseOr": BinaryKind.BIT_OR,
    "BitwiseXor": BinaryKind.BIT_XOR,
    "Div": BinaryKind.DIV,
    "Mul": BinaryKind.MUL,
    "Or": BinaryKind.BIT_OR,
    "Sub": BinaryKind.SUB,
    "Xor": BinaryKind.BIT_XOR,
}
VARIADIC: Mapping[str, BinaryKind] = {"Max": BinaryKind.MAX, "Min": BinaryKind.MIN, "Sum": BinaryKind.ADD}
COMPARISONS: Mapping[str, CompareKind] = {
    "Equal": CompareKind.EQ,
    "Less": CompareKind.LT,
    "LessOrEqual": CompareKind.LE,
    "Greater": CompareKind.GT,
    "GreaterOrEqual": CompareKind.GE,
}


def binary(kind: BinaryKind) -> NodeRule:
    def rule(g: Graph, node: Node) -> Result:
        return g.binary(kind, node.required(0), node.required(1))

    return rule


def folded(g: Graph, node: Node, kind: BinaryKind) -> Tensor:
    """Of any number of inputs."""
    others = [node.required(at) for at in range(1, len(node.inputs))]
    return reduce(lambda a, b: g.binary(kind, a, b), others, node.required(0))


def variadic(kind: BinaryKind) -> NodeRule:
    return lambda g, node: folded(g, node, kind)


def compared(kind: CompareKind) -> NodeRule:
    def rule(g: Graph, node: Node) -> Result:
        return g.compare(kind, node.required(0), node.required(1))

    return rule


def mean(g: Graph, node: Node) -> Result:
    return folded(g, node, BinaryKind.ADD) / len(node.inputs)


def modulo(g: Graph, node: Node) -> Result:
    """Without `fmod` the result has the sign of the divisor; the op of the dialect is C's."""
    a, b = node.required(0), node.required(1)
    rest = g.binary(BinaryKind.MOD, a, b)
    if node.attributes.get("fmod") or is_unsigned(element_type(a.dtype)):
        return rest
    crosses = g.compare(CompareKind.NE, g.compare(CompareKind.LT, rest, 0), g.compare(CompareKind.LT, b, 0))
    crosses = g.binary(BinaryKind.BIT_AND, crosses, g.compare(CompareKind.NE, rest, 0))
    return g.where(crosses, rest + b, rest)


def power(g: Graph, node: Node) -> Result:
    """The result has the type of the base, computed in the wider type, f64 for a float power of an integer."""
    a, b = node.required(0), node.required(1)
    if a.dtype == b.dtype:
        return g.binary(BinaryKind.POW, a, b)
    base, exponent = (element_type(each.dtype) for each in (a, b))
    if is_float(base) == is_float(exponent):
        wider = max(a.dtype, b.dtype, key=lambda name: DTYPES[name].size)
    else:
        wider = a.dtype if is_float(base) else "f64"
    return as_type(g, g.binary(BinaryKind.POW, as_type(g, a, wider), as_type(g, b, wider)), a.dtype)


def shift(g: Graph, node: Node) -> Result:
    kinds = {"LEFT": BinaryKind.SHL, "RIGHT": BinaryKind.SHR}
    direction = node.attributes["direction"]
    if direction not in kinds:
        raise Refusal(f"attribute direction is LEFT or RIGHT, got {direction!r}")
    return g.binary(kinds[direction], node.required(0), node.required(1))


def where(g: Graph, node: Node) -> Result:
    return g.where(node.required(0), node.required(1), node.required(2))


GREATEST: Mapping[str, float] = {"f8e4m3fn": 448.0, "f8e5m2": 57344.0}


def converted(g: Graph, node: Node, dtype: str) -> Tensor:
    """To a float of 8 bits greater numbers become the greatest, unless `saturate` is 0."""
    x = node.required(0)
    if dtype in GREATEST and x.dtype != dtype and node.attributes.get("saturate", 1):
        x = x if is_float(element_type(x.dtype)) else g.cast(x, "f32")
        x = g.clamp(x, -GREATEST[dtype], GREATEST[dtype])
    return as_type(g, x, dtype)


def cast(g: Graph, node: Node) -> Result:
    """`round_mode` is about an element type that the dialect has not."""
    return converted(g, node, dtype_of_number(node.attributes["to"]))


def cast_like(g: Graph, node: Node) -> Result:
    """Of a number that is known the result is known too, whatever the other input holds."""
    value, dtype = node.value(0), node.dtype(1)
    known = value.known if value is not None and value.folds else None
    if known is None or known.dtype == object or dtype in GREATEST:
        return converted(g, node, dtype)
    return known.astype(numpy_dtype(element_type(dtype)))


RULES: Mapping[str, NodeRule] = {
    **{name: broadcasting(binary(kind)) for name, kind in BINARIES.items()},
    **{name: broadcasting(variadic(kind)) for name, kind in VARIADIC.items()},
    **{name: broadcasting(compared(kind)) for name, kind in COMPARISONS.items()},
    "BitShift": broadcasting(shift),
    "Cast": cast,
    "CastLike": cast_like,
    "Mean": broadcasting(mean),
    "Mod": broadcasting(modulo),
    "Pow": broadcasting(power),
    "Where": broadcasting(where),
}
