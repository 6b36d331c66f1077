"""Gathers and scatters: those with StableHLO's dimension numbers against XLA, the others at their edges."""

import importlib
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tools import need_module

from rlx_dialect.attributes import ScatterReduction
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array, run
from rlx_dialect.shape_rules.indexing import GatherNumbers, ScatterNumbers

RNG = np.random.default_rng(0)


def value(g: Graph, y: Tensor, *inputs: Array) -> Array:
    """The value of `y` for the inputs of its graph."""
    g.output("y", y)
    return run(g.module(), None, inputs)["y"]


def floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def integers(low: int, high: int, *shape: int) -> Array:
    return RNG.integers(low, high, shape).astype(np.int32)


GATHERS = {
    "rows": ((10, 8), (4, 1), GatherNumbers((1,), (0,), (), (), (0,), 1), (1, 8)),
    "numbers": ((10, 8), (4, 3), GatherNumbers((0,), (0,), (), (), (0,), 2), (1, 5)),
    "no_collapse": ((10, 8), (4, 2), GatherNumbers((1, 2), (), (), (), (1, 0), 1), (3, 2)),
    "vector_first": ((6, 7, 3), (2, 4, 5), GatherNumbers((0, 3), (1,), (), (), (1, 0), 0), (2, 1, 3)),
    "batch": ((3, 6, 7), (4, 3, 2), GatherNumbers((2,), (2,), (0,), (1,), (1, 2), 2), (1, 4, 1)),
    "batch_last": ((6, 3, 7), (3, 2, 4), GatherNumbers((0, 2), (), (1,), (0,), (2, 0), 1), (2, 1, 5)),
    "point": ((6, 7), (2,), GatherNumbers((0,), (1,), (), (), (0, 1), 0), (3, 1)),
    "empty_index": ((2, 3), (4, 0), GatherNumbers((1, 2), (), (), (), (), 1), (2, 1)),
    "nothing": ((6, 7), (0, 1), GatherNumbers((1,), (0,), (), (), (0,), 1), (1, 7)),
}


@pytest.mark.parametrize("name", GATHERS)
def test_gathers_are_xlas(name: str):
    """Also for indices outside, which are clamped."""
    need_module("jax")
    jax: Any = importlib.import_module("jax")
    shape, index_shape, numbers, sizes = GATHERS[name]
    x, indices = floats(*shape), integers(-3, 12, *index_shape)
    g = Graph()
    y = g.general_gather(g.input("x", shape), g.input("i", index_shape, "i32"), numbers, sizes)
    got = value(g, y, x, indices)
    theirs = jax.lax.GatherDimensionNumbers(
        offset_dims=numbers.offset,
        collapsed_slice_dims=numbers.collapsed,
        operand_batching_dims=numbers.input_batching,
        start_indices_batching_dims=moved(numbers.indices_batching, numbers.vector_dim),
        start_index_map=numbers.start_map,
    )
    last = vector_last(indices, numbers.vector_dim)
    np.testing.assert_array_equal(got, np.asarray(jax.lax.gather(x, last, theirs, sizes, mode="clip")))


def vector_last(indices: Array, vector_dim: int) -> Array:
    """JAX has the entries of an index on the last dim."""
    return indices[..., None] if vector_dim == indices.ndim else np.moveaxis(indices, vector_dim, -1)


def moved(dims: tuple[int, ...], vector_dim: int) -> tuple[int, ...]:
    """Dims of indices once `vector_dim` has gone to the end."""
    return tuple(d - (d > vector_dim) for d in dims)


