"""Products of the quantised weights of experts, and those weights as floats."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import CodeScheme
from rlx_dialect.ops import (
    DequantGroupedMatMulMlxOp,
    DequantGroupedMatMulOp,
    DequantMoEWeightsOp,
    ScaledGroupedMatMulOp,
)
from rlx_dialect.ops.quantization import integer
from rlx_dialect.ops.quantized_grouped import WORD
from rlx_dialect.reference.numeric import Array, check_indices, rounded, wide
from rlx_dialect.reference.quantization import spread, unpacked


def whole_experts(
    op: DequantMoEWeightsOp | DequantGroupedMatMulOp, weights: Array, scale: Array, zero_point: Array | None
) -> Array:
    """`(weights - zero_point) * scale` in float64."""
    whole = (weights if op.codes is CodeScheme.PLAIN else unpacked(weights, op.codes)).astype(np.float64)

    def each(part: Array) -> Array:
        if (block := integer(op.block)) is not None:
            return spread(wide(part), whole.shape, 1, block)
        return part.reshape(()) if part.ndim < 2 else part[:, None, :]

    if zero_point is not None:
        whole = whole - each(zero_point.astype(np.float64))
    return whole * each(wide(scale))


def mlx_codes(words: Array, bits: int) -> Array:
    """The `bits`-bit numbers that fill the words of the last axis one after the other, least significant bit first."""
    stream = words.astype(np.uint64)[..., None] >> np.arange(WORD, dtype=np.uint64) & np.uint64(1)
    codes = stream.reshape(*words.shape[:-1], words.shape[-1] * WORD // bits, bits)
    return codes @ (1 << np.arange(bits, dtype=np.uint64))


def picked(rows: Array, matrices: Array, indices: Array, name: str) -> Array:
    """Each row times the matrix `[K, N]` that its index picks."""
    check_indices(indices, matrices.shape[0], name)
    return (rows[..., None, :] @ matrices[indices])[..., 0, :]


@register_impls
class QuantizedExpertFunctions(InterpreterFunctions):
    @impl(DequantMoEWeightsOp)
    def dequant(self, interpreter: Interpreter, op: DequantMoEWeightsOp, args: tuple[Any, ...]):
        weights, scale, *zero = args
        return (rounded(whole_experts(op, weights, scale, zero[0] if zero else None), op.result),)

    @impl(DequantGroupedMatMulOp)
    def dequant_grouped(self, interpreter: Interpreter, op: DequantGroupedMatMulOp, args: tuple[Any, ...]):
        rows, weights, indices, scale, *zero = args
        whole = whole_experts(op, weights, scale, zero[0] if zero else None)
        return (rounded(picked(wide(rows), whole, indices, op.name), op.result),)

    @impl(DequantGroupedMatMulMlxOp)
    def dequant_mlx(self, interpreter: Interpreter, op: DequantGroupedMatMulMlxOp, args: tuple[Any, ...]):
        rows, words, indices, scales, biases = args
        codes = mlx_codes(words, op.bits.value.data)
        scales, biases = (wide(part).repeat(op.group_size.value.data, axis=-1) for part in (scales, biases))
        whole = np.swapaxes(codes * scales + biases, 1, 2)
        return (rounded(picked(wide(rows), whole, indices, op.name), op.result),)

    @impl(ScaledGroupedMatMulOp)
    def scaled_grouped(self, interpreter: Interpreter, op: ScaledGroupedMatMulOp, args: tuple[Any, ...]):
        rows, weights, indices, rows_scale, weights_scale = args
        product = picked(wide(rows), np.swapaxes(wide(weights), 1, 2), indices, op.name)
        by_row = wide(rows_scale).reshape(()) if rows_scale.size == 1 else wide(rows_scale)[..., None]
        by_expert = (
            wide(weights_scale).reshape(()) if weights_scale.size == 1 else wide(weights_scale)[indices][..., None]
        )
        return (rounded(product * (by_row * by_expert), op.result),)
