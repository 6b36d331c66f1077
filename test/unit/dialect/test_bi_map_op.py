"""Matrices between a matrix and its transpose."""

from typing import Any

import ml_dtypes
import numpy as np
from graph_op import compute

from rlx_dialect.reference import Array

RNG = np.random.default_rng(0)


def between(x: Array, w: Array) -> Array:
    return compute(lambda g, x, w: g.bi_map(x, w), x, w)


def test_term_by_term():
    x, w = RNG.standard_normal((2, 4, 4)), RNG.standard_normal((3, 4))
    np.testing.assert_allclose(between(x, w), np.einsum("mi,bij,nj->bmn", w, x, w))


def test_positive_matrices_stay_positive():
    root, w = RNG.standard_normal((5, 4, 4)), RNG.standard_normal((3, 4))
    got = between(root @ np.swapaxes(root, 1, 2), w)
    np.testing.assert_allclose(got, np.swapaxes(got, 1, 2))
    assert np.linalg.eigvalsh(got).min() > 0


def test_the_first_product_is_not_rounded():
    """`1 + 2^-8` is no number of bf16; the second product takes the 1 off again."""
    bf16: Any = np.dtype(ml_dtypes.bfloat16)
    x = np.array([[1, -1], [2**-8, 0]], bf16)
    got = between(x, np.ones((1, 2), bf16))
    assert got.dtype == bf16
    assert got.tolist() == [[2**-8]]


def test_integers_and_no_matrices():
    x, w = RNG.integers(-9, 9, (2, 3, 3)), RNG.integers(-9, 9, (4, 3))
    np.testing.assert_array_equal(between(x, w), w @ x @ w.T)
    assert between(np.ones((0, 3, 3)), np.ones((4, 3))).shape == (0, 4, 4)
    np.testing.assert_array_equal(between(np.ones((0, 0)), np.ones((2, 0))), np.zeros((2, 2)))
