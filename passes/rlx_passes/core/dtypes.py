"""RLX dtype names as NumPy dtypes and back, with the runtime's own error."""

from typing import Any

import numpy as np

from rlx_dialect import dtypes
from rlx_passes.core.errors import RunError


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of an RLX dtype name. Raises `RunError` for a name that is none."""
    if name not in dtypes.DTYPES:
        raise RunError(f"dtype '{name}' has no NumPy counterpart")
    return dtypes.numpy_dtype(dtypes.DTYPES[name].type)


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The RLX name of a NumPy dtype, or NumPy's own where RLX has none."""
    for name, row in dtypes.DTYPES.items():
        if dtypes.numpy_dtype(row.type) == dtype:
            return name
    return dtype.name
