"""The protocol: operators, what a machine has natively, and sums and products of twice the digits."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from accuracy import Array, samples, ulp_error
from numpy_machine import NumPyMachine

from rlx_dialect.formulas import DERIVATIVES, F32, F64, FUNCTIONS, FloatFormat, Num, Primitive, Sort, apply
from rlx_dialect.formulas.precise import product_exact, scale, sum_exact


class WithNative(NumPyMachine):
    """A machine with functions of its own."""

    def __init__(self, **native: Callable[..., Array]):
        super().__init__(F64, fused=False)
        self.functions = native

    def native(self, function: str) -> Callable[..., Array] | None:
        return self.functions.get(function)


X = np.array([-1.5, 0.0, 0.25, 3.0])


def test_a_native_function_is_used_inside_of_others():
    calls: list[str] = []

    def exp(x: Array) -> Array:
        calls.append("exp")
        return np.exp(x)

    np.testing.assert_allclose(apply("sigmoid", WithNative(exp=exp), X), 1 / (1 + np.exp(-X)))
    assert calls == ["exp"]


def test_a_native_function_has_no_parameters():
    np.testing.assert_array_equal(apply("leaky_relu", WithNative(), X, slope=0.5), [-0.75, 0, 0.25, 3])
    machine = WithNative(leaky_relu=np.negative)
    np.testing.assert_array_equal(apply("leaky_relu", machine, X), -X)
    np.testing.assert_array_equal(apply("leaky_relu", machine, X, slope=0.5), [-0.75, 0, 0.25, 3])
    np.testing.assert_allclose(apply("celu", WithNative(), X, alpha=2.0), np.where(X > 0, X, 2 * np.expm1(X / 2)))


class WithoutBits(WithNative):
    """A machine of floats alone, with the functions that formulas on it need."""

    has_bits = False

    def emit(self, primitive: Primitive, *operands: Array) -> Array:
        assert "integer" not in primitive
        assert "bits" not in primitive
        return super().emit(primitive, *operands)


COMPOSED = (
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
    "asin",
    "acos",
    "exp2",
    "log2",
    "log10",
    "cbrt",
    "trunc",
    "round_away",
)


@pytest.mark.parametrize("name", [*COMPOSED, "erf_inv", "lgamma", "digamma", "leaky_relu", "celu", "selu"])
def test_composed_functions_need_no_bits(name: str):
    native = {"exp": np.exp, "log": np.log, "expm1": np.expm1, "log1p": np.log1p, "sin": np.sin, "tan": np.tan}
    machine = WithoutBits(**native, atan2=np.arctan2, pow=np.power)
    (x,) = samples(name, "f64")
    with np.errstate(all="ignore"):
        got = apply(name, machine, x)
    assert ulp_error(name, "f64", (x,), got) <= 8


def test_names_are_those_that_callers_use():
    assert {"abs", "round", "pow"} <= set(FUNCTIONS)
    assert set(DERIVATIVES) <= set(FUNCTIONS)
    with pytest.raises(KeyError):
        apply("no_such_function", WithNative(), X)


def test_operators_of_each_sort():
    x = Num(NumPyMachine(F32, fused=False), np.array([3.0, -4.0], np.float32))
    assert (2 - x).handle.tolist() == [-1, 6]
    assert (1 / x).handle.dtype == np.float32
    assert (x > 0).handle.tolist() == [True, False]
    assert (~(x >= 3) | x.equals(3)).handle.tolist() == [True, True]
    i = x(Primitive.TO_INTEGER)
    assert (-i + 1).handle.tolist() == [-2, 5]
    assert (~i >> 1).handle.tolist() == [-2, 1]
    assert i.unsigned_shift(31).handle.tolist() == [0, 1]
    assert ((i << 1) ^ i & 1).handle.tolist() == [7, -8]


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("form", [F32, F64], ids=["f32", "f64"])
def test_sums_and_products_of_twice_the_digits_are_exact(form: FloatFormat, fused: bool):
    machine, random = NumPyMachine(form, fused=fused), np.random.default_rng(0)
    a, b = (
        (random.uniform(-1, 1, 500) * np.exp2(random.integers(-20, 20, 500))).astype(f"f{form.bits // 8}")
        for _ in range(2)
    )
    operations = {product_exact: Fraction.__mul__, sum_exact: Fraction.__add__}
    for operation, exactly in operations.items():
        high, low = operation(Num(machine, a), Num(machine, b))
        for x, y, *parts in zip(a, b, high.handle, low.handle):
            assert sum(map(Fraction, map(float, parts))) == exactly(Fraction(float(x)), Fraction(float(y)))


def test_scaling_rounds_once():
    x = Num(NumPyMachine(F32, fused=False), np.array([1.5, 1.75, 1.0], np.float32))
    n = Num(x.machine, np.array([-149, -150, 127], np.int32), Sort.INTEGER)
    np.testing.assert_array_equal(scale(x, n).handle, np.array([2.0**-148, 2.0**-149, 2.0**127], np.float32))
