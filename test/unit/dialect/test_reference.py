"""The reference against values worked out by hand or by NumPy's own functions, and its rules at the edges."""

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from programs import parse

from rlx_dialect.attributes import Activation
from rlx_dialect.reference import Array, run


def evaluate(signature: str, body: str, result: str, *inputs: Any) -> Array:
    """The value `%r` of `body` in a function of `signature`."""
    module = parse(f"func.func @f({signature}) -> {result} {{\n {body}\n func.return %r : {result}\n}}")
    (value,) = run(module, "f", [np.asarray(x) for x in inputs]).values()
    return value


def unary(kind: str, x: Array, element: str = "f32") -> Array:
    type = f"tensor<{x.size}x{element}>"
    return evaluate(f"%x: {type}", f"%r = rlx.activation {kind} %x : {type}", type, x)


def binary(kind: str, a: Array, b: Array, element: str) -> Array:
    type = f"tensor<{a.size}x{element}>"
    return evaluate(
        f"%a: {type}, %b: {type}", f"%r = rlx.binary {kind} %a, %b : ({type}, {type}) -> {type}", type, a, b
    )


X = np.array([-6.0, -1.5, -0.5, 0.0, 0.5, 2.5, 7.0], np.float32)

BY_HAND: dict[Activation, Callable[[float], float]] = {
    Activation.GELU: lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2)),
    Activation.GELU_APPROX: lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    Activation.SILU: lambda x: x / (1 + math.exp(-x)),
    Activation.RELU: lambda x: max(x, 0.0),
    Activation.SIGMOID: lambda x: 1 / (1 + math.exp(-x)),
    Activation.TANH: math.tanh,
    Activation.EXP: math.exp,
    Activation.LOG: lambda x: math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan),
    Activation.SQRT: lambda x: math.sqrt(x) if x >= 0 else math.nan,
    Activation.RSQRT: lambda x: 1 / math.sqrt(x) if x > 0 else (math.inf if x == 0 else math.nan),
    Activation.NEG: lambda x: -x,
    Activation.ABS: abs,
    Activation.SIN: math.sin,
    Activation.COS: math.cos,
    Activation.TAN: math.tan,
    Activation.ATAN: math.atan,
    Activation.RECIP: lambda x: 1 / x if x else math.inf,
    Activation.ROUND: round,
    Activation.FLOOR: math.floor,
    Activation.CEIL: math.ceil,
    Activation.SIGN: lambda x: (x > 0) - (x < 0),
    Activation.SOFTPLUS: lambda x: math.log(1 + math.exp(x)),
    Activation.ELU: lambda x: x if x > 0 else math.exp(x) - 1,
    Activation.ERF: math.erf,
    Activation.HARD_SWISH: lambda x: x * min(max(x + 3, 0), 6) / 6,
    Activation.HARD_SIGMOID: lambda x: min(max(x / 6 + 0.5, 0), 1),
    Activation.MISH: lambda x: x * math.tanh(math.log(1 + math.exp(x))),
    Activation.SOFTSIGN: lambda x: x / (1 + abs(x)),
    Activation.LOG_SIGMOID: lambda x: -math.log(1 + math.exp(-x)),
    Activation.QUICK_GELU: lambda x: x / (1 + math.exp(-1.702 * x)),
}


@pytest.mark.parametrize("kind", list(Activation))
def test_activation(kind: Activation):
    expected = np.array([BY_HAND[kind](float(x)) for x in X], np.float64)
    np.testing.assert_allclose(unary(kind.value, X), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", [kind for kind in Activation if kind not in (Activation.SIGN,)])
def test_activations_pass_nan_on(kind: Activation):
    assert np.isnan(unary(kind.value, np.array([np.nan], np.float32))[0])


def test_gelu_does_not_cancel_far_left():
    x = np.array([-5.0, -6.0, -7.0, -8.0], np.float32)
    expected = [0.5 * float(v) * math.erfc(-float(v) / math.sqrt(2)) for v in x]
    np.testing.assert_allclose(unary("gelu", x), np.array(expected), rtol=1e-6)


def test_saturated_activations_stay_finite():
    x = np.array([-1e4, 1e4], np.float32)
    for kind in ("sigmoid", "silu", "softplus", "mish", "log_sigmoid", "quick_gelu"):
        assert np.isfinite(unary(kind, x)).all(), kind


def test_round_is_half_to_even():
    assert unary("round", np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32)).tolist() == [0, 2, 2, 0, -2]


