"""Resampling."""

from __future__ import annotations

from rlx_dialect.attributes import NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.builder import Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


def resized(
    c: Call,
    mode: ResizeMode,
    coordinates: ResizeCoordinates,
    rounding: NearestRounding = NearestRounding.ROUND_PREFER_FLOOR,
    *,
    antialias: bool = False,
) -> Tensor:
    """All spatial dims by the factors that are given, else to the size."""
    x = c.tensor("input")
    axes = list(range(2, len(x.shape)))
    if c.flag("align_corners"):
        coordinates = ResizeCoordinates.ALIGN_CORNERS
    scales = c.reals("scale_factors") if c.given("scale_factors") else None
    size = [each for each in c.out.dims[2:] if isinstance(each, int)]
    if scales is None and len(size) < len(axes):
        raise Refusal("sizes known at run time only")
    cubic = -0.5 if antialias else -0.75
    return c.g.resize(
        *(mode, x, axes, size if scales is None else None),
        scales=scales,
        coordinates=coordinates,
        rounding=rounding,
        cubic_coefficient=cubic if mode is ResizeMode.CUBIC else -0.75,
        antialias=antialias,
        exclude_outside=antialias,
    )


@rule("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec")
def nearest(c: Call) -> Tensor:
    """The element that the new one starts in."""
    x = c.tensor("input")
    if len(x.shape) == 4 and (c.args["scale_factors"] == [2.0, 2.0] or doubled(c, x)):
        return c.g.resize_nearest2x(x)
    return resized(c, ResizeMode.NEAREST, ResizeCoordinates.ASYMMETRIC, NearestRounding.FLOOR)


def doubled(c: Call, x: Tensor) -> bool:
    return not c.given("scale_factors") and c.out.dims[2:] == tuple(2 * size for size in x.shape[2:])


@rule("_upsample_nearest_exact1d.vec", "_upsample_nearest_exact2d.vec", "_upsample_nearest_exact3d.vec")
def nearest_exact(c: Call) -> Tensor:
    """The element nearest to the centre of the new one."""
    return resized(c, ResizeMode.NEAREST, ResizeCoordinates.HALF_PIXEL, NearestRounding.ROUND_PREFER_CEIL)


@rule("upsample_linear1d.vec", "upsample_bilinear2d.vec", "upsample_trilinear3d.vec")
def linear(c: Call) -> Tensor:
    return resized(c, ResizeMode.LINEAR, ResizeCoordinates.HALF_PIXEL)


@rule("upsample_bicubic2d.vec")
def cubic(c: Call) -> Tensor:
    return resized(c, ResizeMode.CUBIC, ResizeCoordinates.HALF_PIXEL)


@rule("_upsample_bilinear2d_aa.vec")
def linear_antialiased(c: Call) -> Tensor:
    return resized(c, ResizeMode.LINEAR, ResizeCoordinates.HALF_PIXEL, antialias=True)


@rule("_upsample_bicubic2d_aa.vec")
def cubic_antialiased(c: Call) -> Tensor:
    return resized(c, ResizeMode.CUBIC, ResizeCoordinates.HALF_PIXEL, antialias=True)
