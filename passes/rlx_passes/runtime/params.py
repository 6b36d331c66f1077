"""Params from a mapping or from a file: `.safetensors` or `.npz`."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rlx_passes.runtime.dtypes import numpy_dtype
from rlx_passes.runtime.errors import RunError

Array = NDArray[Any]

_SAFETENSORS_DTYPES = {
    "F64": "f64",
    "F32": "f32",
    "F16": "f16",
    "BF16": "bf16",
    "I64": "i64",
    "I32": "i32",
    "I16": "i16",
    "I8": "i8",
    "U8": "ui8",
    "U16": "ui16",
    "U32": "ui32",
    "U64": "ui64",
    "BOOL": "i1",
}
_LONGEST_HEADER = 100_000_000


def read_params(source: Mapping[str, Array] | Path | str) -> Mapping[str, Array]:
    """The params in `source`: a mapping as it is, or the tensors of a `.safetensors` or `.npz` file. Raises `RunError`."""
    if isinstance(source, Mapping):
        return source
    path = Path(source)
    try:
        if path.suffix == ".safetensors":
            return read_safetensors(path)
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, zipfile.BadZipFile) as error:
        raise RunError(f"{path} is no valid {path.suffix} file: {error}") from error
    raise RunError(f"{path}: params are read from .safetensors and .npz files")


def read_safetensors(path: Path) -> dict[str, Array]:
    """The tensors of a safetensors file, mapped into memory; a malformed file is a `ValueError` that says where."""
    data = np.memmap(path, np.uint8, "r") if path.stat().st_size else np.zeros(0, np.uint8)
    if len(data) < 8:
        raise ValueError("it is shorter than its header")
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > min(len(data) - 8, _LONGEST_HEADER):
        raise ValueError(f"its header claims {length} bytes")
    header: object = json.loads(data[8 : 8 + length].tobytes())
    if not isinstance(header, dict):
        raise ValueError("its header is no object")
    body = data[8 + length :]
    entries = cast(dict[str, Any], header)
    return {name: _tensor(name, entry, body) for name, entry in entries.items() if name != "__metadata__"}


def _tensor(name: str, entry: Any, body: Array) -> Array:
    try:
        kind, shape, (start, end) = entry["dtype"], tuple(int(size) for size in entry["shape"]), entry["data_offsets"]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the entry of '{name}' is malformed: {error}") from error
    if kind not in _SAFETENSORS_DTYPES:
        raise ValueError(f"'{name}' has dtype {kind}, which RLX does not have")
    dtype = numpy_dtype(_SAFETENSORS_DTYPES[kind])
    count = 1
    for size in shape:
        count *= size
    if not 0 <= start <= end <= len(body) or end - start != count * dtype.itemsize:
        raise ValueError(f"'{name}' of shape {list(shape)} does not fit bytes {start} to {end}")
    return np.frombuffer(body[start:end].tobytes(), dtype).reshape(shape)
