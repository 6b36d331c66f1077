"""Prefix sums, sorts, extrema and counts against NumPy and at their edges."""

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rlx_dialect.attributes import Extremum
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import ShapeError

NAN = np.nan


def values(g: Graph, outputs: Tensor | tuple[Tensor, ...], *inputs: Any) -> list[Array]:
    """The values of `outputs` for the inputs of their graph."""
    for i, output in enumerate((outputs,) if isinstance(outputs, Tensor) else outputs):
        g.output(f"y{i}", output)
    return list(run(g.module(), None, [np.asarray(each) for each in inputs]).values())


def test_prefix_sums_are_rounded_once():
    """In bf16 a running 256 would stay 256."""
    x = np.ones(300, ml_dtypes.bfloat16)
    g = Graph()
    (got,) = values(g, g.cumsum(g.input("x", (300,), "bf16"), 0), x)
    assert float(got[255]) == 256
    assert float(got[299]) == 300


def test_prefixes_of_integers_wrap():
    x = np.array([100, 100, 100], np.int8)
    g = Graph()
    (got,) = values(g, g.cumsum(g.input("x", (3,), "i8"), 0), x)
    assert got.tolist() == [100, -56, 44]
    assert got.dtype == np.int8


def product(row: list[float]) -> float:
    return math.prod(row)


def greatest(row: list[float]) -> float:
    return max(row, default=-math.inf)


COMBINED: dict[str, Callable[[list[float]], float]] = {"cumsum": sum, "cumprod": product, "cummax": greatest}


@pytest.mark.parametrize("name", COMBINED)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_prefixes_by_hand(name: str, exclusive: bool, reverse: bool):
    rows = [[2.0, -3.0, 4.0], [0.5, 7.0, -1.0]]
    g = Graph()
    x = g.input("x", (2, 3))
    (got,) = values(g, getattr(g, name)(x, -1, exclusive=exclusive, reverse=reverse), np.array(rows, np.float32))
    skip = int(exclusive)
    expected = [[COMBINED[name](row[i + skip :] if reverse else row[: i + 1 - skip]) for i in range(3)] for row in rows]
    assert got.tolist() == expected


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_gradient_of_a_prefix_sum(exclusive: bool, reverse: bool):
    """`sum(cumsum(x) * y)` is `sum(x * cumsum_backward(y))` for all x and y."""
    x, y = np.random.default_rng(0).standard_normal((2, 3, 5))
    g = Graph()
    sums, back = values(
        g,
        (
            g.cumsum(g.input("x", (3, 5), "f64"), 1, exclusive=exclusive, reverse=reverse),
            g.cumsum_backward(g.input("y", (3, 5), "f64"), 1, exclusive=exclusive, reverse=reverse),
        ),
        *(x, y),
    )
    assert (sums * y).sum() == pytest.approx((x * back).sum(), rel=1e-12)


def test_prefixes_of_nothing():
    for name in ("cumsum", "cumprod", "cummax"):
        g = Graph()
        (got,) = values(g, getattr(g, name)(g.input("x", (2, 0)), 1, exclusive=True), np.zeros((2, 0), np.float32))
        assert got.shape == (2, 0)


def test_the_maximum_of_no_integer_is_the_lowest():
    g = Graph()
    (got,) = values(g, g.cummax(g.input("x", (2,), "i8"), 0, exclusive=True), np.array([3, 1], np.int8))
    assert got.tolist() == [-128, 3]


def test_maxima_pass_nan_on():
    g = Graph()
    (got,) = values(g, g.cummax(g.input("x", (3,)), 0), np.array([1, NAN, 5], np.float32))
    np.testing.assert_array_equal(got, np.array([1, NAN, NAN], np.float32))


KEYS = np.array([2, NAN, 1, 2, -np.inf, NAN, np.inf, -0.0, 0.0], np.float32)


