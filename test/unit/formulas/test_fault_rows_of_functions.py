"""Faults of elementwise functions that were seen on a backend, each by its id, on every backend that runs here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from accuracy import truth_of, ulp_errors
from backend_accuracy import DTYPES, KEEP_DENORMALS, bound, need
from numpy.typing import NDArray
from programs import parse
from tools import sampled

import rlx_passes
from rlx_dialect.builder import Graph
from rlx_dialect.dtypes import element_type, numpy_dtype
from rlx_passes.codegen.cpu import generic_text
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.reading.dialects import tool_context

Array = NDArray[Any]
BACKENDS = tuple(DTYPES)
INF, NAN = np.inf, np.nan


def computed(target: str, spelling: str, dtype: str, *operands: Array) -> Array:
    """What an op gives on a backend."""
    need(target)
    tensor, kind = f"tensor<{len(operands[0])}x{dtype}>", numpy_dtype(element_type(dtype))
    names = ("x", "y")[: len(operands)]
    arguments = ", ".join(f'%{name}: {tensor} {{rlx.input = "{name}"}}' for name in names)
    signature = tensor if len(names) == 1 else f"({tensor}, {tensor}) -> {tensor}"
    text = f'func.func @main({arguments}) -> ({tensor} {{rlx.output = "z"}}) {{\n'
    text += f"  %z = rlx.{spelling} {', '.join(f'%{name}' for name in names)} : {signature}\n"
    text += f"  func.return %z : {tensor}\n}}\n"
    inputs = {name: np.asarray(operand).astype(kind) for name, operand in zip(names, operands)}
    if target == "tpu":
        from rlx_passes.runtime.xla import XlaFunction

        module = parse(text)
        ConvertRLXToStableHLOPass().apply(tool_context(), module)
        return XlaFunction(generic_text(module), "main")(list(inputs.values()))[0]
    return rlx_passes.compile(text, target, origin="rlx")(inputs)["z"]


def check(got: Array, want: Array, ulp: float) -> None:
    """Equal within units of the last place of f32, signs of zeros too."""
    got, want = got.astype(np.float64), np.asarray(want, np.float64)
    np.testing.assert_allclose(got, want, rtol=ulp * 2.0**-23)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


def pairs(first: list[float], second: list[float]) -> tuple[Array, Array]:
    a, b = np.meshgrid(np.array(first), np.array(second))
    return a.ravel(), b.ravel()


@pytest.mark.parametrize("target", BACKENDS)
def test_f03_f52_powers_as_in_c(target: str):
    a, b = pairs([-2.0, 0.0, -0.0, INF, 2.0, 1.0], [0.0, -0.0, 1.0, 2.0, 3.0, 4.0, -1.0, INF, -INF])
    with np.errstate(all="ignore"):
        check(computed(target, "binary pow", "f32", a, b), np.power(a, b), 8)


@pytest.mark.parametrize("target", ["cpu", "mlx", "tpu"])
def test_f52_powers_of_nan(target: str):
    a, b = np.array([1.0, NAN, NAN]), np.array([NAN, 0.0, -0.0])
    check(computed(target, "binary pow", "f32", a, b), np.ones(3), 0)


@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_f04_angles_in_every_quadrant(target: str, dtype: str):
    values = [0.0, -0.0, 1.0, -1.0, INF, -INF]
    y, x = pairs(values, values)
    check(computed(target, "binary atan2", dtype, y, x), np.arctan2(y, x), 8 if dtype == "f32" else 8192)


ANGLES = np.array([4096, 32767, 131071, 1197162, 2042016.375, 1e8, 3e38], np.float32)


@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_f05_large_angles(target: str, name: str):
    check(computed(target, f"activation {name}", "f32", ANGLES), getattr(np, name)(ANGLES.astype(np.float64)), 8)


@sampled(3)
@pytest.mark.parametrize("target", BACKENDS)
def test_f08_hyperbolic_functions_far_out(target: str):
    need(target)
    points = {"asinh": 1e20, "sinh": 89.0, "cosh": 89.0, "acosh": 1 + 1e-6}
    g = Graph("main")
    for name in points:
        g.output(f"{name}_of", g.function(name, g.input(name, (1,))))
    inputs = {name: np.array([x], np.float32) for name, x in points.items()}
    got = rlx_passes.compile(g.module(), target, origin="rlx")(inputs)
    for name, x in inputs.items():
        inverse = name.replace("a", "arc", 1) if name.startswith("a") else name
        check(got[f"{name}_of"], getattr(np, inverse)(x.astype(np.float64)), 4)


@pytest.mark.parametrize("target", BACKENDS)
def test_f53_remainders_are_exact(target: str):
    a = np.array([1e10, 3.4e38, 7.0, INF, -0.0, -3.0717265605926514, 1.2445672800440415e22], np.float32)
    b = np.array([3.0, 0.5, 1.2e-38, INF, 1.0, -4.8763290362010756e-14, 51.829864501953125], np.float32)
    kept = slice(0, 7) if target in ("cpu", "mlx", "tpu") else [0, 1, 2, 4, 5, 6]
    with np.errstate(all="ignore"):
        want = np.fmod(a, b).astype(np.float64)[kept]
    got = computed(target, "binary mod", "f32", a, b)[kept].astype(np.float64)
    if target not in KEEP_DENORMALS:
        got, want = (np.where(np.abs(x) < 2.0**-126, np.copysign(0.0, x), x) for x in (got, want))
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("target", BACKENDS)
def test_f54_integers_to_large_powers(target: str):
    a = np.array([0, 2, 3, 3, -1, 2, 7, 0, 1, -1], np.int64)
    b = np.array([64, 64, 64, 1000003, 65, -3, 63, 0, -5, -3], np.int64)
    want = [pow(int(x), int(y), 1 << 32) if y >= 0 else {1: 1, -1: -1}.get(int(x), 0) for x, y in zip(a, b)]
    got = computed(target, "binary pow", "i32", a, b)
    np.testing.assert_array_equal(got, np.array(want, np.int64).astype(np.int32))


FAR_OFF = {
    "exp": (88.7204818725586, 88.71637725830078),
    "tanh": (6.878054141998291, 0.015037182718515396),
    "erf": (-3.827000379562378, 3.7253284454345703),
    "atan": (0.0009703761315904558, 0.0009171648183837533),
    "mish": (-3.256071090698242, -2.2),
}
"""Where functions of IREE or XLA, or the formula, were off by more than 4 units."""


@sampled(3)
@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("name", FAR_OFF)
def test_errors_that_few_samples_do_not_show(target: str, name: str):
    x = np.array(FAR_OFF[name], np.float32)
    got = computed(target, f"activation {name}", "f32", x).astype(np.float64)
    off = ulp_errors("f32", got, truth_of(name, (x.astype(np.float64),)))
    assert np.max(off) <= bound(target, "f32", name)


ZEROS = {
    "activation sin": -0.0,
    "activation tan": -0.0,
    "log1p": -0.0,
    "expm1": -0.0,
    "activation erf": 0.0,
}


@sampled(4)
@pytest.mark.parametrize("target", ["cpu", "mlx", "tpu"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("spelling", ZEROS)
def test_f65_signs_of_zero(target: str, dtype: str, spelling: str):
    check(computed(target, spelling, dtype, np.array([ZEROS[spelling]])), np.array([ZEROS[spelling]]), 0)


@sampled(3)
@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("dtype", ["i32", "ui32"])
def test_f50_f51_divisions_without_an_answer(target: str, dtype: str):
    """By zero both give 0; of the lowest number by -1 the quotient wraps and nothing is left."""
    low = -(2**31) if dtype == "i32" else 2**32 - 1
    a = np.array([7, low, 0, low, 7, -7 if dtype == "i32" else 9] * 3 + [7])
    b = np.array([0, 0, 0, -1 if dtype == "i32" else low, 2, 2] * 3 + [0])
    quotients = [0, 0, 0, low if dtype == "i32" else 1, 3, -3 if dtype == "i32" else 4]
    rests = [0, 0, 0, 0, 1, -1 if dtype == "i32" else 1]
    assert computed(target, "binary div", dtype, a, b).tolist() == [*quotients * 3, 0]
    assert computed(target, "binary mod", dtype, a, b).tolist() == [*rests * 3, 0]


@pytest.mark.parametrize("target", ["cpu", "mlx", "tpu"])
def test_f50_f51_one_long_integer(target: str):
    for a, b, quotient in ((7, 0, 0), (-(2**63), -1, -(2**63))):
        operands = np.array([a]), np.array([b])
        assert computed(target, "binary div", "i64", *operands).tolist() == [quotient]
        assert computed(target, "binary mod", "i64", *operands).tolist() == [0]
