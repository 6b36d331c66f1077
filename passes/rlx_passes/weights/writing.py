"""The params of an imported program, in a safetensors file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rlx_passes.core.errors import InputError
from rlx_passes.core.files import write_whole
from rlx_passes.weights.reading import SAFETENSORS_DTYPES

Array = NDArray[Any]

_NAMES = {name: kind for kind, name in SAFETENSORS_DTYPES.items()}
_ALIGNMENT = 8


def write_safetensors(path: Path | str, params: Mapping[str, Array]) -> None:
    """Write params to a file that is there whole or not at all. Raises `InputError` for one that cannot be written."""
    from rlx_passes.frontends.onnx.dtypes import dtype_of_array

    entries: dict[str, Any] = {}
    at = 0
    for name, array in params.items():
        dtype = dtype_of_array(array)
        if dtype not in _NAMES:
            raise InputError(f"{path}: '{name}' is of {dtype}, which a safetensors file does not hold")
        entries[name] = {"dtype": _NAMES[dtype], "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % _ALIGNMENT)

    def save(stream: IO[bytes]) -> None:
        stream.writelines([len(header).to_bytes(8, "little"), header])
        for array in params.values():
            stream.write(np.ascontiguousarray(array).tobytes())

    write_whole(path, save)
