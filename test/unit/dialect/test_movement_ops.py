"""Ops that place elements, ops that make tensors of dims alone, and bounds, against NumPy and at their edges."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rlx_dialect.attributes import PadMode, Triangle
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import element_type, numpy_dtype
from rlx_dialect.ops import FullOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import Shaped, ShapeError


def result(g: Graph, y: Tensor, *inputs: Any) -> Array:
    """The value of `y` for the inputs of its graph."""
    g.output("y", y)
    return run(g.module(), None, [np.asarray(each) for each in inputs])["y"]


X = np.arange(24, dtype=np.float32).reshape(4, 6)


def test_slices_that_go_back():
    g = Graph()
    np.testing.assert_array_equal(
        result(g, g.slice(g.input("x", X.shape), [3, 5], (2, 3), [-2, -1]), X), X[3::-2, 5:2:-1]
    )


def test_a_slice_of_open_size():
    g = Graph()
    x, like = g.input("x", (None, 6)), g.input("like", (None,), "i8")
    y = g.slice(x, [1, 0], (g.dim(like, 0), 3))
    np.testing.assert_array_equal(result(g, y, X, np.zeros(2, np.int8)), X[1:3, :3])


def test_a_slice_that_turns_out_too_long():
    g = Graph()
    x, like = g.input("x", (None,)), g.input("like", (None,), "i8")
    y = g.slice(x, [2], (g.dim(like, 0),))
    with pytest.raises(ShapeError, match=r"dim 0 of input 'x' - .* must be at least .*, got 3 and 4$"):
        result(g, y, X[0, :4], np.zeros(3, np.int8))


@pytest.mark.parametrize(("start", "first"), [(-5, 0), (1, 1), (3, 2), (99, 2)])
def test_dynamic_starts_are_clamped(start: int, first: int):
    g = Graph()
    x, i = g.input("x", X.shape), g.input("i", (), "i32")
    got = result(g, g.dynamic_slice(x, [i, i], [2, 6]), X, np.int32(start))
    np.testing.assert_array_equal(got, X[first : first + 2])
    g = Graph()
    x, i = g.input("x", X.shape), g.input("i", (), "i32")
    expected = X.copy()
    expected[first : first + 2] = 0
    got = result(g, g.dynamic_update_slice(x, g.zeros((2, 6)), [i, i]), X, np.int32(start))
    np.testing.assert_array_equal(got, expected)


PADS: dict[PadMode, Any] = {
    PadMode.CONSTANT: "constant",
    PadMode.REFLECT: "reflect",
    PadMode.REPLICATE: "edge",
    PadMode.CIRCULAR: "wrap",
}


@pytest.mark.parametrize("mode", PADS)
@pytest.mark.parametrize("sizes", [((1, 2), (5, 3)), ((0, 0), (0, 0)), ((3, 0), (0, 4))])
def test_pads_are_numpys(mode: PadMode, sizes: Any):
    g = Graph()
    y = g.pad(g.input("x", X.shape), [low for low, _ in sizes], [high for _, high in sizes], mode)
    np.testing.assert_array_equal(result(g, y, X), np.pad(X, sizes, PADS[mode]))


def test_pads_at_the_edges():
    g = Graph()
    y = g.pad(g.input("x", (0, 1)), [1, 0], [1, 0], value=float("-inf"))
    assert result(g, y, np.zeros((0, 1), np.float32)).tolist() == [[-np.inf], [-np.inf]]
    g = Graph()
    y = g.pad(g.input("x", X.shape), [-1, 2], [0, -3], value=7)
    np.testing.assert_array_equal(result(g, y, X), np.pad(X[1:, :3], ((0, 0), (2, 0)), constant_values=7))
    g = Graph()
    y = g.pad(g.input("x", (6,)), [-8], [5], value=7)
    np.testing.assert_array_equal(result(g, y, X[0]), np.full(3, 7, np.float32))
    g = Graph()
    y = g.pad(g.input("x", (6,)), [5], [-8], value=7)
    np.testing.assert_array_equal(result(g, y, X[0]), np.full(3, 7, np.float32))
    g = Graph()
    y = g.pad(g.input("x", (0, 2)), [0, 1], [0, 0], PadMode.CIRCULAR)
    assert result(g, y, np.zeros((0, 2), np.float32)).shape == (0, 3)
    g = Graph()
    y = g.pad(g.input("x", (None,)), [2], [0], PadMode.REFLECT)
    with pytest.raises(ShapeError, match="dim 0 of input 'x' must be at least 3, got 2 and 3"):
        result(g, y, X[0, :2])


def test_repetitions_and_turns():
    g = Graph()
    x = g.input("x", X.shape)
    np.testing.assert_array_equal(result(g, g.tile(x, [2, 3]), X), np.tile(X, (2, 3)))
    g = Graph()
    y = g.roll(g.input("x", X.shape), [-9, 1], [0, -1])
    np.testing.assert_array_equal(result(g, y, X), np.roll(X, (-9, 1), (0, 1)))
    g = Graph()
    y = g.reverse(g.input("x", X.shape), [-1])
    np.testing.assert_array_equal(result(g, y, X), X[:, ::-1])


@pytest.mark.parametrize("diagonal", [-9, -1, 0, 2, 9])
def test_triangles_hide_nan(diagonal: int):
    x = X.copy()
    x[3, 0] = x[0, 5] = np.nan
    g = Graph()
    np.testing.assert_array_equal(
        result(g, g.trilu(Triangle.UPPER, g.input("x", x.shape), diagonal), x), np.triu(x, diagonal)
    )
    g = Graph()
    np.testing.assert_array_equal(
        result(g, g.trilu(Triangle.LOWER, g.input("x", x.shape), diagonal), x), np.tril(x, diagonal)
    )


def test_fills():
    g = Graph()
    n = g.dim(g.input("x", (None, 6)), 0)
    np.testing.assert_array_equal(result(g, g.filled((n, 2), 0.1, "f16"), X), np.full((4, 2), 0.1, np.float16))
    g = Graph()
    n = g.dim(g.input("x", (None, 6)), 0)
    np.testing.assert_array_equal(result(g, g.iota((2, n), 1, "i32"), X), np.tile(np.arange(4, dtype=np.int32), (2, 1)))
    g = Graph()
    assert result(g, g.filled((), 2**63 - 1, "i64")).tolist() == 2**63 - 1


def test_clamps_keep_nan_and_the_upper_bound_wins():
    x = np.array([np.nan, -2, 0.5, 9], np.float32)
    g = Graph()
    np.testing.assert_array_equal(
        result(g, g.clamp(g.input("x", (4,)), -1, 1), x), np.array([np.nan, -1, 0.5, 1], np.float32)
    )
    g = Graph()
    assert result(g, g.clamp(g.input("x", (4,)), 3, 1), x)[1:].tolist() == [1, 1, 1]
    g = Graph()
    n = np.array([-128, 127], np.int8)
    assert result(g, g.clamp(g.input("x", (2,), "i8"), high=5), n).tolist() == [-128, 5]


def nearest(exact: Fraction, dtype: Any) -> float:
    """The value of `dtype` nearest to `exact`, ties to even, found among the neighbours of a first guess."""
    guess = np.asarray(float(exact)).astype(np.float32).astype(dtype)
    near = {float(each) for each in (guess, np.nextafter(guess, dtype(np.inf)), np.nextafter(guess, dtype(-np.inf)))}
    best = min(abs(Fraction(each) - exact) for each in near)
    ties = [each for each in near if abs(Fraction(each) - exact) == best]
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    (chosen,) = [each for each in ties if len(ties) == 1 or not int(np.asarray(each).astype(dtype).view(unsigned)) & 1]
    return chosen


@pytest.mark.parametrize("name", ["f32", "f16", "bf16"])
def test_fma_rounds_once(name: str):
    """Also where the exact sum lies just beside the middle of two values, which float64 does not see."""
    dtype = numpy_dtype(element_type(name))
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal(500).astype(dtype) for _ in range(3))
    tiny = {"f32": 2.0**-60, "f16": 2.0**-24, "bf16": 2.0**-60}[name]
    bits = {"f32": 24, "f16": 11, "bf16": 8}[name]
    # 1 + 2^-p is the middle; what is added or taken decides.
    a[:4], b[:4] = [1 + 2.0 ** (1 - bits)] * 4, [1 + 2.0 ** (1 - bits)] * 4
    c[:4] = [2.0**-bits, tiny, -tiny, -(2.0**-bits)]
    g = Graph()
    got = result(g, g.fma(*(g.input(n, (500,), name) for n in "abc")), a, b, c)
    expected = [
        nearest(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)), dtype.type) for x, y, z in zip(a, b, c)
    ]
    assert got.astype(np.float64).tolist() == expected


def test_fma_beside_the_middle():
    """`(1 + h)^2` is half a step above `1 + 2h`, an even value; float64 does not see what else is added."""
    a = np.full(3, 1 + 2.0**-12, np.float32)
    g = Graph()
    y = g.fma(*(g.input(n, (3,)) for n in "abc"))
    got = result(g, y, a, a, np.array([2.0**-80, 0, -(2.0**-80)], np.float32))
    assert got.tolist() == [1 + 2.0**-11 + 2.0**-23, 1 + 2.0**-11, 1 + 2.0**-11]


def test_fma_of_doubles():
    h = 2.0**-27
    cases = [
        (1 + h, 1 - h, -1.0, -(2.0**-54)),
        (np.inf, 0.0, 1.0, np.nan),
        (1e308, 10.0, -np.inf, -np.inf),
        (1e308, 10.0, -1e308, np.inf),
        (1e308, 2.0, -1e308, 1e308),
        (-0.0, 1.0, -0.0, -0.0),
        (1.0, 1.0, -1.0, 0.0),
    ]
    a, b, c, expected = (np.array(column) for column in zip(*cases))
    g = Graph()
    got = result(g, g.fma(*(g.input(n, (len(cases),), "f64") for n in "abc")), a, b, c)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(expected) | np.isnan(got) & np.signbit(got))


def test_numbers_that_do_not_fit():
    with pytest.raises(ShapeError, match=r"0.5 is no value of i32"):
        FullOp(0.5, Shaped((2,), element_type("i32")))
    with pytest.raises(ShapeError, match=r"300 is no value of ui8"):
        FullOp(300, Shaped((2,), element_type("ui8")))
    with pytest.raises(ShapeError, match=r"nan is no value of i32"):
        FullOp(float("nan"), Shaped((2,), element_type("i32")))
    g = Graph()
    x = g.input("x", (2,), "i8")
    with pytest.raises(ShapeError, match="inf is no value of i8"):
        g.clamp(x, high=float("inf"))
