"""Resampling: places and weights in float64."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.ops import ResizeNearest2xOp, ResizeOp
from rlx_dialect.reference.normalization import along
from rlx_dialect.reference.numeric import Array, rounded, wide
from rlx_dialect.shape_rules.windows import fraction_of
from rlx_dialect.shapes import Dims, normalize_axes

NEAREST: dict[NearestRounding, Callable[[Array], Array]] = {
    NearestRounding.ROUND_PREFER_FLOOR: lambda x: np.ceil(x - 0.5),
    NearestRounding.ROUND_PREFER_CEIL: lambda x: np.floor(x + 0.5),
    NearestRounding.FLOOR: np.floor,
    NearestRounding.CEIL: np.ceil,
}


class Taps(NamedTuple):
    """For one axis, which elements make each new one, `[taps, new size]`, and what they weigh."""

    axis: int
    indices: Array
    weights: Array


def places(
    coordinates: ResizeCoordinates, size: int, new: int, scale: float | None, region: tuple[float, float] = (0, 1)
) -> Array:
    """
    Where on an axis of `size` elements each of the `new` ones comes from. Without a scale it is `new / size`. A place
    that is a whole number or half of one is exactly that, as rounding needs, where the scale stands for a fraction.
    """
    i = np.arange(new, dtype=np.float64)
    stated = None if scale is None else fraction_of(scale)
    p, q = (new, size) if scale is None else (scale, 1) if stated is None else stated.as_integer_ratio()
    length = new if scale is None else size * p / q
    centres = ((2 * i + 1) * q - p) / (2 * p) if new else i
    match coordinates:
        case ResizeCoordinates.HALF_PIXEL:
            return centres
        case ResizeCoordinates.HALF_PIXEL_SYMMETRIC:
            return ((2 * i + 1 - new) * q - p + size * p) / (2 * p) if new else i
        case ResizeCoordinates.PYTORCH_HALF_PIXEL:
            return centres if new > 1 else np.zeros(new)
        case ResizeCoordinates.ALIGN_CORNERS:
            return i * (size - 1) / (length - 1) if length != 1 else np.zeros(new)
        case ResizeCoordinates.ASYMMETRIC:
            return i * q / p if new else i
        case ResizeCoordinates.CROP:
            start, end = (size - 1) * region[0], (size - 1) * region[1]
            return start + i * (end - start) / (length - 1) if new > 1 else np.full(new, (start + end) / 2)


def cubic(distance: Array, a: float) -> Array:
    """The weight of an element at a distance; nothing from 2 on."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((distance - 5) * distance + 8) * a * distance - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


def taps_of(op: ResizeOp, dims: Dims, new: Dims) -> list[Taps]:
    """For each axis of `op`, how the elements of a value with the dims `new` are made of one with `dims`."""
    axes = normalize_axes(op.axes.get_values(), len(dims))
    sizes = [(axis, dims[axis], new[axis]) for axis in axes]
    scales = [None] * len(axes) if op.scales is None else op.scales.get_values()
    ends = (0.0,) * len(axes) + (1.0,) * len(axes) if op.region is None else op.region.get_values()
    return [
        _taps(
            *(op, axis, size, places(op.places, size, count, scale, (start, end))),
            scale=count / max(size, 1) if scale is None else scale,
        )
        for (axis, size, count), scale, start, end in zip(sizes, scales, ends[: len(axes)], ends[len(axes) :])
    ]


def _taps(op: ResizeOp, axis: int, size: int, at: Array, scale: float) -> Taps:
    if op.resampling is ResizeMode.NEAREST:
        indices, weights = NEAREST[op.nearest](at)[None], np.ones((1, at.size))
    else:
        linear = op.resampling is ResizeMode.LINEAR
        shrunk = scale if op.antialias is not None and at.size and scale < 1 else 1.0
        reach = ceil((1 if linear else 2) / shrunk)
        indices = np.floor(at) + np.arange(1 - reach, 1 + reach)[:, None]
        distance = np.abs(at - indices) * shrunk
        weights = np.maximum(1 - distance, 0) if linear else cubic(distance, op.cubic_coefficient.value.data)
        if shrunk < 1:
            weights = weights / weights.sum(0)
    if op.exclude_outside is not None:
        weights = np.where((indices >= 0) & (indices < size), weights, 0)
        weights = weights / weights.sum(0)
    if op.places is ResizeCoordinates.CROP:
        weights = np.where((at >= 0) & (at <= size - 1), weights, 0)
    return Taps(axis, indices.clip(0, max(size - 1, 0)).astype(np.int64), weights)


@register_impls
class ResizeFunctions(InterpreterFunctions):
    @impl(ResizeOp)
    def resize(self, interpreter: Interpreter, op: ResizeOp, args: tuple[Any, ...]):
        x, nearest = args[0], op.resampling is ResizeMode.NEAREST
        result = op.infer_dims(x.shape)
        value = x if nearest else wide(x)
        for axis, indices, weights in taps_of(op, x.shape, result):
            parts = [np.take(value, each, axis) for each in indices]
            if nearest:
                (value,) = parts
            else:
                value = sum(part * along(weight, axis, x.ndim) for part, weight in zip(parts, weights))
        return (rounded(np.asarray(value), op.result),)

    @impl(ResizeNearest2xOp)
    def nearest2x(self, interpreter: Interpreter, op: ResizeNearest2xOp, args: tuple[Any, ...]):
        return (args[0].repeat(2, axis=2).repeat(2, axis=3),)
