"""Params from files."""

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rlx_passes.core.errors import RunError
from rlx_passes.weights.reading import read_params

ARRAYS = {
    "w": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.array([1.5, -2], ml_dtypes.bfloat16),
    "flags": np.array([True, False]),
    "scalar": np.array(7, np.int64),
    "empty": np.zeros((0, 3), np.float16),
}
KINDS = {"w": "F32", "b": "BF16", "flags": "BOOL", "scalar": "I64", "empty": "F16"}


def _safetensors(path: Path, change: dict[str, Any] | None = None) -> Path:
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    body = b""
    for name, array in ARRAYS.items():
        start, body = len(body), body + array.tobytes()
        header[name] = {"dtype": KINDS[name], "shape": list(array.shape), "data_offsets": [start, len(body)]}
    text = json.dumps(header | (change or {})).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def test_mapping_is_taken_as_it_is() -> None:
    assert read_params(ARRAYS) is ARRAYS


def test_safetensors(tmp_path: Path) -> None:
    read = read_params(_safetensors(tmp_path / "p.safetensors"))
    assert list(read) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", w=ARRAYS["w"], scalar=ARRAYS["scalar"])
    read = read_params(str(tmp_path / "p.npz"))
    assert sorted(read) == ["scalar", "w"]
    np.testing.assert_array_equal(read["w"], ARRAYS["w"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}}, "'w' has dtype F8_E4M3"),
        (
            {"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 20]}},
            r"'w' of shape \[2, 3\] does not fit bytes 0 to 20",
        ),
        ({"w": {"dtype": "F32", "shape": [9999], "data_offsets": [0, 39996]}}, "does not fit"),
        ({"w": {"dtype": "F32", "shape": [2, 3]}}, "the entry of 'w' is malformed"),
        ({"w": {"dtype": "F32", "shape": [2, 3.5], "data_offsets": [0, 24]}}, "the entry of 'w' is malformed"),
        ({"w": {"dtype": "F32", "shape": [float("inf")], "data_offsets": [0, 24]}}, "the entry of 'w' is malformed"),
        ({"w": {"dtype": "F32", "shape": [-2, -3], "data_offsets": [0, 24]}}, "the entry of 'w' is malformed"),
        ({"w": {"dtype": ["F32"], "shape": [2, 3], "data_offsets": [0, 24]}}, "the entry of 'w' is malformed"),
        ({"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": ["0", "24"]}}, "the entry of 'w' is malformed"),
        ({"w": None}, "the entry of 'w' is malformed"),
    ],
)
def test_malformed_safetensors(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    read = read_params(_safetensors(tmp_path / "p.safetensors", change))
    with pytest.raises(RunError, match=rf"p\.safetensors is no valid \.safetensors file: .*{message}"):
        read["w"]
    np.testing.assert_array_equal(read["flags"], ARRAYS["flags"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "shorter than its header"),
        (b"\xff" * 8 + b"{}", "its header claims"),
        (b"\x02" + bytes(7) + b"[]", "its header is no object"),
        (b"\x02" + bytes(7) + b"{{", "is no valid"),
        ((100_000).to_bytes(8, "little") + b"[" * 100_000, "its header is nested too deeply"),
    ],
)
def test_no_safetensors_at_all(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    path.write_bytes(content)
    with pytest.raises(RunError, match=message):
        read_params(path)


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"params are read from \.safetensors, \.npz and \.onnx files"):
        read_params(tmp_path / "p.pt")
    with pytest.raises(RunError, match=r"gone\.npz cannot be read: No such file"):
        read_params(tmp_path / "gone.npz")
    (tmp_path / "p.npz").write_bytes(b"nothing")
    with pytest.raises(RunError, match=r"p\.npz"):
        read_params(tmp_path / "p.npz")
