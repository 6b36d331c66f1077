"""RLX dtype names as NumPy dtypes."""

from typing import Any

import numpy as np

from rlx_passes.runtime.errors import RunError

_PLAIN = {
    "f32": np.float32,
    "f16": np.float16,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "i1": np.bool_,
    "c64": np.complex64,
    "c128": np.complex128,
}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of an RLX dtype name; bf16 is that of `ml_dtypes`."""
    if name == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    if name not in _PLAIN:
        raise RunError(f"dtype '{name}' has no NumPy counterpart")
    return np.dtype(_PLAIN[name])


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The RLX name of a NumPy dtype, or NumPy's own where RLX has none."""
    if dtype.name == "bfloat16":
        return "bf16"
    for name, plain in _PLAIN.items():
        if np.dtype(plain) == dtype:
            return name
    return dtype.name
