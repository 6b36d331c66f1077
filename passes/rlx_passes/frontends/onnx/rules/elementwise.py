"""Functions of one value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import element_type, integer_limits
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.precision import floats
from rlx_passes.frontends.onnx.values import Value

ACTIVATIONS: Mapping[str, Activation] = {
    "Abs": Activation.ABS,
    "Atan": Activation.ATAN,
    "Ceil": Activation.CEIL,
    "Cos": Activation.COS,
    "Erf": Activation.ERF,
    "Exp": Activation.EXP,
    "Floor": Activation.FLOOR,
    "HardSwish": Activation.HARD_SWISH,
    "Log": Activation.LOG,
    "Mish": Activation.MISH,
    "Neg": Activation.NEG,
    "Reciprocal": Activation.RECIP,
    "Relu": Activation.RELU,
    "Round": Activation.ROUND,
    "Sigmoid": Activation.SIGMOID,
    "Sign": Activation.SIGN,
    "Sin": Activation.SIN,
    "Softplus": Activation.SOFTPLUS,
    "Softsign": Activation.SOFTSIGN,
    "Sqrt": Activation.SQRT,
    "Tan": Activation.TAN,
    "Tanh": Activation.TANH,
}


FUNCTIONS: Mapping[str, str] = {
    **{name: name.lower() for name in ("Acos", "Acosh", "Asin", "Asinh", "Atanh", "Cosh", "Sinh")},
    "LeakyRelu": "leaky_relu",
    "Selu": "selu",
}
"""Functions of floats that the dialect has no op for, by their names in the formulas."""
PARAMETERS = {"leaky_relu": {"alpha": "slope"}, "selu": {"alpha": "alpha", "gamma": "scale"}}
"""What the formula calls an attribute. Without one the default is the same."""


def unary(kind: Activation) -> NodeRule:
    def rule(g: Graph, node: Node) -> Result:
        return g.activation(kind, node.required(0))

    return rule


def function(name: str) -> NodeRule:
    def rule(g: Graph, node: Node) -> Result:
        known = PARAMETERS.get(name, {})
        given = {ours: node.attributes[theirs] for theirs, ours in known.items() if theirs in node.attributes}
        return g.function(name, floats(node), **given)

    return rule


# Functions with parameters.


def gelu(g: Graph, node: Node) -> Result:
    approximate = node.attributes.get("approximate", "none")
    if approximate not in ("none", "tanh"):
        raise Refusal(f"attribute approximate is none or tanh, got '{approximate}'")
    return g.activation(Activation.GELU_APPROX if approximate == "tanh" else Activation.GELU, node.required(0))


SLOPES = {1.0: Activation.SILU, float(np.float32(1.702)): Activation.QUICK_GELU}
"""Slopes, as the numbers of single precision that attributes are, for which `swish_of` is an activation."""


def swish_of(g: Graph, x: Tensor, alpha: float) -> Tensor:
    """`x * sigmoid(alpha * x)`"""
    kind = SLOPES.get(float(np.float32(alpha)))
    return g.activation(kind, x) if kind else x * g.activation(Activation.SIGMOID, x * alpha)


def swish(g: Graph, node: Node) -> Result:
    return swish_of(g, floats(node), node.attributes.get("alpha", 1.0))


def swiglu(g: Graph, node: Node) -> Result:
    return swish_of(g, floats(node), node.attributes.get("alpha", 1.0)) * node.required(1)


def elu(g: Graph, node: Node) -> Result:
    alpha = node.attributes.get("alpha", 1.0)
    return g.function("elu", floats(node), **({} if alpha == 1 else {"alpha": alpha}))


def celu(g: Graph, node: Node) -> Result:
    x, alpha = floats(node), node.attributes.get("alpha", 1.0)
    if alpha == 0:
        raise Refusal("attribute alpha is 0, by which x would be divided")
    return g.function("elu", x) if alpha == 1 else g.function("celu", x, alpha=alpha)


def prelu(g: Graph, node: Node) -> Result:
    x, slope = node.required(0), node.required(1)
    return g.where(g.compare(CompareKind.LT, x, 0), x * slope, x)


def thresholded_relu(g: Graph, node: Node) -> Result:
    x = floats(node)
    return g.where(g.compare(CompareKind.GT, x, node.attributes.get("alpha", 1.0)), x, 0.0)


def hard_sigmoid(g: Graph, node: Node) -> Result:
    """
    The op of the dialect has the slope 1/6 and goes through 1/2. For others the formula has no parameters: it
    would be two comparisons and choices where `rlx.clamp` is one op, and no nearer, since `alpha` is rounded.
    """
    x, alpha, beta = floats(node), node.attributes.get("alpha", 0.2), node.attributes.get("beta", 0.5)
    if beta == 0.5 and math.isclose(alpha, 1 / 6, rel_tol=1e-7):
        return g.activation(Activation.HARD_SIGMOID, x)
    return g.clamp(x * alpha + beta, 0.0, 1.0)


def shrink(g: Graph, node: Node) -> Result:
    x, width, bias = floats(node), node.attributes.get("lambd", 0.5), node.attributes.get("bias", 0.0)
    above, below = g.compare(CompareKind.GT, x, width), g.compare(CompareKind.LT, x, -width)
    return g.where(below, x + bias, g.where(above, x - bias, 0.0))


def clip(g: Graph, node: Node) -> Result:
    """Bounds were attributes before op set 11. Where they cross, the upper one counts."""
    if node.opset < 11:
        return g.clamp(node.required(0), node.attributes.get("min"), node.attributes.get("max"))
    bounds = [node.value(at) for at in (1, 2)]
    if all(each is None or each.folds for each in bounds):
        return g.clamp(node.required(0), *(None if each is None else _number(each) for each in bounds))
    x, low, high = node.required(0), node.optional(1), node.optional(2)
    x = x if low is None else g.maximum(x, low)
    return x if high is None else g.minimum(x, high)


def _number(value: Value) -> Any:
    """The number that a known value of one element holds."""
    known = value.known
    if known is None or known.size != 1 or known.dtype == object:
        raise Refusal(f"'{value.name}' must be one number")
    return known.item()


# Questions, and what changes nothing.


def bitwise_not(g: Graph, node: Node) -> Result:
    x = node.required(0)
    low, high = integer_limits(element_type(x.dtype))
    return g.binary(BinaryKind.BIT_XOR, x, high if low == 0 else -1)


def is_nan(g: Graph, node: Node) -> Result:
    return g.compare(CompareKind.NE, node.required(0), node.required(0))


def is_inf(g: Graph, node: Node) -> Result:
    x, infinity = floats(node), float("inf")
    match bool(node.attributes.get("detect_negative", 1)), bool(node.attributes.get("detect_positive", 1)):
        case True, True:
            return g.compare(CompareKind.EQ, g.activation(Activation.ABS, x), infinity)
        case False, True:
            return g.compare(CompareKind.EQ, x, infinity)
        case True, False:
            return g.compare(CompareKind.EQ, x, -infinity)
        case _:
            return g.filled(node.shape(node.dims(0)), 0, "i1")


def identity(g: Graph, node: Node) -> Result:
    value = node.value(0)
    if value is None:
        raise Refusal("input 0 is left out")
    return value


def dropout(g: Graph, node: Node) -> Result | tuple[Result, Result]:
    """In inference the input itself; the mask holds only ones, which op sets before 12 do not say."""
    training = node.constant(2)
    if training is not None and training.any():
        ratio = node.constant(1)
        if ratio is None or ratio.any():
            raise Refusal("training_mode: elements are dropped at random")
    x = identity(g, node)
    if len(node.outputs) < 2 or not node.outputs[1]:
        return x
    if node.opset < 12:
        raise Refusal(f"output '{node.outputs[1]}', the mask of op sets before 12")
    return x, g.filled(node.shape(node.dims(0)), 1, "i1")


RULES: Mapping[str, NodeRule] = {
    **{name: unary(kind) for name, kind in ACTIVATIONS.items()},
    **{name: function(known) for name, known in FUNCTIONS.items()},
    "BitwiseNot": bitwise_not,
    "Celu": celu,
    "Clip": clip,
    "Dropout": dropout,
    "Elu": elu,
    "Gelu": gelu,
    "HardSigmoid": hard_sigmoid,
    "Identity": identity,
    "IsInf": is_inf,
    "IsNaN": is_nan,
    "Not": lambda g, node: g.logical_not(node.required(0)),
    "PRelu": prelu,
    "Shrink": shrink,
    "SwiGLU": swiglu,
    "Swish": swish,
    "ThresholdedRelu": thresholded_relu,
}
