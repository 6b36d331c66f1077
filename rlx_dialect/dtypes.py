"""The element types of the dialect: their short names, their xDSL types and their NumPy types, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute, TypeAttribute

if TYPE_CHECKING:
    import numpy as np


class DType(NamedTuple):
    """One element type: the short name used in options and manifests, bytes an element takes, the xDSL type."""

    name: str
    size: int
    type: TypeAttribute


_F32 = Float32Type()

DTYPES = {
    dtype.name: dtype
    for dtype in (
        DType("f32", 4, _F32),
        DType("f16", 2, Float16Type()),
        DType("bf16", 2, BFloat16Type()),
        DType("f64", 8, Float64Type()),
        DType("i8", 1, IntegerType(8)),
        DType("i16", 2, IntegerType(16)),
        DType("i32", 4, IntegerType(32)),
        DType("i64", 8, IntegerType(64)),
        DType("ui8", 1, IntegerType(8, Signedness.UNSIGNED)),
        DType("ui32", 4, IntegerType(32, Signedness.UNSIGNED)),
        DType("i1", 1, IntegerType(1)),
        DType("c64", 8, ComplexType(_F32)),
        DType("f8e4m3fn", 1, Float8E4M3FNType()),
        DType("f8e5m2", 1, Float8E5M2Type()),
    )
}
"""By short name; i1 is stored in one byte."""

_BY_TYPE: dict[Attribute, DType] = {dtype.type: dtype for dtype in DTYPES.values()}
_NUMPY = {
    "f32": "float32",
    "f16": "float16",
    "f64": "float64",
    "ui8": "uint8",
    "ui32": "uint32",
    "i1": "bool",
    "c64": "complex64",
}
_ML_DTYPES = {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


def dtype_of(element: Attribute) -> DType:
    """The table row of an element type. Raises `ValueError` for a type outside of the dialect."""
    found = _BY_TYPE.get(element)
    if found is None:
        raise ValueError(f"element type {element} is none of {', '.join(DTYPES)}")
    return found


def element_type(name: str) -> TypeAttribute:
    """The element type of a short name. Raises `ValueError` for a name outside of the dialect."""
    if name not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, got '{name}'")
    return DTYPES[name].type


def is_float(element: Attribute) -> bool:
    return isinstance(element, AnyFloat)


def is_integer(element: Attribute) -> bool:
    """Whether this is an integer type of some width; i1 is one."""
    return isinstance(element, IntegerType)


def is_complex(element: Attribute) -> bool:
    return isinstance(element, ComplexType)


def is_unsigned(element: Attribute) -> bool:
    """Whether an integer type has no negative values; i1 counts as unsigned."""
    return element == DTYPES["i1"].type or (
        isinstance(element, IntegerType) and element == IntegerType(element.bitwidth, Signedness.UNSIGNED)
    )


def integer_limits(element: Attribute) -> tuple[int, int]:
    """The least and the greatest value of an integer type; of another type those of i64."""
    unsigned = is_unsigned(element)
    bits = element.bitwidth if isinstance(element, IntegerType) else 64
    return (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def numpy_dtype(element: Attribute) -> np.dtype[np.generic]:
    """
    The NumPy type of an element type; bf16 and those of 8 bits come from `ml_dtypes`, index is int64.

    Raises `ValueError` for a type outside of the dialect.
    """
    import numpy as np

    if isinstance(element, IndexType):
        return np.dtype(np.int64)
    name = dtype_of(element).name
    if name in _ML_DTYPES:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, _ML_DTYPES[name]))
    return np.dtype(_NUMPY.get(name, name.replace("i", "int")))
