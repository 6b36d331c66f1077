"""Arrays in NumPy's files, as rlx-run reads and writes them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlx_passes.bundle.manifest import TensorSpec
from rlx_passes.core.errors import InputError, UsageError, did_you_mean
from rlx_passes.core.files import write_whole

Array = NDArray[Any]


def read_inputs(given: Sequence[str], specs: Sequence[TensorSpec]) -> dict[str, Array]:
    """
    The inputs of `NAME=FILE.npy` and `FILE.npz` arguments.

    bf16 has no NumPy dtype of its own: an array of two-byte items takes its place.
    """
    names = [spec.name for spec in specs]
    inputs: dict[str, Array] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals:
            if not text.endswith(".npz"):
                raise UsageError(
                    f"--input {text}: say which input, as NAME=FILE (there are {', '.join(names) or 'none'})"
                )
            _add(inputs, text, _load(text))
        elif name not in names:
            raise UsageError(
                f"--input {text}: no input '{name}'{did_you_mean(name, names)} (there are {', '.join(names)})"
            )
        else:
            _add(inputs, text, {name: _load_one(path)})
    wanted = {spec.name: spec.dtype for spec in specs}
    return {name: _as_bf16(value) if wanted.get(name) == "bf16" else value for name, value in inputs.items()}


def _add(inputs: dict[str, Array], text: str, more: Mapping[str, Array]) -> None:
    if twice := [name for name in more if name in inputs]:
        raise UsageError(f"--input {text}: input '{twice[0]}' is given already")
    inputs.update(more)


def _as_bf16(value: Array) -> Array:
    if value.dtype.kind == "V" and value.dtype.itemsize == 2:
        import ml_dtypes

        return value.view(ml_dtypes.bfloat16)
    return value


def _load_one(path: str) -> Array:
    if path.endswith(".npz"):
        raise InputError(f"{path}: one input is read from a .npy file")
    return _load(path)[""]


def _load(path: str) -> dict[str, Array]:
    """The arrays in a file by name; that of a .npy file has the empty name."""
    try:
        with Path(path).open("rb") as stream:
            loaded: Any = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {"": loaded}
            return {name: loaded[name] for name in loaded.files}
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except Exception as problem:
        # NumPy reads the header as Python and the rest as a zip file, and lets through whatever those raise.
        raise InputError(f"{path}: not a NumPy file: {problem}") from None


def write_npy(path: str, value: Array) -> None:
    """Write one array, whole or not at all."""
    write_whole(path, lambda stream: np.save(stream, value, allow_pickle=False))


def write_npz(path: str, values: Mapping[str, Array]) -> None:
    """Write arrays by name, whole or not at all."""
    write_whole(path, lambda stream: np.savez(stream, allow_pickle=False, **dict(values)))
