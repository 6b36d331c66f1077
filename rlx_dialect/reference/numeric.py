"""What the chapters of the reference share: in which type they compute, and how a result is rounded."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.arrays import Array
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.shapes import shaped


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
    """`array` in the element type of `value`."""
    return np.asarray(array).astype(numpy_dtype(element_of(value)), copy=False)


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
