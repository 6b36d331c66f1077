"""Functions of one element."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_passes.errors import Refusal
from rlx_passes.frontend.torch.call import FLOATS, Call
from rlx_passes.frontend.torch.registry import rule

ACTIVATIONS = {
    **{
        kind.value: kind for kind in (Activation.EXP, Activation.LOG, Activation.SQRT, Activation.RSQRT, Activation.SIN)
    },
    **{kind.value: kind for kind in (Activation.COS, Activation.TAN, Activation.ATAN, Activation.ERF, Activation.SILU)},
    **{kind.value: kind for kind in (Activation.SIGMOID, Activation.TANH, Activation.MISH)},
    "reciprocal": Activation.RECIP,
    "hardswish": Activation.HARD_SWISH,
    "hardsigmoid": Activation.HARD_SIGMOID,
}
"""Functions of floats; integers become floats first."""

STEPS = {
    "floor": Activation.FLOOR,
    "ceil": Activation.CEIL,
    "round": Activation.ROUND,
}
"""Functions that leave integers as they are."""

ANY = {"neg": Activation.NEG, "abs": Activation.ABS, "sign": Activation.SIGN, "relu": Activation.RELU}
"""Functions of floats and integers."""


def activation(kind: Activation, c: Call) -> Tensor:
    return c.g.activation(kind, c.cast(c.tensor("self"), c.dtype))


def step(kind: Activation, c: Call) -> Tensor:
    x = c.tensor("self")
    return c.g.activation(kind, x) if x.dtype in FLOATS else x


def any_number(kind: Activation, c: Call) -> Tensor:
    x = c.tensor("self")
    if x.dtype == "c64" and kind is Activation.ABS:
        return c.g.sqrt(c.g.complex_norm_sq(x))
    return x if x.dtype == "i1" else c.g.activation(kind, x)


for _name, _kind in ACTIVATIONS.items():
    rule(f"{_name}.default")(partial(activation, _kind))
for _name, _kind in STEPS.items():
    rule(f"{_name}.default")(partial(step, _kind))
for _name, _kind in ANY.items():
    rule(f"{_name}.default")(partial(any_number, _kind))


def composed(function: Callable[[Graph, Tensor], Tensor], c: Call) -> Tensor:
    return function(c.g, c.cast(c.tensor("self"), c.dtype))


def _asinh(g: Graph, x: Tensor) -> Tensor:
    """`sign(x) log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))`, which keeps the digits of small numbers."""
    size = g.activation(Activation.ABS, x)
    square = x * x
    return g.activation(Activation.SIGN, x) * g.log1p(size + square / (g.sqrt(square + 1) + 1))


def _trunc(g: Graph, x: Tensor) -> Tensor:
    floor, ceil = g.activation(Activation.FLOOR, x), g.activation(Activation.CEIL, x)
    return g.where(g.compare(CompareKind.LT, x, 0), ceil, floor) if x.dtype in FLOATS else x


COMPOSED: dict[str, Callable[[Graph, Tensor], Tensor]] = {
    "expm1": lambda g, x: g.expm1(x),
    "log1p": lambda g, x: g.log1p(x),
    "erfc": lambda g, x: g.erfc(x),
    "exp2": lambda g, x: g.exp(x * math.log(2)),
    "log2": lambda g, x: g.activation(Activation.LOG, x) * (1 / math.log(2)),
    "log10": lambda g, x: g.activation(Activation.LOG, x) * (1 / math.log(10)),
    "sinh": lambda g, x: (g.expm1(x) - g.expm1(-x)) * 0.5,
    "cosh": lambda g, x: (g.exp(x) + g.exp(-x)) * 0.5,
    "acosh": lambda g, x: g.activation(Activation.LOG, x + g.sqrt(x - 1) * g.sqrt(x + 1)),
    "asinh": _asinh,
    "atanh": lambda g, x: (g.log1p(x) - g.log1p(-x)) * 0.5,
    "asin": lambda g, x: g.binary(BinaryKind.ATAN2, x, g.sqrt((1 - x) * (x + 1))),
    "acos": lambda g, x: g.binary(BinaryKind.ATAN2, g.sqrt((1 - x) * (x + 1)), x),
    "trunc": _trunc,
}
for _name, _function in COMPOSED.items():
    rule(f"{_name}.default")(partial(composed, _function))


@rule("gelu.default")
def gelu(c: Call) -> Tensor:
    approximate = c.word("approximate") == "tanh"
    return c.g.activation(Activation.GELU_APPROX if approximate else Activation.GELU, c.tensor("self"))


@rule("log_sigmoid.default")
def log_sigmoid(c: Call) -> Tensor:
    return c.g.activation(Activation.LOG_SIGMOID, c.tensor("self"))


@rule("softplus.default")
def softplus(c: Call) -> Tensor:
    """`log(1 + e^(beta x)) / beta`, x itself above the threshold."""
    x, beta, threshold = c.tensor("self"), c.real("beta"), c.real("threshold")
    scaled = x if beta == 1 else x * beta
    soft = c.g.activation(Activation.SOFTPLUS, scaled)
    soft = soft if beta == 1 else soft * (1 / beta)
    return c.g.where(c.g.compare(CompareKind.GT, scaled, threshold), x, soft)


@rule("elu.default")
def elu(c: Call) -> Tensor:
    """`scale x` above 0, `scale alpha (e^(input_scale x) - 1)` below."""
    x, alpha, scale, input_scale = c.tensor("self"), c.real("alpha"), c.real("scale"), c.real("input_scale")
    if alpha == scale == input_scale == 1:
        return c.g.activation(Activation.ELU, x)
    below = c.g.expm1(x if input_scale == 1 else x * input_scale) * (alpha * scale)
    return c.g.where(c.g.compare(CompareKind.GT, x, 0), x if scale == 1 else x * scale, below)


@rule("leaky_relu.default")
def leaky_relu(c: Call) -> Tensor:
    x = c.tensor("self")
    return c.g.where(c.g.compare(CompareKind.GT, x, 0), x, x * c.real("negative_slope"))


@rule("hardtanh.default")
def hardtanh(c: Call) -> Tensor:
    x = c.tensor("self")
    low, high = (c.number(c.args[name], x.dtype) for name in ("min_val", "max_val"))
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        raise Refusal("bounds known at run time only")
    return c.g.clamp(x, low, high)


@rule("isnan.default")
def isnan(c: Call) -> Tensor:
    x = c.tensor("self")
    return c.g.compare(CompareKind.NE, x, x)


@rule("isinf.default")
def isinf(c: Call) -> Tensor:
    x = c.tensor("self")
    if x.dtype not in FLOATS:
        return c.g.compare(CompareKind.NE, x, x)
    return c.g.compare(CompareKind.EQ, c.g.activation(Activation.ABS, x), math.inf)


@rule("isfinite.default")
def isfinite(c: Call) -> Tensor:
    x = c.tensor("self")
    return c.g.is_finite(x) if x.dtype in FLOATS else c.g.compare(CompareKind.EQ, x, x)


@rule("logical_not.default")
def logical_not(c: Call) -> Tensor:
    return c.g.logical_not(c.cast(c.tensor("self"), "i1"))


@rule("bitwise_not.default")
def bitwise_not(c: Call) -> Tensor:
    x = c.tensor("self")
    if x.dtype == "i1":
        return c.g.logical_not(x)
    return c.g.binary(BinaryKind.BIT_XOR, x, {"ui8": 2**8 - 1, "ui32": 2**32 - 1}.get(x.dtype, -1))


@rule("_to_copy.default")
def to_copy(c: Call) -> Tensor:
    return c.cast(c.tensor("self"), c.dtype)


@rule("clone.default", "alias.default", "detach.default")
def same(c: Call) -> Tensor:
    return c.tensor("self")
