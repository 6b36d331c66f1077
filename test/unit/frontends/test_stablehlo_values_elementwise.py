"""Elementwise functions that JAX lowers to StableHLO and CHLO mean in RLX what they mean in JAX."""

# What JAX traces has no type that is known here.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from stablehlo_values import Array, check, integers, normal, stays
from tools import need_module, sampled

X, POSITIVE = normal(3, 5), np.abs(normal(3, 5)) + np.float32(0.1)
INSIDE = np.tanh(normal(3, 5)) * np.float32(0.99)
WHOLE, BYTES, WORDS = (
    integers(-9, 9, 3, 5),
    integers(0, 255, 3, 5, dtype="uint8"),
    integers(0, 99, 3, 5, dtype="uint32"),
)
ODD = np.array([-0.0, 0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 0.49999997, -0.3], np.float32)
"""Zeros, halves, numbers that round up only by mistake, and what is no number."""


def functions() -> dict[str, Callable[..., Any]]:
    need_module("jax")
    jax: Any = importlib.import_module("jax")
    return {**vars(jax.numpy), **vars(jax.lax), **vars(jax.nn)}


ANYWHERE = [
    "sin",
    "cos",
    "tan",
    "tanh",
    "exp",
    "expm1",
    "arctan",
    "arcsinh",
    "sinh",
    "cosh",
    "cbrt",
    "erf",
    "erfc",
    "logistic",
    "square",
    "sign",
    "floor",
    "ceil",
    "round",
    "rint",
    "isfinite",
    "isinf",
    "isnan",
    "isposinf",
    "isneginf",
    "abs",
    "negative",
    "sigmoid",
    "silu",
    "softplus",
    "gelu",
]


@sampled(4)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("name", ANYWHERE)
def test_functions_of_any_number(name: str, dtype: str):
    call = functions()[name]
    check(call, (X * 3).astype(normal(1, dtype=dtype).dtype))


@pytest.mark.parametrize(
    "name",
    ["floor", "ceil", "round", "rint", "sign", "abs", "negative", "isfinite", "isinf", "arcsinh", "sinh", "cbrt"],
)
def test_zeros_halves_and_infinities(name: str):
    check(functions()[name], ODD)


@pytest.mark.parametrize("name", ["floor", "ceil", "round", "rint", "sign", "abs", "negative"])
def test_signs_of_zeros(name: str):
    check(functions()[name], ODD, exact=True)


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        *((name, POSITIVE) for name in ("log", "log1p", "sqrt", "rsqrt")),
        *((name, INSIDE) for name in ("arcsin", "arccos", "arctanh", "erf_inv")),
        ("arccosh", POSITIVE + 1),
        ("arccosh", np.array([0.5, 1, 1e12, np.inf, -3, -1e10], np.float32)),
        ("arcsinh", np.array([1e12, -1e12, 1e-20], np.float32)),
        ("sinh", np.array([1e-20, 88.5, -88.5, 90, 19.9, 20.1], np.float32)),
        ("cosh", np.array([0, 88.5, -88.5, 90], np.float32)),
        ("cbrt", np.array([1e30, -1e-30, 27, 0.001], np.float32)),
        ("erf_inv", np.array([1, -1, 0.999999, 0, 1.5], np.float32)),
        *((name, POSITIVE * 4) for name in ("lgamma", "digamma")),
        ("lgamma", np.array([0, -0.0, 1, 2, -1, -2.5, 1e-30, 3e4, np.inf, np.nan], np.float32)),
        ("digamma", np.array([0, -0.0, 1, -1, -2.5, 1e-30, 3e4, np.inf, np.nan], np.float32)),
        *((name, (POSITIVE * 4).astype(np.float16)) for name in ("lgamma", "digamma", "erf_inv")),
        ("sin", np.float32(2)),
        ("exp", np.zeros((0, 3), np.float32)),
    ],
)
def test_functions_where_they_are_defined(name: str, argument: Array):
    check(functions()[name], argument, rtol=4e-6)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint32"])
@pytest.mark.parametrize("name", ["population_count", "clz", "bitwise_not"])
def test_bits(name: str, dtype: str):
    values = np.array([0, 1, 2, 3, 7, 64, 100, 127, -1, -2, -128]).astype(dtype)
    check(functions()[name], values)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint32"])
def test_shifts(dtype: str):
    jax = functions()
    values, by = np.array([1, 2, 100, 127, -1, -2, -128]).astype(dtype), np.array([0, 1, 2, 3, 4, 7, 6]).astype(dtype)
    check(lambda a, s: (a << s, jax["shift_right_logical"](a, s), jax["shift_right_arithmetic"](a, s)), values, by)
    check(lambda a: (a << 3, jax["shift_right_logical"](a, jax["full_like"](a, 2))), values)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int8"])
