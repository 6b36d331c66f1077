"""Trigonometric functions that the dialect has no op for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_passes.frontend.onnx.node import Rule
from rlx_passes.frontend.onnx.rules.precision import rounded_once


def leg(g: Graph, x: Tensor) -> Tensor:
    """`sqrt(1 - x^2)`, exact at both ends."""
    return g.sqrt((1.0 - x) * (1.0 + x))


def asin(g: Graph, x: Tensor) -> Tensor:
    return g.binary(BinaryKind.ATAN2, x, leg(g, x))


def acos(g: Graph, x: Tensor) -> Tensor:
    return g.binary(BinaryKind.ATAN2, leg(g, x), x)


def halves(g: Graph, x: Tensor) -> tuple[Tensor, Tensor]:
    """`e^|x| / 2` and `e^-|x| / 2`, finite as long as a sum of them is, which `e^|x|` is not."""
    root = g.exp(g.activation(Activation.ABS, x) * 0.5)
    return root * 0.5 * root, 0.5 / root / root


def sinh(g: Graph, x: Tensor) -> Tensor:
    """Of small numbers by `e^|x| - 1`, since the halves cancel."""
    above, below = halves(g, x)
    less = g.expm1(g.activation(Activation.ABS, x))
    near = (less + less / (less + 1.0)) * 0.5
    return g.activation(Activation.SIGN, x) * g.where(g.compare(CompareKind.GT, above, 8.0), above - below, near)


def cosh(g: Graph, x: Tensor) -> Tensor:
    above, below = halves(g, x)
    return above + below


def asinh(g: Graph, x: Tensor) -> Tensor:
    """`log(2 |x|)` is it to the last digit before `x^2` leaves the type."""
    size = g.activation(Activation.ABS, x)
    near = g.log1p(size + size * size / (g.sqrt(size * size + 1.0) + 1.0))
    far = g.activation(Activation.LOG, size) + math.log(2)
    limit = {"f32": 2.0**11.5, "f64": 2.0**26}[x.dtype]
    return g.activation(Activation.SIGN, x) * g.where(g.compare(CompareKind.GT, size, limit), far, near)


def acosh(g: Graph, x: Tensor) -> Tensor:
    above = x - 1.0
    return g.log1p(above + g.sqrt(above) * g.sqrt(above + 2.0))


def atanh(g: Graph, x: Tensor) -> Tensor:
    return (g.log1p(x) - g.log1p(-x)) * 0.5


FUNCTIONS: Mapping[str, Callable[[Graph, Tensor], Tensor]] = {
    "Acos": acos,
    "Acosh": acosh,
    "Asin": asin,
    "Asinh": asinh,
    "Atanh": atanh,
    "Cosh": cosh,
    "Sinh": sinh,
}


def _rule(function: Callable[[Graph, Tensor], Tensor]) -> Rule:
    return rounded_once(lambda g, node, x: function(g, x))


RULES: Mapping[str, Rule] = {name: _rule(function) for name, function in FUNCTIONS.items()}