def test_sorts_are_stable_both_ways():
    g = Graph()
    x = g.input("x", KEYS.shape)
    up, down = values(g, (g.argsort(x), g.argsort(x, descending=True, index="i32")), KEYS)
    assert up.tolist() == [4, 7, 8, 2, 0, 3, 6, 1, 5]
    assert down.tolist() == [1, 5, 6, 0, 3, 2, 7, 8, 4]
    assert down.dtype == np.int32
    g = Graph()
    x = g.input("x", KEYS.shape)
    up, down = values(g, (g.sort(x), g.sort(x, descending=True)), KEYS)
    np.testing.assert_array_equal(up, np.sort(KEYS))
    assert down[:3].tolist()[2] == np.inf
    assert np.isnan(down[:2]).all()
    # Of the zeros -0 stood first.
    assert np.signbit(up[1:3]).tolist() == np.signbit(down[6:8]).tolist() == [True, False]


def test_sorts_of_unsigned_and_truth_values():
    g = Graph()
    x = g.input("x", (3,), "ui8")
    (got,) = values(g, g.sort(x, descending=True), np.array([1, 255, 0], np.uint8))
    assert got.tolist() == [255, 1, 0]
    g = Graph()
    (got,) = values(g, g.argsort(g.input("x", (3,), "i1")), np.array([True, False, True]))
    assert got.tolist() == [1, 0, 2]


def test_the_first_of_the_greatest():
    g = Graph()
    got, indices = values(g, g.top_k(g.input("x", KEYS.shape), 4, index="f32"), KEYS)
    np.testing.assert_array_equal(got, np.array([NAN, NAN, np.inf, 2], np.float32))
    assert indices.tolist() == [1, 5, 6, 0]
    assert indices.dtype == np.float32
    g = Graph()
    got, indices = values(g, g.top_k(g.input("x", KEYS.shape), 3, smallest=True), KEYS)
    assert indices.tolist() == [4, 7, 8]


def test_no_element_of_all():
    g = Graph()
    got, indices = values(g, g.top_k(g.input("x", (3,)), 0), np.zeros(3, np.float32))
    assert got.shape == indices.shape == (0,)


def test_more_than_there_turn_out_to_be():
    g = Graph()
    outputs = g.top_k(g.input("x", (None,)), 3)
    with pytest.raises(ShapeError, match="dim 0 of input 'x' must be at least 3, got 2 and 3"):
        values(g, outputs, np.zeros(2, np.float32))


@pytest.mark.parametrize("kind", list(Extremum))
@pytest.mark.parametrize("last", [False, True])
def test_extrema(kind: Extremum, last: bool):
    x = np.array([[3, 1, 3, 1], [0, NAN, -1, NAN], [-0.0, 0.0, -0.0, 0.0]], np.float32)
    g = Graph()
    value, indices = values(g, g.arg_reduce(kind, g.input("x", x.shape), last=last), x)
    expected = {
        (Extremum.MAX, False): [0, 1, 0],
        (Extremum.MAX, True): [2, 3, 3],
        (Extremum.MIN, False): [1, 1, 0],
        (Extremum.MIN, True): [3, 3, 3],
    }[kind, last]
    assert indices.tolist() == expected
    np.testing.assert_array_equal(value, x[[0, 1, 2], expected])
    g = Graph()
    find = g.arg_max if kind is Extremum.MAX else g.arg_min
    (alone,) = values(g, find(g.input("x", x.shape), 1, keep_dims=True, last=last, index="i32"), x)
    assert alone.tolist() == [[each] for each in expected]


def test_extrema_of_nothing_at_run_time():
    g = Graph()
    y = g.arg_max(g.input("x", (2, None)))
    with pytest.raises(ShapeError, match="dim 1 of input 'x' must be at least 1, got 0 and 1"):
        values(g, y, np.zeros((2, 0), np.float32))


def test_histograms_are_numpys():
    x = np.concatenate([np.random.default_rng(0).standard_normal(1000), [NAN, np.inf, -np.inf, -2.0, 2.0, 0.0]])
    x = x.astype(np.float32)
    g = Graph()
    (got,) = values(g, g.histogram(g.input("x", x.shape), 7, -2.0, 2.0), x)
    np.testing.assert_array_equal(got, np.histogram(x[np.isfinite(x)], 7, (-2.0, 2.0))[0])
    g = Graph()
    n = np.array([[0, 1], [2, 9]], np.int32)
    (got,) = values(g, g.histogram(g.input("x", n.shape, "i32"), 2, 0.0, 2.0, counter="f32"), n)
    assert got.tolist() == [1.0, 2.0]
