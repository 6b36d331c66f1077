"""Every function against mpmath, in units of the last place; faults from wrong or missing formulas."""

import math

import numpy as np
import pytest
from accuracy import Array, estimate, rounded, samples, truth_of, ulp_error, ulp_errors
from numpy_machine import NumPyMachine
from tools import sampled
from truths import TRUTHS, mpmath

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.formulas import F32, F64, FUNCTIONS, apply

FORMATS = {"f32": F32, "f64": F64}
NARROW = ("f16", "bf16")


def computed(name: str, dtype: str, *operands: Array, fused: bool = False) -> Array:
    """The function at numbers of `dtype`; narrow ones go through f32."""
    form = FORMATS.get(dtype, F32)
    held = [x.astype(f"f{form.bits // 8}") for x in operands]
    return rounded(apply(name, NumPyMachine(form, fused=fused), *held).astype(np.float64), dtype)


def test_every_function_is_judged():
    assert set(TRUTHS) == set(FUNCTIONS)
    assert {kind.value for kind in Activation} <= set(FUNCTIONS)
    assert {kind.value for kind in (BinaryKind.POW, BinaryKind.ATAN2, BinaryKind.MOD)} <= set(FUNCTIONS)


@sampled(4)
@pytest.mark.parametrize("fused", [False, True], ids=["rounded_products", "fused"])
@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", TRUTHS)
def test_within_its_bound(name: str, dtype: str, fused: bool):
    operands = samples(name, dtype)
    errors = ulp_errors(dtype, computed(name, dtype, *operands, fused=fused), truth_of(name, operands))
    worst = int(np.argmax(errors))
    assert errors[worst] <= TRUTHS[name].bound, [float(x[worst]) for x in operands]


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", TRUTHS)
def test_narrow_floats_are_rounded_once(name: str, dtype: str):
    operands = samples(name, dtype, 60)
    assert ulp_error(name, dtype, operands, computed(name, dtype, *operands)) <= 1


@pytest.mark.parametrize("beta", [0.3, 2.0, 7.0, -1.5])
@pytest.mark.parametrize("dtype", FORMATS)
def test_softplus_of_other_slopes(dtype: str, beta: float):
    """The rounding of `beta x` counts as often as that is large."""
    (x,) = samples("softplus", dtype, 60)
    x = x[np.abs(x) < 80 / abs(beta)]
    slope = float(rounded(np.array([beta]), dtype)[0])
    held = x.astype(f"f{FORMATS[dtype].bits // 8}")
    got = apply("softplus", NumPyMachine(FORMATS[dtype], fused=False), held, beta=slope).astype(np.float64)
    with mpmath.workdps(60):
        values = [mpmath.log1p(mpmath.exp(mpmath.mpf(slope) * mpmath.mpf(float(each)))) / slope for each in x]
        off = np.array([float(abs(mpmath.mpf(float(g)) - value) / abs(value)) for g, value in zip(got, values)])
    assert np.max(off / (4 + np.abs(slope * x))) <= 2.0 ** -FORMATS[dtype].fraction


def test_mish_between_its_bends():
    """4.03 units at -3.256 once, where many small roundings met."""
    x = -np.arange(1.5, 4, 2.0**-18, dtype=np.float32).astype(np.float64)
    off = ulp_errors("f32", computed("mish", "f32", x), estimate("mish", x))
    assert np.max(off) < 3.5


@pytest.mark.parametrize("dtype", FORMATS)
def test_f53_remainders_of_many_pairs(dtype: str):
    """A multiple that was one off, once in 40,000 pairs."""
    random, kind = np.random.default_rng(53), f"f{FORMATS[dtype].bits // 8}"
    a, b = (np.exp2(random.uniform(-60, 60, 200_000)).astype(kind).astype(np.float64) for _ in range(2))
    np.testing.assert_array_equal(computed("mod", dtype, a, b), np.fmod(a, b))


def check(name: str, dtype: str, *rows: tuple[float, ...], ulps: float = 0.0):
    """Each row is the operands and what they give."""
    *operands, wanted = (np.array(column, np.float64) for column in zip(*rows))
    got = computed(name, dtype, *(rounded(x, dtype) for x in operands))
    for g, w, row in zip(got, rounded(wanted, dtype), rows):
        same = (math.isnan(g) and math.isnan(w)) or (g == w and math.copysign(1, g) == math.copysign(1, w))
        unit = np.spacing(np.abs(w).astype(f"f{FORMATS.get(dtype, F32).bits // 8}"))
        assert same or (ulps and abs(g - w) <= ulps * unit), (row, g)