SCATTERS = {
    "rows": ((10, 8), (4, 1), (4, 8), ScatterNumbers((1,), (0,), (), (), (0,), 1)),
    "numbers": ((10,), (4, 3), (4, 3), ScatterNumbers((), (0,), (), (), (0,), 2)),
    "points": ((6, 7), (5, 2), (5,), ScatterNumbers((), (0, 1), (), (), (1, 0), 1)),
    "vector_first": ((6, 7), (1, 4), (7, 4), ScatterNumbers((0,), (0,), (), (), (0,), 0)),
    "batch": ((3, 6, 7), (4, 3, 1), (4, 3, 7), ScatterNumbers((2,), (1,), (0,), (1,), (1,), 2)),
    "nothing": ((6, 7), (0, 1), (0, 7), ScatterNumbers((1,), (0,), (), (), (0,), 1)),
}
THEIRS = {
    ScatterReduction.ADD: "scatter_add",
    ScatterReduction.MUL: "scatter_mul",
    ScatterReduction.MAX: "scatter_max",
    ScatterReduction.MIN: "scatter_min",
}


@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.parametrize("reduction", THEIRS)
def test_scatters_are_xlas(name: str, reduction: ScatterReduction):
    """Also for indices outside, which are skipped."""
    need_module("jax")
    jax: Any = importlib.import_module("jax")
    shape, index_shape, update_shape, numbers = SCATTERS[name]
    x, indices, updates = floats(*shape), integers(-3, 12, *index_shape), floats(*update_shape)
    g = Graph()
    y = g.general_scatter(
        *(g.input("x", shape), g.input("i", index_shape, "i32"), g.input("u", update_shape), numbers, reduction)
    )
    got = value(g, y, x, indices, updates)
    theirs = jax.lax.ScatterDimensionNumbers(
        update_window_dims=numbers.window,
        inserted_window_dims=numbers.inserted,
        operand_batching_dims=numbers.input_batching,
        scatter_indices_batching_dims=moved(numbers.indices_batching, numbers.vector_dim),
        scatter_dims_to_operand_dims=numbers.scatter_map,
    )
    scatter = getattr(jax.lax, THEIRS[reduction])
    expected = scatter(x, vector_last(indices, numbers.vector_dim), updates, theirs, mode="drop")
    np.testing.assert_allclose(got, np.asarray(expected), rtol=1e-5, atol=1e-6)


def test_windows_take_the_place():
    x, updates = floats(6, 7), floats(2, 2, 3)
    g = Graph()
    y = g.general_scatter(
        *(g.input("x", (6, 7)), g.input("i", (2, 2), "i32"), g.input("u", (2, 2, 3))),
        ScatterNumbers((1, 2), (), (), (), (0, 1), 1),
    )
    got = value(g, y, x, np.array([[1, 4], [-1, 0]], np.int32), updates)
    expected = x.copy()
    expected[1:3, 4:7] = updates[0]
    # The second window lies outside with its first row.
    expected[0, 0:3] = updates[1, 1]
    np.testing.assert_array_equal(got, expected)


def test_gather_nd_of_everything_and_of_elements():
    x = floats(2, 3)
    g = Graph()
    got = value(g, g.gather_nd(g.input("x", (2, 3)), g.input("i", (4, 0), "i32")), x, np.zeros((4, 0), np.int32))
    np.testing.assert_array_equal(got, np.broadcast_to(x, (4, 2, 3)))
    g = Graph()
    indices = np.array([[-1, 0], [0, -3]], np.int64)
    got = value(g, g.gather_nd(g.input("x", (2, 3)), g.input("i", (2, 2), "i64")), x, indices)
    np.testing.assert_array_equal(got, x[[1, 0], [0, 0]])
    g = Graph()
    indices = integers(-4, 4, 2, 5, 1)
    table = floats(2, 4, 3)
    got = value(g, g.gather_nd(g.input("x", (2, 4, 3)), g.input("i", (2, 5, 1), "i32"), 1), table, indices)
    np.testing.assert_array_equal(got, np.stack([table[b][indices[b, :, 0]] for b in range(2)]))


