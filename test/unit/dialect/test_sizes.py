"""Sizes that are known at run time only, in the builder and in the reference."""

import numpy as np
import pytest

from rlx_dialect.builder import Graph
from rlx_dialect.reference import run
from rlx_dialect.shapes import ShapeError


def test_reckoned_sizes():
    """`[b, s, 6]` becomes `[b * s // 2, 12]`, and is told by its sizes."""
    g = Graph()
    x = g.input("x", (None, None, 6))
    rows = g.size("//", g.size("*", g.dim(x, 0), g.dim(x, 1)), 2)
    g.output("y", g.reshape(x, (rows, 12)))
    g.output("sizes", g.sizes([rows, g.size("-", g.size("+", g.dim(x, 1), 5), 1), 12]))
    array = np.arange(2 * 4 * 6, dtype=np.float32).reshape(2, 4, 6)
    results = run(g.module(), inputs=[array])
    np.testing.assert_array_equal(results["y"], array.reshape(4, 12))
    np.testing.assert_array_equal(results["sizes"], np.array([4, 8, 12]))


def test_a_size_out_of_a_tensor():
    g = Graph()
    lengths = g.input("lengths", (2,), "i64")
    g.output("y", g.filled([g.size_at(lengths, 1), 3], 1.5))
    assert run(g.module(), inputs=[np.array([7, 4])])["y"].shape == (4, 3)


def test_a_size_is_an_integer():
    g = Graph()
    with pytest.raises(ShapeError, match="a size is an integer, got an element of tensor<2xf32>"):
        g.size_at(g.input("x", (2,)), 0)
