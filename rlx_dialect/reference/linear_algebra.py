"""Linear algebra, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import QrPart, SvdPart, Triangle
from rlx_dialect.ops import (
    BatchedDenseSolveOp,
    CholeskyOp,
    DenseSolveOp,
    DetOp,
    EighBackwardOp,
    EighOp,
    LogDetOp,
    QrOp,
    SvdOp,
    TriangularSolveOp,
)
from rlx_dialect.reference.numeric import Array, rounded, wide


def each(function: Callable[..., Array], shape: tuple[int, ...], *arrays: Array) -> Array:
    """`function` of each entry of a batch of matrices; NaN where it has no answer. `shape` is that of the result."""
    result = np.full(shape, np.nan)
    for index in np.ndindex(arrays[0].shape[:-2]):
        entries = [array[index] for array in arrays]
        if all(np.isfinite(entry).all() for entry in entries):
            try:
                result[index] = function(*entries)
            except np.linalg.LinAlgError:
                continue
    return result


def solve(matrix: Array, rhs: Array) -> Array:
    """`rhs` holds vectors if its rank is one less."""
    columns = rhs[..., None] if rhs.ndim < matrix.ndim else rhs
    return each(np.linalg.solve, columns.shape, matrix, columns).reshape(rhs.shape)


def cholesky(value: Array) -> Array:
    lower = np.tril(value)
    return each(np.linalg.cholesky, value.shape, lower + np.swapaxes(np.tril(lower, -1), -1, -2))


def signs(vectors: Array) -> Array:
    """For each column 1 or -1: the sign of its element of largest magnitude, the first of several."""
    if vectors.size == 0:
        return np.ones((*vectors.shape[:-2], vectors.shape[-1]))
    largest = np.abs(vectors).argmax(axis=-2)[..., None, :]
    return np.where(np.take_along_axis(vectors, largest, axis=-2) < 0, -1.0, 1.0).squeeze(-2)


def factors(function: Callable[[Array], tuple[Array, ...]], value: Array) -> tuple[Array, ...]:
    """`function` of a batch of matrices; NaN for those that hold NaN or infinities, which LAPACK may refuse."""
    lost = ~np.asarray(np.isfinite(value).all(axis=(-2, -1)))
    parts = function(np.where(lost[..., None, None], 0, value))
    return tuple(np.where(lost.reshape(lost.shape + (1,) * (part.ndim - lost.ndim)), np.nan, part) for part in parts)


def svd(value: Array) -> tuple[Array, Array, Array]:
    u, s, vt = np.linalg.svd(value, full_matrices=False)
    turn = signs(u)
    return u * turn[..., None, :], s, vt * turn[..., :, None]


def qr(value: Array) -> tuple[Array, Array]:
    q, r = np.linalg.qr(value)
    turn = np.where(np.diagonal(r, axis1=-2, axis2=-1) < 0, -1.0, 1.0)
    return q * turn[..., None, :], r * turn[..., :, None]


def eigh(value: Array) -> tuple[Array, Array]:
    """Eigenvalues, and eigenvectors as columns, of the symmetric part."""
    values, vectors = np.linalg.eigh((value + np.swapaxes(value, -1, -2)) / 2)
    return values, vectors * signs(vectors)[..., None, :]


@register_impls
class LinearAlgebraFunctions(InterpreterFunctions):
    @impl(DenseSolveOp)
    def dense_solve(self, interpreter: Interpreter, op: DenseSolveOp, args: tuple[Any, ...]):
        return (rounded(solve(wide(args[0]), wide(args[1])), op.result),)

    @impl(BatchedDenseSolveOp)
    def batched_dense_solve(self, interpreter: Interpreter, op: BatchedDenseSolveOp, args: tuple[Any, ...]):
        return (rounded(solve(wide(args[0]), wide(args[1])), op.result),)

    @impl(TriangularSolveOp)
    def triangular_solve(self, interpreter: Interpreter, op: TriangularSolveOp, args: tuple[Any, ...]):
        matrix = np.tril(wide(args[0])) if op.part is Triangle.LOWER else np.triu(wide(args[0]))
        if op.transpose is not None:
            matrix = np.swapaxes(matrix, -1, -2)
        return (rounded(solve(matrix, wide(args[1])), op.result),)

    @impl(CholeskyOp)
    def cholesky(self, interpreter: Interpreter, op: CholeskyOp, args: tuple[Any, ...]):
        return (rounded(cholesky(wide(args[0])), op.result),)

    @impl(DetOp)
    def det(self, interpreter: Interpreter, op: DetOp, args: tuple[Any, ...]):
        return (rounded(np.linalg.det(wide(args[0])), op.result),)

    @impl(LogDetOp)
    def log_det(self, interpreter: Interpreter, op: LogDetOp, args: tuple[Any, ...]):
        sign, size = np.linalg.slogdet(wide(args[0]))
        return (rounded(np.where(sign < 0, np.nan, size), op.result),)

    @impl(SvdOp)
    def svd(self, interpreter: Interpreter, op: SvdOp, args: tuple[Any, ...]):
        parts = dict(zip(SvdPart, factors(svd, wide(args[0]))))
        return (rounded(parts[op.factor], op.result),)

    @impl(QrOp)
    def qr(self, interpreter: Interpreter, op: QrOp, args: tuple[Any, ...]):
        parts = dict(zip(QrPart, factors(qr, wide(args[0]))))
        return (rounded(parts[op.factor], op.result),)

    @impl(EighOp)
    def eigh(self, interpreter: Interpreter, op: EighOp, args: tuple[Any, ...]):
        values, vectors = factors(eigh, wide(args[0]))
        flat = vectors.reshape(*values.shape[:-1], vectors.shape[-1] ** 2)
        return (rounded(np.concatenate([values, flat], axis=-1), op.result),)

    @impl(EighBackwardOp)
    def eigh_backward(self, interpreter: Interpreter, op: EighBackwardOp, args: tuple[Any, ...]):
        value, gradient = wide(args[0]), wide(args[1])
        values, vectors = factors(eigh, value)
        by_values, by_vectors = (
            gradient[..., : values.shape[-1]],
            gradient[..., values.shape[-1] :].reshape(value.shape),
        )
        gaps = values[..., None, :] - values[..., :, None]
        shares = np.where(gaps == 0, 0, 1 / np.where(gaps == 0, 1, gaps))
        turned = np.swapaxes(vectors, -1, -2)
        inner = shares * (turned @ by_vectors) + by_values[..., None] * np.eye(values.shape[-1])
        result = vectors @ inner @ turned
        return (rounded((result + np.swapaxes(result, -1, -2)) / 2, op.result),)
