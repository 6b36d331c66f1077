"""Contractions: sums in float64, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import BiMapOp, DotGeneralOp, GroupedMatMulOp, MatMulOp
from rlx_dialect.reference.numeric import Array, check_indices, rounded, wide
from rlx_dialect.shapes import normalize_axes


def dot_general(
    lhs: Array,
    rhs: Array,
    lhs_contracting: Sequence[int],
    rhs_contracting: Sequence[int],
    lhs_batch: Sequence[int],
    rhs_batch: Sequence[int],
) -> Array:
    """Both sides as one batched matrix product, free dims merged. Axes may count from the end."""
    lhs_batch, lhs_contracting = (normalize_axes(axes, lhs.ndim) for axes in (lhs_batch, lhs_contracting))
    rhs_batch, rhs_contracting = (normalize_axes(axes, rhs.ndim) for axes in (rhs_batch, rhs_contracting))

    def grouped(
        side: Array, batch: Sequence[int], contracting: Sequence[int], free_first: bool
    ) -> tuple[Array, list[int]]:
        free = [axis for axis in range(side.ndim) if axis not in batch and axis not in contracting]
        middle = (*free, *contracting) if free_first else (*contracting, *free)
        moved = side.transpose((*batch, *middle))
        sizes = [int(np.prod([side.shape[a] for a in axes], dtype=int)) for axes in (free, contracting)]
        shape = sizes if free_first else sizes[::-1]
        return moved.reshape([side.shape[a] for a in batch] + shape), [side.shape[a] for a in free]

    left, left_free = grouped(lhs, lhs_batch, lhs_contracting, free_first=True)
    right, right_free = grouped(rhs, rhs_batch, rhs_contracting, free_first=False)
    product = left @ right
    return product.reshape([lhs.shape[a] for a in lhs_batch] + left_free + right_free)


@register_impls
class ContractionFunctions(InterpreterFunctions):
    @impl(MatMulOp)
    def matmul(self, interpreter: Interpreter, op: MatMulOp, args: tuple[Any, ...]):
        return (rounded(wide(args[0], op.accumulate) @ wide(args[1], op.accumulate), op.result),)

    @impl(DotGeneralOp)
    def dot_general(self, interpreter: Interpreter, op: DotGeneralOp, args: tuple[Any, ...]):
        product = dot_general(
            wide(args[0], op.accumulate),
            wide(args[1], op.accumulate),
            op.lhs_contracting.get_values(),
            op.rhs_contracting.get_values(),
            op.lhs_batch.get_values(),
            op.rhs_batch.get_values(),
        )
        return (rounded(product, op.result),)

    @impl(GroupedMatMulOp)
    def grouped_matmul(self, interpreter: Interpreter, op: GroupedMatMulOp, args: tuple[Any, ...]):
        rows, weights, indices = args
        check_indices(indices, weights.shape[0], op.name)
        rows, weights = wide(rows, op.accumulate), wide(weights, op.accumulate)
        return (rounded((rows[..., None, :] @ weights[indices])[..., 0, :], op.result),)

    @impl(BiMapOp)
    def bi_map(self, interpreter: Interpreter, op: BiMapOp, args: tuple[Any, ...]):
        value, weight = map(wide, args)
        return (rounded(weight @ value @ weight.T, op.result),)