def test_elements_of_a_part():
    """`indices` may be smaller than the input."""
    x, indices = floats(3, 4), integers(-4, 4, 2, 6)
    g = Graph()
    got = value(g, g.gather_elements(g.input("x", (3, 4)), g.input("i", (2, 6), "i32"), 1), x, indices)
    np.testing.assert_array_equal(got, np.take_along_axis(x[:2], indices.astype(np.int64), 1))


@pytest.mark.parametrize("index", [-4, 3])
def test_indices_outside(index: int):
    x, outside = floats(3), np.array([[index]], np.int32)
    expected = rf"index {index + 3 if index < 0 else index} is outside of \[0, 3\)"
    g = Graph()
    with pytest.raises(IndexError, match="rlx.gather_nd: " + expected):
        value(g, g.gather_nd(g.input("x", (3,)), g.input("i", (1, 1), "i32")), x, outside)
    g = Graph()
    with pytest.raises(IndexError, match="rlx.gather_elements: " + expected):
        value(g, g.gather_elements(g.input("x", (3,)), g.input("i", (1,), "i32")), x, outside[0])
    g = Graph()
    y = g.scatter_elements(g.input("x", (3,)), g.input("i", (1,), "i32"), g.input("u", (1,)))
    with pytest.raises(IndexError, match="rlx.scatter_elements: " + expected):
        value(g, y, x, outside[0], floats(1))
    g = Graph()
    y = g.scatter_add(g.input("x", (3,)), g.input("i", (1,), "i32"), g.input("u", (1,)))
    with pytest.raises(IndexError, match=rf"rlx.scatter_add: index {index} is outside of \[0, 3\)"):
        value(g, y, x, outside[0], floats(1))


def test_scatter_add_is_the_gradient_of_gather():
    """The sum of `gather(x) * u` changes by `scatter_add(0, u)`."""
    indices, u = integers(0, 3, 4, 2), floats(2, 4, 2, 5)
    g = Graph()
    y = g.scatter_add(g.zeros((2, 3, 5)), g.input("i", (4, 2), "i32"), g.input("u", u.shape), 1)
    got = value(g, y, indices, u)
    expected = np.zeros((2, 3, 5))
    for place in np.ndindex(4, 2):
        expected[:, indices[place]] += u[(slice(None), *place)]
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_sums_are_rounded_once():
    """In bf16 one by one, 256 would stay 256."""
    indices, ones = np.zeros(300, np.int32), np.ones(300, ml_dtypes.bfloat16)
    g = Graph()
    y = g.scatter_add(g.zeros((1,), "bf16"), g.input("i", (300,), "i32"), g.input("u", (300,), "bf16"))
    assert float(value(g, y, indices, ones)[0]) == 300


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [("none", [3, 5, 7]), ("add", [5, 14, 7]), ("mul", [6, 100, 7]), ("max", [3, 5, 7]), ("min", [2, 4, 7])],
)
def test_equal_indices(reduction: str, expected: list[float]):
    x, updates = np.array([2, 5, 7], np.float32), np.array([3, 4, 5], np.float32)
    indices = np.array([[0], [1], [1]], np.int32)
    kind = ScatterReduction(reduction)

    g = Graph()
    y = g.scatter_nd(g.input("x", (3,)), g.input("i", (3, 1), "i32"), g.input("u", (3,)), kind)
    assert value(g, y, x, indices, updates).tolist() == expected
    g = Graph()
    y = g.scatter_elements(g.input("x", (3,)), g.input("i", (3,), "i32"), g.input("u", (3,)), 0, kind)
    assert value(g, y, x, indices[:, 0], updates).tolist() == expected


def test_the_greatest_passes_nan_on():
    g = Graph()
    y = g.scatter_nd(g.input("x", (2,)), g.input("i", (1, 1), "i32"), g.input("u", (1,)), ScatterReduction.MAX)
    got = value(g, y, np.array([1, 2], np.float32), np.array([[1]], np.int32), np.array([np.nan], np.float32))
    np.testing.assert_array_equal(got, np.array([1, np.nan], np.float32))
