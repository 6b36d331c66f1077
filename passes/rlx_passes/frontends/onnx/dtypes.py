"""Element types of ONNX as the dialect spells them."""

from collections.abc import Mapping
from typing import Any

from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.model import Array

ELEMENT_TYPES: Mapping[int, str] = {
    1: "f32",
    2: "ui8",
    3: "i8",
    5: "i16",
    6: "i32",
    7: "i64",
    9: "i1",
    10: "f16",
    11: "f64",
    12: "ui32",
    14: "c64",
    16: "bf16",
    17: "f8e4m3fn",
    19: "f8e5m2",
}
"""By the number that `TensorProto.DataType` gives them."""

OTHERS: Mapping[int, str] = {
    4: "uint16",
    8: "string",
    13: "uint64",
    15: "complex128",
    18: "float8e4m3fnuz",
    20: "float8e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4e2m1",
    24: "float8e8m0",
    25: "uint2",
    26: "int2",
}
"""Those that the dialect has not."""

_NAMES: Mapping[Any, str] = {numpy_dtype(dtype.type): name for name, dtype in DTYPES.items()}


def element_type(number: int) -> str:
    """The dialect's name of an element type. Raises `Refusal` for one that it has not."""
    if number not in ELEMENT_TYPES:
        raise Refusal(f"element type {OTHERS.get(number, number)} has no counterpart in the dialect")
    return ELEMENT_TYPES[number]


def dtype_of_array(array: Array) -> str:
    """The dialect's name of the element type of an array. Raises `Refusal` for one that it has not."""
    if array.dtype not in _NAMES:
        raise Refusal(f"element type {array.dtype} has no counterpart in the dialect")
    return _NAMES[array.dtype]
