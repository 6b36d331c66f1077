"""Quantisation."""

from __future__ import annotations

from rlx_dialect.attributes import BinaryKind, SpatialLayout
from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.graph.convolution import Pads, Steps, conv_config
from rlx_dialect.ops import BinaryOp, CastOp, QConv2dOp, QuantizeOp


class QuantizationChapter(GraphBase):
    """Tensors of few bits, their scales, and their products."""

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
        operands = self._value(value), self._value(new_scale), element_type(dtype)
        return self._emit(QuantizeOp(*operands, zero_point=self._optional(zero_point)))
