"""Quantised experts."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import CodeScheme
from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import (
    DequantGroupedMatMulMlxOp,
    DequantGroupedMatMulOp,
    DequantMoEWeightsOp,
    ScaledGroupedMatMulOp,
)

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class ExpertChapter(Chapter, ABC):
    """Quantised matrices `[E, K, N]`, of which an index picks one for each row."""

    def dequant_moe_weights(
        self,
        weights: Tensor,
        scale: Tensor,
        dtype: str = "f32",
        *,
        scheme: CodeScheme = CodeScheme.PLAIN,
        zero_point: Tensor | None = None,
        block: int | None = None,
    ) -> Tensor:
        """`(weights - zero_point) * scale` for each expert."""
        return self._emit(
            DequantMoEWeightsOp(
                self._value(weights),
                self._value(scale),
                element_type(dtype),
                scheme=scheme,
                zero_point=self._optional(zero_point),
                block=block,
            )
        )

    def dequant_grouped_matmul(
        self,
        x: Tensor,
        weights: Tensor,
        indices: Tensor,
        scale: Tensor,
        *,
        scheme: CodeScheme = CodeScheme.PLAIN,
        zero_point: Tensor | None = None,
        block: int | None = None,
    ) -> Tensor:
        """Each row of `x` times the quantised matrix that its index picks."""
        return self._emit(
            DequantGroupedMatMulOp(
                *map(self._value, (x, weights, indices, scale)),
                scheme=scheme,
                zero_point=self._optional(zero_point),
                block=block,
            )
        )

    def dequant_grouped_matmul_mlx(
        self,
        x: Tensor,
        weights: Tensor,
        indices: Tensor,
        scales: Tensor,
        biases: Tensor,
        *,
        bits: int = 4,
        group_size: int = 64,
    ) -> Tensor:
        """Each row of `x` times the transposed matrix that its index picks, in the affine layout of MLX."""
        return self._emit(
            DequantGroupedMatMulMlxOp(
                *map(self._value, (x, weights, indices, scales, biases)), bits=bits, group_size=group_size
            )
        )

    def scaled_grouped_matmul(
        self, x: Tensor, weights: Tensor, indices: Tensor, x_scale: Tensor, weights_scale: Tensor, dtype: str = "f32"
    ) -> Tensor:
        """Each row of `x` times the transposed matrix that its index picks, both of scaled floats of 8 bits."""
        return self._emit(
            ScaledGroupedMatMulOp(
                *map(self._value, (x, weights, indices, x_scale, weights_scale)), element_type=element_type(dtype)
            )
        )
