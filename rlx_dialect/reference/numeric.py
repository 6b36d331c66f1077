"""What the chapters of the reference share: in which type they compute, and how a result is rounded."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.arrays import Array
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.shapes import ShapeError, shaped


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tensor value."""
    return shaped(value).element


def wide(array: Array, accumulate: Attribute | None = None) -> Array:
    """
    `array` in the type a computation goes on in: float64 for floats, complex128 for complex numbers, integers stay.

    An `accumulate` narrower than f32 is honoured, since it changes what a sum gives.
    """
    if isinstance(accumulate, AnyFloat) and accumulate.bitwidth < 32:
        return array.astype(numpy_dtype(accumulate))
    if array.dtype.kind in "iub":
        return array
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.float64)


def rounded(array: Array, value: SSAValue) -> Array:
    """`array` in the element type of `value`: floats rounded once, and to integers as `rlx.cast` says."""
    array, dtype = np.asarray(array), numpy_dtype(element_of(value))
    if array.dtype.kind in "fV" and dtype.kind in "iu":
        return _saturated(array, dtype)
    if array.dtype == np.float64 and dtype.kind == "V":
        # ml_dtypes rounds to f32 first.
        array = _odd_f32(array)
    return array.astype(dtype, copy=False)


def _saturated(array: Array, dtype: np.dtype[Any]) -> Array:
    """Truncated; NaN as 0, and what does not fit as the nearest number that does."""
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    whole = np.trunc(array.astype(np.float64))
    low, high = whole <= float(least), whole >= float(most)
    inside = np.where(low | high | np.isnan(whole), 0.0, whole).astype(dtype)
    return np.where(low, dtype.type(least), np.where(high, dtype.type(most), inside))


def _odd_f32(array: Array) -> Array:
    """float64 as float32, an inexact one with its last bit set, so that no narrower float lies between the two."""
    near = array.astype(np.float32)
    return odd(near, array - near)


def odd(near: Array, error: Array) -> Array:
    """`near`, or its neighbour towards `near + error` where there is an error and the last bit of `near` is not set."""
    bits = near.view(np.int64 if near.itemsize == 8 else np.int32)
    towards = np.where(error > 0, np.inf, -np.inf).astype(near.dtype)
    inexact = (error != 0) & ~np.isnan(error) & (bits & 1 == 0)
    return np.where(inexact, np.nextafter(near, towards), near)


def check_meeting(op: Operation, args: Sequence[Array]) -> None:
    """Raises `ShapeError` where operands do not meet: only a size that is known to be 1 stretches, none of a run."""
    for axis in range(1, max((array.ndim for array in args), default=0) + 1):
        there = [(array, value) for array, value in zip(args, op.operands) if array.ndim >= axis]
        sizes = sorted({array.shape[-axis] for array, value in there if shaped(value).dims[-axis] != 1})
        if len(sizes) > 1:
            raise ShapeError(f"{op.name}: sizes {' and '.join(map(str, sizes))} meet at dim -{axis}")


def check_indices(indices: Array, size: int, name: str) -> None:
    """Raises `IndexError` for an index outside of `[0, size)`; `name` is that of the op."""
    outside = (indices < 0) | (indices >= size)
    if outside.any():
        raise IndexError(f"{name}: index {indices[outside].flat[0]} is outside of [0, {size})")


def erf(x: Array) -> Array:
    """The error function, to the last digit."""
    return _by_element(math.erf, x)


def erfc(x: Array) -> Array:
    """`1 - erf(x)` without cancellation, to the last digit."""
    return _by_element(math.erfc, x)


def _by_element(function: Callable[[float], float], x: Array) -> Array:
    return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
