"""Convolutions and what resamples images."""

from __future__ import annotations

from collections.abc import Sequence

from rlx_dialect.attributes import (
    Activation,
    NearestRounding,
    PoolKind,
    ResizeCoordinates,
    ResizeMode,
    SpatialLayout,
)
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import (
    ConvConfig,
    ConvOp,
    ConvTransposeOp,
    FusedConvBiasActOp,
    Im2ColOp,
    PoolConfig,
    PoolOp,
    ResizeOp,
)

Steps = int | Sequence[int]
"""One number for all spatial dims, or one for each."""

Pads = int | Sequence[int | tuple[int, int]]
"""One number for all ends, or for each spatial dim one number or a pair of low and high."""


def conv_config(
    x: Tensor,
    stride: Steps = 1,
    padding: Pads = 0,
    dilation: Steps = 1,
    groups: int = 1,
    input_dilation: Steps = 1,
    layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
) -> ConvConfig:
    """The attributes of a convolution over `x`."""
    rank = len(x.shape) - 2
    low, high = pads(padding, rank)
    return ConvConfig(
        steps(stride, rank), low, high, steps(dilation, rank), steps(input_dilation, rank), groups, layout
    )


def steps(value: Steps, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def pads(value: Pads, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The low and the high ends."""
    pairs = [(each, each) if isinstance(each, int) else each for each in steps_or_pairs(value, rank)]
    return tuple(low for low, _ in pairs), tuple(high for _, high in pairs)


def steps_or_pairs(value: Pads, rank: int) -> Sequence[int | tuple[int, int]]:
    return (value,) * rank if isinstance(value, int) else value


def pool_config(
    x: Tensor,
    kernel: Steps,
    stride: Steps = 1,
    padding: Pads = 0,
    dilation: Steps = 1,
    ceil: bool = False,
    layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
) -> PoolConfig:
    """The attributes of a window over `x`."""
    rank = len(x.shape) - 2
    low, high = pads(padding, rank)
    return PoolConfig(steps(kernel, rank), steps(stride, rank), low, high, steps(dilation, rank), ceil, layout)


class ConvolutionChapter(GraphBase):
    """
    Convolutions and resampling. Numbers of a window are given once for all spatial dims, or one by one; a pad may be a
    pair of low and high.
    """

    def conv(
        self,
        x: Tensor,
        weight: Tensor,
        *,
        stride: Steps = 1,
        padding: Pads = 0,
        dilation: Steps = 1,
        groups: int = 1,
        input_dilation: Steps = 1,
        layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
    ) -> Tensor:
        """`[N, C, ..]` with kernels `[M, C / groups, ..]`."""
        config = conv_config(x, stride, padding, dilation, groups, input_dilation, layout)
        return self._emit(ConvOp(self._value(x), self._value(weight), config))

    def fused_conv_bias_act(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        activation: Activation | None = None,
        *,
        residual: Tensor | None = None,
        stride: Steps = 1,
        padding: Pads = 0,
        dilation: Steps = 1,
        groups: int = 1,
        input_dilation: Steps = 1,
        layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
    ) -> Tensor:
        """`activation(conv(x, weight) (+ bias) (+ residual))`"""
        config = conv_config(x, stride, padding, dilation, groups, input_dilation, layout)
        operands = self._value(x), self._value(weight), self._optional(bias)
        return self._emit(FusedConvBiasActOp(*operands, config, activation, residual=self._optional(residual)))

    def conv_transpose(
        self,
        x: Tensor,
        weight: Tensor,
        *,
        stride: Steps = 1,
        padding: Pads = 0,
        output_padding: Steps = 0,
        dilation: Steps = 1,
        groups: int = 1,
        layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
    ) -> Tensor:
        """The adjoint of `conv`: `[N, C, ..]` with kernels `[C, M / groups, ..]`."""
        config = conv_config(x, stride, padding, dilation, groups, 1, layout)
        more = steps(output_padding, len(x.shape) - 2)
        return self._emit(ConvTransposeOp(self._value(x), self._value(weight), config, output_pad=more))

    def pool(
        self,
        kind: PoolKind,
        x: Tensor,
        kernel: Steps,
        *,
        stride: Steps = 1,
        padding: Pads = 0,
        dilation: Steps = 1,
        ceil: bool = False,
        count_include_pad: bool = False,
        layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
    ) -> Tensor:
        """The largest or the mean of each window."""
        config = pool_config(x, kernel, stride, padding, dilation, ceil, layout)
        return self._emit(PoolOp(kind, self._value(x), config, count_include_pad=count_include_pad))

    def im2col(
        self,
        x: Tensor,
        kernel: Steps,
        *,
        stride: Steps = 1,
        padding: Pads = 0,
        dilation: Steps = 1,
        layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST,
    ) -> Tensor:
        """What each window sees, along the channels."""
        return self._emit(Im2ColOp(self._value(x), pool_config(x, kernel, stride, padding, dilation, False, layout)))

    def interpolate3d(self, x: Tensor, size: Sequence[int]) -> Tensor:
        """The nearest elements of `[N, C, D, H, W]`, each new element from the old one that it starts in."""
        grid, rounding = ResizeCoordinates.ASYMMETRIC, NearestRounding.FLOOR
        return self._emit(
            ResizeOp(ResizeMode.NEAREST, self._value(x), (2, 3, 4), size, coordinates=grid, rounding=rounding)
        )
