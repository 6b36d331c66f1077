"""Convolutions."""

from __future__ import annotations

from rlx_dialect.builder import Tensor
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


@rule("convolution.default")
def convolution(c: Call) -> Tensor:
    """A convolution or the adjoint of one, with a bias along the channels."""
    x, weight, bias = c.tensor("input"), c.tensor("weight"), c.optional("bias")
    rank = len(weight.shape) - 2
    stride, padding, dilation = (spread(c.integers(name), rank) for name in ("stride", "padding", "dilation"))
    groups = c.integer("groups")
    if c.flag("transposed"):
        more = spread(c.integers("output_padding"), rank)
        result = c.g.conv_transpose(
            x, weight, stride=stride, padding=padding, output_padding=more, dilation=dilation, groups=groups
        )
    else:
        result = c.g.conv(x, weight, stride=stride, padding=padding, dilation=dilation, groups=groups)
    return result if bias is None else result + c.g.reshape(bias, (*bias.shape, *[1] * rank))


def spread(values: list[int], rank: int) -> list[int]:
    """One number for each spatial dim."""
    return values * rank if len(values) == 1 else values


@rule("im2col.default")
def im2col(c: Call) -> Tensor:
    """What each window sees, the places of windows in a row."""
    kernel, dilation, padding, stride = (
        spread(c.integers(name), 2) for name in ("kernel_size", "dilation", "padding", "stride")
    )
    x = c.tensor("self")
    batched = x if len(x.shape) == 4 else c.g.reshape(x, (1, *x.shape))
    columns = c.g.im2col(batched, kernel, stride=stride, padding=padding, dilation=dilation)
    return c.g.reshape(columns, c.shape(x))
