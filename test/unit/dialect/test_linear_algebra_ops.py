"""Linear algebra: what defines each result, and what a matrix without one gives."""

import numpy as np
import pytest
from graph_op import compute, compute_all
from one_op import slopes

from rlx_dialect.attributes import Triangle
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array

RNG = np.random.default_rng(0)


def matrices(*dims: int) -> Array:
    return RNG.standard_normal(dims)


def test_dense_solve():
    a, b, c = matrices(4, 4), matrices(4), matrices(4, 3)
    np.testing.assert_allclose(a @ compute(Graph.dense_solve, a, b), b, atol=1e-12)
    np.testing.assert_allclose(a @ compute(Graph.dense_solve, a, c), c, atol=1e-12)


def test_batched_dense_solve():
    a, b, c = matrices(2, 3, 4, 4), matrices(2, 3, 4), matrices(2, 3, 4, 5)
    np.testing.assert_allclose((a @ compute(Graph.batched_dense_solve, a, b)[..., None])[..., 0], b, atol=1e-12)
    np.testing.assert_allclose(a @ compute(Graph.batched_dense_solve, a, c), c, atol=1e-12)


def test_a_singular_matrix_has_no_solution():
    a = np.stack([np.zeros((2, 2)), np.eye(2)])
    got = compute(Graph.batched_dense_solve, a, np.ones((2, 2)))
    assert not np.isfinite(got[0]).any()
    np.testing.assert_array_equal(got[1], [1, 1])


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("triangle", Triangle)
def test_triangular_solve(triangle: Triangle, transpose: bool):
    a, b = matrices(2, 4, 4), matrices(2, 4, 3)

    def build(g: Graph, a: Tensor, b: Tensor) -> Tensor:
        return g.triangular_solve(a, b, triangle, transpose=transpose)

    read = np.tril(a) if triangle is Triangle.LOWER else np.triu(a)
    read = read.swapaxes(-1, -2) if transpose else read
    np.testing.assert_allclose(read @ compute(build, a, b), b, atol=1e-11)


def test_cholesky():
    a = matrices(3, 4, 4)
    positive = a @ a.swapaxes(-1, -2) + np.eye(4)
    got = compute(Graph.cholesky, np.tril(positive) + np.triu(matrices(4, 4), 1))
    np.testing.assert_allclose(got @ got.swapaxes(-1, -2), positive, atol=1e-12)
    np.testing.assert_array_equal(np.triu(got, 1), np.zeros_like(got))


def test_only_what_is_not_positive_definite_is_nan():
    got = compute(Graph.cholesky, np.stack([-np.eye(2), 4 * np.eye(2)]))
    assert np.isnan(got[0]).all()
    np.testing.assert_array_equal(got[1], 2 * np.eye(2))


def test_determinants():
    a = np.array([[[2.0, 1], [1, 3]], [[1, 2], [2, 4]], [[0, 1], [1, 0]]])
    np.testing.assert_allclose(compute(Graph.det, a), [5, 0, -1], atol=1e-15)
    np.testing.assert_allclose(compute(Graph.log_det, a), [np.log(5), -np.inf, np.nan])
    assert compute(Graph.det, np.zeros((0, 0))) == 1
    assert compute(Graph.log_det, np.zeros((2, 0, 0))).tolist() == [0, 0]


@pytest.mark.parametrize("dims", [(5, 3), (3, 5), (2, 4, 4), (0, 3, 2)])
def test_svd(dims: tuple[int, ...]):
    a = matrices(*dims)
    u, s, vt = compute_all(Graph.svd, a)
    np.testing.assert_allclose((u * s[..., None, :]) @ vt, a, atol=1e-12)
    unit = np.broadcast_to(np.eye(s.shape[-1]), (*dims[:-2], s.shape[-1], s.shape[-1]))
    np.testing.assert_allclose(u.swapaxes(-1, -2) @ u, unit, atol=1e-12)
    np.testing.assert_allclose(vt @ vt.swapaxes(-1, -2), unit, atol=1e-12)
    assert (s >= 0).all()
    assert (np.diff(s) <= 0).all()
    assert (u.max(axis=-2, initial=-1) >= -u.min(axis=-2, initial=1)).all()


@pytest.mark.parametrize("dims", [(5, 3), (3, 5), (2, 4, 4), (0, 3, 2)])
def test_qr(dims: tuple[int, ...]):
    a = matrices(*dims)
    q, r = compute_all(Graph.qr, a)
    np.testing.assert_allclose(q @ r, a, atol=1e-12)
    rank = q.shape[-1]
    unit = np.broadcast_to(np.eye(rank), (*dims[:-2], rank, rank))
    np.testing.assert_allclose(q.swapaxes(-1, -2) @ q, unit, atol=1e-12)
    np.testing.assert_allclose(np.tril(r, -1), np.zeros_like(r), atol=1e-12)
    assert (np.diagonal(r, axis1=-2, axis2=-1) >= 0).all()


def test_eigh():
    a = matrices(2, 4, 4)
    got = compute(Graph.eigh, a)
    values, vectors = got[:, :4], got[:, 4:].reshape(2, 4, 4)
    np.testing.assert_allclose(
        (vectors * values[:, None]) @ vectors.swapaxes(1, 2), (a + a.swapaxes(1, 2)) / 2, atol=1e-12
    )
    np.testing.assert_allclose(vectors.swapaxes(1, 2) @ vectors, np.broadcast_to(np.eye(4), (2, 4, 4)), atol=1e-12)
    assert (np.diff(values) >= 0).all()
    assert (vectors.max(axis=1) >= -vectors.min(axis=1)).all()


def test_eigh_backward():
    a, outer = matrices(2, 3, 3), matrices(2, 12)
    got = compute(Graph.eigh_backward, a, outer)
    np.testing.assert_allclose(got, slopes(lambda x: compute(Graph.eigh, x), a, outer), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(got, got.swapaxes(1, 2))


def test_equal_eigenvalues_have_a_gradient():
    got = compute(Graph.eigh_backward, np.eye(2), np.array([1.0, 2, 0, 0, 0, 0]))
    assert np.isfinite(got).all()


def test_results_are_rounded_once():
    a = matrices(3, 3).astype(np.float32)
    np.testing.assert_array_equal(compute(Graph.det, a), np.float32(np.linalg.det(a.astype(np.float64))))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_only_what_holds_no_numbers_has_no_factors(bad: float):
    a = np.stack([np.full((2, 2), bad), np.eye(2)])
    for result in (*compute_all(Graph.svd, a), *compute_all(Graph.qr, a), compute(Graph.eigh, a)):
        assert np.isnan(result[0]).all()
        assert np.isfinite(result[1]).all()
    for build in (Graph.det, Graph.log_det):
        assert not np.isfinite(compute(build, a)[0])
    for build in (Graph.dense_solve, Graph.triangular_solve):
        assert np.isnan(compute(build, a[0], a[1])).all()
