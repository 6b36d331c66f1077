"""Params from a mapping or from a file: `.safetensors`, `.npz` or `.onnx`."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rlx_passes.core.dtypes import numpy_dtype
from rlx_passes.core.errors import RunError

Array = NDArray[Any]

SAFETENSORS_DTYPES = {
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
"""What the format calls each element type."""
_LONGEST_HEADER = 100_000_000


def read_params(source: Mapping[str, Array] | Path | str) -> Mapping[str, Array]:
    """
    The params in `source`: a mapping as it is, the tensors of a `.safetensors` or `.npz` file, or an `.onnx` model's.

    Raises `RunError`; for a model `InputError`.
    """
    if isinstance(source, Mapping):
        return source
    path = Path(source)
    if path.suffix == ".onnx":
        from rlx_passes.frontends.onnx.protobuf import read_model

        return read_model(path).graph.initializers
    try:
        if path.suffix == ".safetensors":
            return SafeTensors.read(path)
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        # NumPy reads the headers as Python and the rest as a zip file, and lets through whatever those raise.
        raise RunError(f"{path} is no valid {path.suffix} file: {error}") from error
    raise RunError(f"{path}: params are read from .safetensors, .npz and .onnx files")


@dataclass(frozen=True, eq=False)
class SafeTensors(Mapping[str, Array]):
    """
    The tensors of a safetensors file, mapped into memory.

    Each is read when it is asked for: a model's file may hold more than a program wants, in dtypes that RLX does not
    have. Raises `RunError` for one that is malformed.
    """

    path: Path
    entries: Mapping[str, Any]
    body: Array

    @staticmethod
    def read(path: Path) -> "SafeTensors":
        """Read the header; a malformed one is a `ValueError` that says where."""
        header, body = _header_and_body(path)
        return SafeTensors(path, {name: entry for name, entry in header.items() if name != "__metadata__"}, body)

    def __getitem__(self, name: str) -> Array:
        entry = self.entries[name]
        try:
            return _tensor(name, entry, self.body)
        except ValueError as error:
            raise RunError(f"{self.path} is no valid .safetensors file: {error}") from error

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def _header_and_body(path: Path) -> tuple[dict[str, Any], Array]:
    data = np.memmap(path, np.uint8, "r") if path.stat().st_size else np.zeros(0, np.uint8)
    if len(data) < 8:
        raise ValueError("it is shorter than its header")
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > min(len(data) - 8, _LONGEST_HEADER):
        raise ValueError(f"its header claims {length} bytes")
    try:
        header: object = json.loads(data[8 : 8 + length].tobytes())
    except RecursionError as error:
        raise ValueError("its header is nested too deeply") from error
    if not isinstance(header, dict):
        raise ValueError("its header is no object")
    return cast(dict[str, Any], header), data[8 + length :]


def _tensor(name: str, entry: Any, body: Array) -> Array:
    match entry:
        case {"dtype": str(kind), "shape": [*sizes], "data_offsets": [int(start), int(end)]}:
            shape = tuple(size for size in sizes if isinstance(size, int) and size >= 0)
            if len(shape) != len(sizes):
                raise ValueError(f"the entry of '{name}' is malformed: its shape is {sizes}")
        case _:
            raise ValueError(f"the entry of '{name}' is malformed: dtype, shape and data_offsets expected")
    if kind not in SAFETENSORS_DTYPES:
        raise ValueError(f"'{name}' has dtype {kind}, which RLX does not have")
    dtype = numpy_dtype(SAFETENSORS_DTYPES[kind])
    count = 1
    for size in shape:
        count *= size
    if not 0 <= start <= end <= len(body) or end - start != count * dtype.itemsize:
        raise ValueError(f"'{name}' of shape {list(shape)} does not fit bytes {start} to {end}")
    return np.frombuffer(body[start:end].tobytes(), dtype).reshape(shape)
