"""Rotary position embeddings and the key-value cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import RopeStyle, RopeTable
from rlx_dialect.ops import AxialRope2dOp, KvAppendOp, RopeBackwardOp, RopeOp, RotaryOp
from rlx_dialect.reference.numeric import Array, rounded, wide


def paired(x: Array, n_rot: int, style: RopeStyle) -> tuple[Array, Array]:
    """The first and the second elements of all pairs on the last axis."""
    half = n_rot // 2
    if style is RopeStyle.NEOX:
        return x[..., :half], x[..., half:n_rot]
    return x[..., 0:n_rot:2], x[..., 1:n_rot:2]


def turned(op: RotaryOp, args: tuple[Any, ...], backward: bool) -> Array:
    """The formulas of `RopeOp` and `RopeBackwardOp` in float64."""
    x, n_rot, style = wide(args[0]), op.n_rot.value.data, op.pairs
    axis = op.axis.value.data % x.ndim
    tables: list[tuple[Array, Array]] = []
    for table in map(wide, args[1:]):
        shape = [1] * x.ndim
        shape[axis], shape[-1] = table.shape[-2:]
        if table.ndim == 3:
            shape[0] = table.shape[0]
        laid = table.reshape(shape)
        tables.append(paired(laid, n_rot, style) if op.entries is RopeTable.FULL else (laid, laid))
    (cos_i, cos_j), (sin_i, sin_j) = tables
    i, j = paired(x, n_rot, style)
    result = x.copy()
    to_i, to_j = paired(result, n_rot, style)
    to_i[...] = i * cos_i + j * sin_j if backward else i * cos_i - j * sin_i
    to_j[...] = j * cos_j - i * sin_i if backward else j * cos_j + i * sin_j
    return result


def axial_angles(tiles: int, grid: tuple[int, int], width: int, theta: float) -> Array:
    """`[tiles, width / 2]`: by how much `rlx.axial_rope2d` turns each pair of each tile."""
    at = np.arange(tiles)
    frequencies = theta ** (-4.0 * np.arange(width // 4) / width)
    columns, rows = at % grid[1], at // grid[1] % grid[0]
    return np.concatenate([np.outer(columns, frequencies), np.outer(rows, frequencies)], -1)


@register_impls
class PositionFunctions(InterpreterFunctions):
    @impl(RopeOp)
    def rope(self, interpreter: Interpreter, op: RopeOp, args: tuple[Any, ...]):
        return (rounded(turned(op, args, backward=False), op.result),)

    @impl(RopeBackwardOp)
    def rope_backward(self, interpreter: Interpreter, op: RopeBackwardOp, args: tuple[Any, ...]):
        return (rounded(turned(op, args, backward=True), op.result),)

    @impl(AxialRope2dOp)
    def axial_rope2d(self, interpreter: Interpreter, op: AxialRope2dOp, args: tuple[Any, ...]):
        x = wide(args[0])
        axis = op.axis.value.data % x.ndim
        height, width = op.grid.get_values()
        angles = axial_angles(x.shape[axis], (height, width), x.shape[-1], op.theta.value.data)
        angles = angles.reshape([d if a == axis else 1 for a, d in enumerate(x.shape[:-1])] + [x.shape[-1] // 2])
        pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
        return (rounded(np.stack([pairs.real, pairs.imag], -1).reshape(x.shape), op.result),)

    @impl(KvAppendOp)
    def kv_append(self, interpreter: Interpreter, op: KvAppendOp, args: tuple[Any, ...]):
        cache, rows = args
        axis, position = op.axis.value.data, op.position.value.data
        if position + rows.shape[axis] > cache.shape[axis]:
            raise IndexError(
                f"rlx.kv_append: {rows.shape[axis]} rows at position {position} exceed a cache of {cache.shape[axis]}"
            )
        return (np.concatenate([np.take(cache, range(position), axis), rows], axis),)