def test_integers_divide_towards_zero():
    a, b = np.array([7, -7, 7, -7], np.int32), np.array([2, 2, -2, -2], np.int32)
    assert binary("div", a, b, "i32").tolist() == [3, -3, -3, 3]
    assert binary("mod", a, b, "i32").tolist() == [1, -1, 1, -1]


def test_large_integers_keep_their_digits():
    a = np.array([2**62 + 1], np.int64)
    assert binary("add", a, np.array([1], np.int64), "i64").tolist() == [2**62 + 2]


def test_shifts():
    a, b = np.array([-8, 8, 1], np.int32), np.array([1, 1, 40], np.int32)
    assert binary("shr", a, b, "i32").tolist() == [-4, 4, 0]
    assert binary("shl", a, b, "i32").tolist() == [-16, 16, 0]


def test_max_and_min_pass_nan_on():
    a, b = np.array([np.nan, 1.0], np.float32), np.array([1.0, np.nan], np.float32)
    assert np.isnan(binary("max", a, b, "f32")).all()
    assert np.isnan(binary("min", a, b, "f32")).all()


def test_half_results_are_rounded_once():
    a = np.array([1.0], ml_dtypes.bfloat16)
    b = np.array([2.0**-9], ml_dtypes.bfloat16)
    assert float(binary("add", a, b, "bf16")[0]) == 1.0


def test_casts():
    def cast(x: Any, source: str, target: str) -> list[Any]:
        s, t = f"tensor<{len(x)}x{source}>", f"tensor<{len(x)}x{target}>"
        return evaluate(f"%x: {s}", f"%r = rlx.cast %x : {s} -> {t}", t, x).tolist()

    assert cast(np.array([1.9, -1.9], np.float32), "f32", "i32") == [1, -1]
    assert cast(np.array([0, 2, -1], np.int32), "i32", "i1") == [False, True, True]
    assert cast(np.array([True, False]), "i1", "f32") == [1.0, 0.0]


def test_gather_is_numpys_take():
    table, indices = np.arange(30, dtype=np.float32).reshape(2, 3, 5), np.array([2, 0, 1, 1], np.int32)
    got = evaluate(
        "%t: tensor<2x3x5xf32>, %i: tensor<4xi32>",
        "%r = rlx.gather %t, %i axis(1) : (tensor<2x3x5xf32>, tensor<4xi32>) -> tensor<2x4x5xf32>",
        "tensor<2x4x5xf32>",
        table,
        indices,
    )
    np.testing.assert_array_equal(got, np.take(table, indices, 1))


def test_gather_outside_of_the_table():
    with pytest.raises(IndexError, match=r"rlx.gather: index 7 is outside of \[0, 3\)"):
        evaluate(
            "%t: tensor<3xf32>, %i: tensor<1xi32>",
            "%r = rlx.gather %t, %i axis(0) : (tensor<3xf32>, tensor<1xi32>) -> tensor<1xf32>",
            "tensor<1xf32>",
            np.zeros(3, np.float32),
            np.array([7], np.int32),
        )


@pytest.mark.parametrize(
    ("kind", "expected"), [("sum", 0.0), ("max", -np.inf), ("min", np.inf), ("prod", 1.0), ("mean", np.nan)]
)
def test_reduction_of_nothing_is_the_identity(kind: str, expected: float):
    got = evaluate(
        "%x: tensor<2x0xf32>",
        f"%r = rlx.reduce {kind} %x axes [1] : tensor<2x0xf32> -> tensor<2xf32>",
        "tensor<2xf32>",
        np.zeros((2, 0), np.float32),
    )
    np.testing.assert_array_equal(got, np.full(2, expected, np.float32))


