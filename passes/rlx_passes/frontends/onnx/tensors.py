"""Stored tensors: in the model's file, or in files beside it."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from rlx_dialect.dtypes import element_type as attribute_of
from rlx_dialect.dtypes import numpy_dtype
from rlx_passes.core.errors import RlxError
from rlx_passes.frontends.onnx.dtypes import element_type
from rlx_passes.frontends.onnx.model import Array

_EXTERNAL = 1
"""`TensorProto.DataLocation` of contents in another file."""


def array_of(message: Any, folder: Path | None) -> Array:
    """
    The contents of a `TensorProto`; those in another file are mapped into memory.

    `folder` is the model's, which no path may leave; None where it has none. Raises `RlxError` for contents that do not
    fill the dims, and for a file that is not to be read.
    """
    name = f"tensor '{message.name}'" if message.name else "a tensor"
    try:
        dtype = numpy_dtype(attribute_of(element_type(message.data_type)))
    except RlxError as problem:
        raise RlxError(f"{name}: {problem}") from None
    dims = tuple(message.dims)
    if any(size < 0 for size in dims):
        raise RlxError(f"{name} has a negative dim: {list(dims)}")
    if message.data_location == _EXTERNAL:
        return _external(message, name, folder, dims, dtype)
    from onnx import numpy_helper

    try:
        array: Array = np.asarray(numpy_helper.to_array(message))
    except Exception as problem:
        # The package raises what NumPy raises for contents of another length.
        raise RlxError(f"{name} of dims {list(dims)} has other contents: {' '.join(str(problem).split())}") from None
    return array.astype(dtype, copy=False)


def _external(message: Any, name: str, folder: Path | None, dims: tuple[int, ...], dtype: Any) -> Array:
    entries = {each.key: each.value for each in message.external_data}
    path = _inside(name, entries.get("location", ""), folder)
    size = prod(dims) * dtype.itemsize
    offset, length = _number(name, entries, "offset", 0), _number(name, entries, "length", size)
    try:
        there = path.stat().st_size
    except OSError as problem:
        raise RlxError(f"{name}: '{entries['location']}' cannot be read: {problem.strerror or problem}") from None
    if length != size or offset + size > there:
        raise RlxError(
            f"{name} of dims {list(dims)} needs {size} bytes; {length} from byte {offset} are declared, "
            f"'{entries['location']}' has {there}"
        )
    if not size:
        return np.zeros(dims, dtype)
    return np.memmap(path, np.uint8, "r", offset, (size,)).view(dtype).reshape(dims)


def _inside(name: str, location: str, folder: Path | None) -> Path:
    """The file of that name in the model's folder; a link may not lead out of it either."""
    if folder is None:
        raise RlxError(f"{name} is stored in '{location}', and the model is in no folder")
    if not location or "\0" in location:
        raise RlxError(f"{name} is stored outside of the model, in no file")
    path = (folder / location).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise RlxError(f"{name} is stored in '{location}', outside of the model's folder, where nothing is read")
    if not path.is_file():
        raise RlxError(f"{name} is stored in '{location}', which is no file in the model's folder")
    return path


def _number(name: str, entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key, "")
    if not text:
        return default
    if not text.isdecimal():
        raise RlxError(f"{name}: {key} must be a number of bytes, got '{text}'")
    return int(text)
