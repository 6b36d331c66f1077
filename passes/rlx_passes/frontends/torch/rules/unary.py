"""Functions of one element."""

from __future__ import annotations

import math
from functools import partial

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.builder import Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import FLOATS, Call
from rlx_passes.frontends.torch.registry import rule

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


FUNCTIONS = (
    *("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"),
    *("digamma", "erfc", "exp2", "expm1", "lgamma", "log10", "log1p", "log2"),
)
"""Functions of floats that have the same names in the formulas; integers become floats first."""


def function(name: str, c: Call) -> Tensor:
    return c.g.function(name, c.cast(c.tensor("self"), c.dtype))


for _name in FUNCTIONS:
    rule(f"{_name}.default")(partial(function, _name))
rule("erfinv.default")(partial(function, "erf_inv"))


@rule("polygamma.default")
def polygamma(c: Call) -> Tensor:
    if c.integer("n") != 0:
        raise Refusal(f"n = {c.integer('n')}: of the derivatives of digamma none has a formula")
    return function("digamma", c)


@rule("trunc.default")
def trunc(c: Call) -> Tensor:
    x = c.tensor("self")
    return c.g.function("trunc", x) if x.dtype in FLOATS else x


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
    plain = beta == 1
    soft = c.g.activation(Activation.SOFTPLUS, x) if plain else c.g.function("softplus", x, beta=beta)
    return c.g.where(c.g.compare(CompareKind.GT, x if plain else x * beta, threshold), x, soft)


@rule("elu.default")
def elu(c: Call) -> Tensor:
    """`scale x` above 0, `scale alpha (e^(input_scale x) - 1)` below."""
    given = {name: c.real(name) for name in ("alpha", "scale", "input_scale")}
    return c.g.function("elu", c.tensor("self"), **{name: value for name, value in given.items() if value != 1})


@rule("leaky_relu.default")
def leaky_relu(c: Call) -> Tensor:
    return c.g.function("leaky_relu", c.tensor("self"), slope=c.real("negative_slope"))


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