def test_integers(dtype: str):
    jax = functions()
    values = integers(0, 100, 12, dtype=dtype)
    other = integers(1, 9, 12, dtype=dtype)
    check(lambda a, b: (a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, a**2), values, other)
    check(lambda a, b: (jax["div"](a, b), jax["rem"](a, b), jax["maximum"](a, b), jax["sign"](a), -a), values, other)


def test_integers_are_divided_towards_zero():
    jax = functions()
    values, by = np.array([7, -7, 7, -7, 8], np.int32), np.array([2, 2, -2, -2, 3], np.int32)
    check(lambda a, b: (jax["div"](a, b), jax["rem"](a, b), a // b, a % b), values, by)


def test_two_operands():
    jax = functions()
    for name in ("add", "sub", "mul", "div", "rem", "pow", "atan2", "max", "min"):
        check(jax[name], POSITIVE, X)
    check(lambda a, b: (jax["atan2"](a, b), jax["maximum"](a, b)), ODD, ODD[::-1].copy())


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(name: str):
    check(functions()[name], ODD, ODD[::-1].copy())
    check(functions()[name], WHOLE, WHOLE[::-1].copy())


def test_total_order_of_what_is_made_alike():
    """JAX compares keys of searches after it has made zeros and NaNs alike."""
    jax = functions()
    table, queries = np.sort(ODD), ODD[::-1].copy()
    for side in ("left", "right"):
        check(lambda a, b, side=side: jax["searchsorted"](a, b, side=side), table, queries)


def test_choices():
    jax = functions()
    truth = X > 0
    check(lambda p, a, b: (jax["select_n"](p, a, b), jax["where"](p, a, 1.5)), truth, X, X * 2)
    check(lambda low, a, high: jax["clamp"](low, a, high), X - np.float32(0.1), X[::-1].copy(), X + np.float32(0.05))
    check(lambda a: (jax["clip"](a, -0.5, 0.5), jax["clamp"](0.5, a, -0.5)), ODD)
    check(lambda p, q: (p & q, p | q, p ^ q, ~p, jax["maximum"](p, q)), truth, X > 1)


@pytest.mark.parametrize("to", ["float32", "bfloat16", "float16", "int32", "int8", "uint8", "bool", "complex64"])
def test_conversions(to: str):
    for values in (X, WHOLE, X > 0, POSITIVE.astype(np.float16)):
        check(lambda a: a.astype(to), np.abs(values) if to == "uint8" and values.dtype != bool else values)


def test_precision():
    jax = functions()
    check(lambda a: (jax["reduce_precision"](a, 8, 7), jax["reduce_precision"](a, 8, 23)), ODD)
    stays(
        lambda a: jax["reduce_precision"](a, 5, 10), X, reasons={"stablehlo.reduce_precision": "no cast of f32 gives"}
    )


def test_bits_of_other_types():
    jax = functions()
    check(lambda a: jax["bitcast_convert_type"](a, np.uint32), WHOLE)
    stays(
        lambda a: jax["bitcast_convert_type"](a, np.int32),
        X,
        reasons={"stablehlo.bitcast_convert": "reads the bits of f32 as i32"},
    )


@pytest.mark.parametrize("name", ["bessel_i1e"])
def test_functions_without_a_kind(name: str):
    stays(functions()[name], POSITIVE, reasons={f"chlo.{name}": "is a function that RLX has no kind for"})


def test_the_next_number():
    jax = functions()
    check(
        lambda: (jax["nextafter"](np.float32(1), np.float32(2)), jax["nextafter"](np.float32(-1), np.float32(-9))),
        exact=True,
    )
    stays(
        jax["nextafter"], X, POSITIVE, reasons={"chlo.next_after": "steps to the next number of one that is not known"}
    )


def test_complex_numbers():
    jax = functions()
    z = (X + 1j * X[::-1]).astype(np.complex64)
    check(lambda a: (a + a, a * a - 1, a / (a + 2), -a, jax["exp"](a), a == a, a * (1 + 2j)), z, rtol=1e-5)
    check(lambda a: (jax["real"](a), jax["imag"](a), jax["conj"](a), jax["complex"](a.real, a.imag)), z)
    check(lambda a: (jax["abs"](a), jax["angle"](a), jax["sum"](a, axis=0), jax["where"](a.real > 0, a, 0)), z)
    check(lambda a: (jax["abs"](a) ** 2, jax["square"](jax["abs"](a))), z, gives=("complex_norm_sq",))
    stays(jax["log"], z, reasons={"stablehlo.log": "log needs real numbers"})


def test_magnitudes_do_not_overflow():
    jax = functions()
    z = np.array(
        [3e25 + 4e25j, 3e-25 + 4e-25j, 0, complex(np.inf, -np.inf), complex(np.nan, 1), complex(1, -np.inf)],
        np.complex64,
    )
    check(jax["abs"], z)