def test_dot_general_is_einsum():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((3, 2, 5, 4)).astype(np.float32), rng.standard_normal((4, 6, 3, 2)).astype(np.float32)
    got = evaluate(
        "%a: tensor<3x2x5x4xf32>, %b: tensor<4x6x3x2xf32>",
        "%r = rlx.dot_general %a, %b contracting([3] x [0]) batch([1, 0] x [3, 2]) "
        ": (tensor<3x2x5x4xf32>, tensor<4x6x3x2xf32>) -> tensor<2x3x5x6xf32>",
        "tensor<2x3x5x6xf32>",
        a,
        b,
    )
    np.testing.assert_allclose(got, np.einsum("xymk,knxy->yxmn", a, b), rtol=1e-5, atol=1e-5)


def test_layer_norm_keeps_large_means():
    """The variance of values near 10,000 is lost when squares are subtracted in f32."""
    x = (10000 + np.arange(8, dtype=np.float32) / 8).reshape(1, 8)
    one, zero = np.ones(8, np.float32), np.zeros(8, np.float32)
    got = evaluate(
        "%x: tensor<1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>",
        "%r = rlx.layer_norm %x, %g, %b epsilon(0.0) "
        ": (tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8xf32>",
        "tensor<1x8xf32>",
        x,
        one,
        zero,
    )
    steps = np.arange(8) - 3.5
    np.testing.assert_allclose(got[0], steps / steps.std(), rtol=1e-5)


def test_rms_norm_keeps_the_mean():
    x = np.full((1, 4), 3.0, np.float32)
    got = evaluate(
        "%x: tensor<1x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>",
        "%r = rlx.rms_norm %x, %g, %b epsilon(0.0) "
        ": (tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4xf32>",
        "tensor<1x4xf32>",
        x,
        np.ones(4, np.float32),
        np.zeros(4, np.float32),
    )
    np.testing.assert_allclose(got, np.ones((1, 4)), rtol=1e-6)


def test_norm_over_another_axis():
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    got = evaluate(
        "%x: tensor<3x4xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>",
        "%r = rlx.layer_norm %x, %g, %b epsilon(0.0) axis(0) "
        ": (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x4xf32>",
        "tensor<3x4xf32>",
        x,
        np.ones(3, np.float32),
        np.zeros(3, np.float32),
    )
    np.testing.assert_allclose(got, (x - x.mean(0)) / x.std(0), rtol=1e-5, atol=1e-6)


def test_half_sums_do_not_overflow():
    """300^2 times 128 is far beyond f16."""
    x = np.full((1, 128), 300, np.float16)
    x[0, ::2] = -300
    got = evaluate(
        "%x: tensor<1x128xf16>, %g: tensor<128xf16>, %b: tensor<128xf16>",
        "%r = rlx.layer_norm %x, %g, %b epsilon(1.0e-5) "
        ": (tensor<1x128xf16>, tensor<128xf16>, tensor<128xf16>) -> tensor<1x128xf16>",
        "tensor<1x128xf16>",
        x,
        np.ones(128, np.float16),
        np.zeros(128, np.float16),
    )
    np.testing.assert_array_equal(np.abs(got), np.ones((1, 128), np.float16))


def test_a_norm_over_nothing_is_quiet():
    for norm in ("layer_norm", "rms_norm"):
        got = evaluate(
            "%x: tensor<2x0xf32>, %g: tensor<0xf32>",
            f"%r = rlx.{norm} %x, %g, %g epsilon(1.0e-5) "
            ": (tensor<2x0xf32>, tensor<0xf32>, tensor<0xf32>) -> tensor<2x0xf32>",
            "tensor<2x0xf32>",
            np.zeros((2, 0), np.float32),
            np.zeros(0, np.float32),
        )
        assert got.shape == (2, 0)
