"""Quantisation."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import BinaryKind, CodeScheme, SpatialLayout
from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.convolution import Pads, Steps, conv_config
from rlx_dialect.graph.experts import ExpertChapter
from rlx_dialect.ops import (
    BinaryOp,
    CastOp,
    DequantizeOp,
    DequantMatMulOp,
    FakeQuantizeBackwardOp,
    FakeQuantizeLSQBackwardScaleOp,
    FakeQuantizeLSQBackwardXOp,
    FakeQuantizeLSQOp,
    FakeQuantizeOp,
    QConv2dOp,
    QMatMulOp,
    QuantizeOp,
    ScaledMatMulOp,
    ScaledQuantScaleOp,
)

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class QuantizationChapter(ExpertChapter, ABC):
    """Tensors of few bits, their scales, and their products."""

    def quantize(
        self,
        x: Tensor,
        scale: Tensor,
        dtype: str = "i8",
        *,
        zero_point: Tensor | None = None,
        axis: int | None = None,
        block: int | None = None,
    ) -> Tensor:
        """`saturate(round(x / scale) + zero_point)`"""
        return self._emit(
            QuantizeOp(
                self._value(x),
                self._value(scale),
                element_type(dtype),
                zero_point=self._optional(zero_point),
                axis=axis,
                block=block,
            )
        )

    def dequantize(
        self,
        x: Tensor,
        scale: Tensor,
        *,
        zero_point: Tensor | None = None,
        axis: int | None = None,
        block: int | None = None,
    ) -> Tensor:
        """`(x - zero_point) * scale`"""
        return self._emit(
            DequantizeOp(
                self._value(x), self._value(scale), zero_point=self._optional(zero_point), axis=axis, block=block
            )
        )

    def scaled_quant_scale(self, x: Tensor, dtype: str = "f8e4m3fn") -> Tensor:
        """The scale with which x fills a float type of 8 bits."""
        return self._emit(ScaledQuantScaleOp(self._value(x), element_type(dtype)))

    def fake_quantize(
        self, x: Tensor, *, bits: int = 8, scale: Tensor | None = None, axis: int | None = None
    ) -> Tensor:
        """What x would be once quantised."""
        return self._emit(FakeQuantizeOp(self._value(x), bits=bits, scale=self._optional(scale), axis=axis))

    def fake_quantize_backward(
        self, x: Tensor, gradient: Tensor, *, bits: int = 8, scale: Tensor | None = None, axis: int | None = None
    ) -> Tensor:
        """The straight-through gradient of `fake_quantize`."""
        return self._emit(
            FakeQuantizeBackwardOp(
                self._value(x), self._value(gradient), bits=bits, scale=self._optional(scale), axis=axis
            )
        )

    def fake_quantize_lsq(self, x: Tensor, scale: Tensor, *, bits: int = 8, axis: int | None = None) -> Tensor:
        """What x would be once quantised with a learned scale."""
        return self._emit(FakeQuantizeLSQOp(self._value(x), self._value(scale), bits=bits, axis=axis))

    def fake_quantize_lsq_backward_x(
        self, x: Tensor, scale: Tensor, gradient: Tensor, *, bits: int = 8, axis: int | None = None
    ) -> Tensor:
        """The gradient of `fake_quantize_lsq` by x."""
        return self._emit(FakeQuantizeLSQBackwardXOp(*map(self._value, (x, scale, gradient)), bits=bits, axis=axis))

    def fake_quantize_lsq_backward_scale(
        self, x: Tensor, scale: Tensor, gradient: Tensor, *, bits: int = 8, axis: int | None = None
    ) -> Tensor:
        """The gradient of `fake_quantize_lsq` by the scale."""
        return self._emit(FakeQuantizeLSQBackwardScaleOp(*map(self._value, (x, scale, gradient)), bits=bits, axis=axis))

    def qmatmul(
        self,
        lhs: Tensor,
        rhs: Tensor,
        *,
        lhs_zero_point: Tensor | None = None,
        rhs_zero_point: Tensor | None = None,
    ) -> Tensor:
        """The product of bytes in i32."""
        return self._emit(
            QMatMulOp(
                self._value(lhs),
                self._value(rhs),
                lhs_zero_point=self._optional(lhs_zero_point),
                rhs_zero_point=self._optional(rhs_zero_point),
            )
        )

    def qconv2d(
        self,
        x: Tensor,
        weight: Tensor,
        *,
        input_zero_point: Tensor | None = None,
        weight_zero_point: Tensor | None = None,
        stride: Steps = 1,
        padding: Pads = 0,
        dilation: Steps = 1,
        groups: int = 1,
        input_dilation: Steps = 1,
        layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
    ) -> Tensor:
        """The convolution of bytes in i32, with the arguments of `conv`."""
        return self._emit(
            QConv2dOp(
                self._value(x),
                self._value(weight),
                conv_config(x, stride, padding, dilation, groups, input_dilation, layout),
                input_zero_point=self._optional(input_zero_point),
                weight_zero_point=self._optional(weight_zero_point),
            )
        )

    def requantize(
        self, sums: Tensor, scale: Tensor, new_scale: Tensor, dtype: str = "i8", *, zero_point: Tensor | None = None
    ) -> Tensor:
        """Sums that stand for multiples of `scale` as multiples of `new_scale`."""
        real = self._emit(CastOp(self._value(sums), element_type(scale.dtype)))
        value = self._emit(BinaryOp(BinaryKind.MUL, self._value(real), self._value(scale)))
        return self.quantize(value, new_scale, dtype, zero_point=zero_point)

    def dequant_matmul(
        self,
        x: Tensor,
        weight: Tensor,
        scale: Tensor,
        *,
        scheme: CodeScheme = CodeScheme.PLAIN,
        zero_point: Tensor | None = None,
        block: int | None = None,
    ) -> Tensor:
        """`x` times a quantised weight."""
        return self._emit(
            DequantMatMulOp(
                self._value(x),
                self._value(weight),
                self._value(scale),
                scheme=scheme,
                zero_point=self._optional(zero_point),
                block=block,
            )
        )

    def scaled_matmul(
        self, lhs: Tensor, rhs: Tensor, lhs_scale: Tensor, rhs_scale: Tensor, dtype: str = "f32"
    ) -> Tensor:
        """`(lhs * lhs_scale) @ (rhs * rhs_scale)^T` of floats of 8 bits."""
        return self._emit(
            ScaledMatMulOp(
                self._value(lhs),
                self._value(rhs),
                self._value(lhs_scale),
                self._value(rhs_scale),
                element_type(dtype),
            )
        )
