"""A machine of formulas on arrays of NumPy, in f32 or f64, with fused products and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlx_dialect.formulas import FloatFormat, Machine, Primitive, Sort

Array = NDArray[Any]


def _unsigned_shift(x: Array, by: Array) -> Array:
    word = f"u{x.dtype.itemsize}"
    return (x.view(word) >> by.view(word)).view(x.dtype)


def _to_integer(x: Array) -> Array:
    return x.astype(f"i{x.dtype.itemsize}")


def _to_float(i: Array) -> Array:
    return i.astype(f"f{i.dtype.itemsize}")


def _bits(x: Array) -> Array:
    return np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}")


def _from_bits(i: Array) -> Array:
    return np.ascontiguousarray(i).view(f"f{i.dtype.itemsize}")


def _twice_rounded(x: Array, y: Array, z: Array) -> Array:
    return x * y + z


def _fused(x: Array, y: Array, z: Array) -> Array:
    """`x y + z`, where the product has all of its digits: those of f32 in f64, those of f64 as a sum of two."""
    if x.dtype == np.float32:
        return (x.astype(np.float64) * y + z).astype(np.float32)
    high = x * y
    # Veltkamp's halves: their products are exact.
    (a, b), (c, d) = _halves(x), _halves(y)
    low = ((a * c - high) + a * d + b * c) + b * d
    total = high + z
    part = total - high
    rest = (high - (total - part)) + (z - part)
    return np.where(np.isfinite(total) & np.isfinite(low), total + (rest + low), x * y + z)


def _halves(x: Array) -> tuple[Array, Array]:
    far = x * 134217729.0
    high = far - (far - x)
    return high, x - high


TABLE: Mapping[Primitive, Callable[..., Array]] = {
    Primitive.ADD: np.add,
    Primitive.SUB: np.subtract,
    Primitive.MUL: np.multiply,
    Primitive.DIV: np.divide,
    Primitive.NEG: np.negative,
    Primitive.ABS: np.abs,
    Primitive.FMA: _twice_rounded,
    Primitive.SQRT: np.sqrt,
    Primitive.FLOOR: np.floor,
    Primitive.ROUND_EVEN: np.rint,
    Primitive.COPYSIGN: np.copysign,
    Primitive.LESS: np.less,
    Primitive.LESS_EQUAL: np.less_equal,
    Primitive.EQUAL: np.equal,
    Primitive.DIFFERS: np.not_equal,
    Primitive.IS_NAN: np.isnan,
    Primitive.SELECT: np.where,
    Primitive.TO_INTEGER: _to_integer,
    Primitive.BITS: _bits,
    Primitive.INTEGER_ADD: np.add,
    Primitive.INTEGER_SUB: np.subtract,
    Primitive.INTEGER_MUL: np.multiply,
    Primitive.INTEGER_AND: np.bitwise_and,
    Primitive.INTEGER_OR: np.bitwise_or,
    Primitive.INTEGER_XOR: np.bitwise_xor,
    Primitive.INTEGER_SHIFT_LEFT: np.left_shift,
    Primitive.INTEGER_SHIFT_RIGHT: np.right_shift,
    Primitive.INTEGER_SHIFT_RIGHT_LOGICAL: _unsigned_shift,
    Primitive.INTEGER_LESS: np.less,
    Primitive.INTEGER_EQUAL: np.equal,
    Primitive.INTEGER_SELECT: np.where,
    Primitive.TO_FLOAT: _to_float,
    Primitive.FROM_BITS: _from_bits,
    Primitive.TRUTH_AND: np.logical_and,
    Primitive.TRUTH_OR: np.logical_or,
    Primitive.TRUTH_NOT: np.logical_not,
}


class NumPyMachine(Machine[Array]):
    """Arrays of `format`; `fused` says whether `FMA` rounds once."""

    def __init__(self, format: FloatFormat, *, fused: bool):
        self.format = format
        self.exact_fma = self.branches = fused

    def emit(self, primitive: Primitive, *operands: Array) -> Array:
        shifts = (Primitive.INTEGER_SHIFT_LEFT, Primitive.INTEGER_SHIFT_RIGHT, Primitive.INTEGER_SHIFT_RIGHT_LOGICAL)
        if primitive in shifts:
            assert ((operands[1] >= 0) & (operands[1] < self.format.bits)).all()
        function = _fused if primitive is Primitive.FMA and self.exact_fma else TABLE[primitive]
        with np.errstate(all="ignore"):
            return function(*operands)

    def branch(
        self, condition: Array, common: Callable[[], Sequence[Array]], rare: Callable[[], Sequence[Array]]
    ) -> list[Array]:
        return [np.where(condition, a, b) for a, b in zip(common(), rare(), strict=True)]

    def constant(self, value: float, sort: Sort, like: Array) -> Array:
        kind = {Sort.FLOAT: "f", Sort.INTEGER: "i"}[sort]
        return np.full(like.shape, value, f"{kind}{self.format.bits // 8}")