INF, NAN = math.inf, math.nan
ALL = pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])


@ALL
def test_f03_f52_powers_are_those_of_c(dtype: str):
    check(
        "pow",
        dtype,
        *((x, y, x**y) for x in (-2.0, 3.0, 0.5) for y in (-1.0, 0.0, 1.0, 2.0, 3.0, 4.0) if x != 3 or y >= 0),
    )
    check(
        "pow",
        dtype,
        *((x, y, 1.0) for x, y in ((0, 0), (0, -0.0), (1, INF), (1, -INF), (1, NAN), (INF, 0), (NAN, 0), (-1, INF))),
    )
    check(
        "pow",
        dtype,
        (-0.0, 3, -0.0),
        (-0.0, -1, -INF),
        (-0.0, 2, 0.0),
        (0.0, -2, INF),
        (-INF, 3, -INF),
        (-INF, -3, -0.0),
    )
    check(
        "pow",
        dtype,
        (-2, 0.5, NAN),
        (INF, -1, 0),
        (0.5, INF, 0),
        (0.5, -INF, INF),
        (2, INF, INF),
        (NAN, 1, NAN),
        (2, NAN, NAN),
    )


@ALL
def test_f04_angles_are_those_of_c(dtype: str):
    pi = math.pi
    check(
        "atan2",
        dtype,
        (0.0, 0.0, 0.0),
        (-0.0, 0.0, -0.0),
        (0.0, -0.0, pi),
        (-0.0, -0.0, -pi),
        (-0.0, -1, -pi),
        (0.0, -1, pi),
    )
    check(
        "atan2",
        dtype,
        (INF, INF, pi / 4),
        (-INF, INF, -pi / 4),
        (INF, -INF, 3 * pi / 4),
        (-INF, -INF, -3 * pi / 4),
        ulps=1,
    )
    check(
        "atan2",
        dtype,
        (1, 1, pi / 4),
        (1, -1, 3 * pi / 4),
        (-1, -1, -3 * pi / 4),
        (-1, 1, -pi / 4),
        (1, INF, 0.0),
        (1, -INF, pi),
        ulps=1,
    )


def test_f05_large_angles():
    for dtype, largest in (("f32", 3e38), ("f64", 1e308)):
        angles = rounded(np.array([4096, 32767, 131071, 1e8, largest]), dtype)
        for name in ("sin", "cos", "tan"):
            assert ulp_error(name, dtype, (angles,), computed(name, dtype, angles)) <= 8


def test_f08_far_out_and_near_the_ends():
    for name, points in (
        ("asinh", [1e20, -3e38]),
        ("sinh", [89, -89]),
        ("cosh", [89, -89]),
        ("acosh", [1 + 1e-6, 3e38]),
    ):
        for dtype in FORMATS:
            x = rounded(np.array(points), dtype)
            assert ulp_error(name, dtype, (x,), computed(name, dtype, x)) <= 4


@ALL
def test_f53_remainders_are_exact(dtype: str):
    check(
        "mod",
        dtype,
        (INF, INF, NAN),
        (7, 0, NAN),
        (7, INF, 7),
        (-7, 3, -1),
        (7, -3, 1),
        (-6, 3, -0.0),
        (NAN, 1, NAN),
        (1, NAN, NAN),
    )
    if dtype in FORMATS:
        small = np.fmod(*np.array([7, 1.2e-38], f"f{FORMATS[dtype].bits // 8}"))
        check("mod", dtype, (1e10, 3, 1), (3.4e38, 0.5, 0), (7, 1.2e-38, float(small)))


@ALL
def test_f65_zeros_keep_their_sign(dtype: str):
    for name in (
        "sin",
        "tan",
        "asin",
        "atan",
        "sinh",
        "tanh",
        "asinh",
        "atanh",
        "expm1",
        "log1p",
        "erf",
        "erf_inv",
        "cbrt",
        "gelu",
        "silu",
    ):
        check(name, dtype, (-0.0, -0.0), (0.0, 0.0))
    check("mod", dtype, (-0.0, 1, -0.0), (0.0, -1, 0.0))


def test_whole_powers_are_exact_in_f32():
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(-20.0, 21), np.arange(5.0)))
    np.testing.assert_array_equal(computed("pow", "f32", x, y), x**y)
