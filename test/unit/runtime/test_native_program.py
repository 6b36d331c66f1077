"""Native programs as their callers see them: where arrays lie, what is checked, and several callers at once."""

import threading
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from backends import cpu_bundle
from numpy.typing import NDArray
from tools import need_module

from rlx_passes.bundle.folder import write_bundle
from rlx_passes.core.errors import BundleError, RunError
from rlx_passes.runtime.native import NativeProgram
from rlx_passes.runtime.program import load_bundle

Array = NDArray[Any]

TEXT = """
func.func @scale(%x: tensor<?x4xf32> {rlx.input = "x"}, %w: tensor<4xf32> {rlx.param = "w"})
    -> (tensor<?x4xf32> {rlx.output = "y"}) {
  %e = rlx.activation exp %w : tensor<4xf32>
  %0 = rlx.binary mul %x, %e : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}
func.func @reversed(%x: tensor<64x32xf32> {rlx.input = "x"}, %b: tensor<32xf32> {rlx.param = "b"})
    -> (tensor<64x32xf32> {rlx.output = "y"}, tensor<64x32xf32> {rlx.output = "z"}) {
  %0 = rlx.reverse %x axes [0] : tensor<64x32xf32>
  %1 = rlx.binary add %x, %b : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  func.return %0, %1 : tensor<64x32xf32>, tensor<64x32xf32>
}
func.func @both(%x: tensor<4xbf16> {rlx.input = "x"}, %c: tensor<4xi1> {rlx.input = "c"},
    %n: tensor<ui8> {rlx.input = "n"})
    -> (tensor<4xbf16> {rlx.output = "negative"}, tensor<4xi1> {rlx.output = "other"},
        tensor<ui8> {rlx.output = "next"}) {
  %one = arith.constant dense<1> : tensor<ui8>
  %0 = rlx.activation neg %x : tensor<4xbf16>
  %1 = rlx.logical_not %c : tensor<4xi1>
  %2 = rlx.binary add %n, %one : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  func.return %0, %1, %2 : tensor<4xbf16>, tensor<4xi1>, tensor<ui8>
}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("llvmlite")
    return cpu_bundle(TEXT, tmp_path_factory.mktemp("native") / "bundle", "native")


X = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
B = np.arange(32, dtype=np.float32)


def _reversed(bundle: Path) -> NativeProgram:
    program = load_bundle(bundle, "reversed").load({"b": B})
    assert isinstance(program, NativeProgram)
    return program


def test_params_are_prepared_once_and_kept(bundle: Path):
    w = np.arange(4, dtype=np.float32)
    program = load_bundle(bundle, "scale").load({"w": w})
    expected = np.exp(w)
    w[:] = 0
    for rows in (1, 3, 0, 1000):
        y = program({"x": np.ones((rows, 4), np.float32)})["y"]
        assert y.shape == (rows, 4)
        assert np.allclose(y, expected, rtol=1e-6)


def test_results_are_the_callers_own(bundle: Path):
    for program in (_reversed(bundle), load_bundle(bundle, "scale").load({"w": np.zeros(4, np.float32)})):
        x = X if isinstance(program.entry.inputs[0].shape[0], int) else X.reshape(-1, 4)
        first = program({"x": x})["y"]
        kept = first.copy()
        second = program({"x": x + 1})["y"]
        assert np.array_equal(first, kept)
        assert first.flags.writeable
        assert not np.shares_memory(first, second)


def test_memory_that_code_took_goes_back_with_the_last_array(bundle: Path, monkeypatch: pytest.MonkeyPatch):
    freed: list[int] = []
    monkeypatch.setattr("rlx_passes.runtime.native._free", lambda: freed.append)
    y = load_bundle(bundle, "scale").load({"w": np.zeros(4, np.float32)})({"x": X.reshape(-1, 4)})["y"]
    place, part = y.ctypes.data, y[3:]
    del y
    assert freed == []
    assert part[0, 0] == 12
    del part
    assert freed == [place]


def test_inputs_of_any_memory_layout(bundle: Path):
    program = _reversed(bundle)
    whole = np.arange(64 * 33 * 4 + 8, dtype=np.uint8)
    for start in (0, 1, 2, 4, 20):
        x = np.frombuffer(whole, np.float32, 64 * 32, start).reshape(64, 32)
        assert np.array_equal(program({"x": x})["y"], x[::-1], equal_nan=True)
    turned = X.reshape(32, 64).T
    assert np.array_equal(program({"x": turned})["y"], turned[::-1])
    frozen = X.copy()
    frozen.flags.writeable = False
    assert np.array_equal(program({"x": frozen})["y"], frozen[::-1])
    swapped = X.astype(">f4")
    assert np.array_equal(program({"x": swapped})["y"], X[::-1])


def test_outputs_where_the_caller_wants_them(bundle: Path):
    program = _reversed(bundle)
    y = np.zeros((64, 32), np.float32)
    given = program({"x": X}, out={"y": y})
    assert given["y"] is y
    assert np.array_equal(y, X[::-1])
    assert np.array_equal(given["z"], X + B)
    wide = np.zeros((64, 2, 32), np.float32)
    given = program({"x": X}, out={"z": wide[:, 1], "y": wide[:, 0]})
    assert given["z"].base is wide
    assert np.array_equal(wide[:, 0], X[::-1])
    assert np.array_equal(wide[:, 1], X + B)
    odd = np.zeros(64 * 32 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(64, 32)
    assert np.array_equal(program({"x": X}, out={"y": odd})["y"], X[::-1])


def test_outputs_over_inputs_and_params(bundle: Path):
    program = _reversed(bundle)
    x = X.copy()
    assert program({"x": x}, out={"y": x})["y"] is x
    assert np.array_equal(x, X[::-1])
    whole = np.zeros((65, 32), np.float32)
    whole[:64] = X
    program({"x": whole[:64]}, out={"y": whole[1:]})
    assert np.array_equal(whole[1:], X[::-1])
    params = np.zeros((64, 32), np.float32)
    params[5] = B
    program.load({"b": params[5]})
    program({"x": X}, out={"z": params})
    assert np.array_equal(params, X + B)
    one = np.zeros((64, 32), np.float32)
    program.load({"b": B})({"x": X}, out={"y": one, "z": one})
    assert np.array_equal(one, X + B)


def test_outputs_of_unknown_sizes_where_the_caller_wants_them(bundle: Path):
    program = load_bundle(bundle, "scale").load({"w": np.zeros(4, np.float32)})
    x = X.reshape(-1, 4).copy()
    assert program({"x": x}, out={"y": x})["y"] is x
    assert np.array_equal(x, X.reshape(-1, 4))
    with pytest.raises(RunError, match=r"gives output 'y' of shape \[512, 4\], and out\['y'\] has shape \[3, 4\]"):
        program({"x": x}, out={"y": np.zeros((3, 4), np.float32)})


def test_dtypes_that_are_stored_otherwise(bundle: Path):
    x = np.array([1, -2, 3, -4], ml_dtypes.bfloat16)
    c = np.array([True, False, True, True])
    outputs = load_bundle(bundle, "both")({"x": x, "c": c, "n": np.array(255, np.uint8)})
    assert outputs["negative"].dtype == x.dtype
    assert outputs["negative"].astype(np.float32).tolist() == [-1, 2, -3, 4]
    assert outputs["other"].dtype == np.bool_
    assert outputs["other"].tolist() == [False, True, False, False]
    assert (outputs["next"].dtype, outputs["next"].shape, outputs["next"].item()) == (np.uint8, (), 0)


def test_several_callers_at_once(bundle: Path):
    programs = (_reversed(bundle), load_bundle(bundle, "scale", threads=3).load({"w": np.zeros(4, np.float32)}))
    faults: list[int] = []

    def call(seed: int) -> None:
        for number in range(200):
            x = X + seed + number
            if not np.array_equal(programs[0]({"x": x})["z"], x + B):
                faults.append(number)
            if not np.array_equal(programs[1]({"x": x.reshape(-1, 4)})["y"], x.reshape(-1, 4)):
                faults.append(number)

    callers = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert faults == []


def test_how_many_threads(bundle: Path):
    assert np.array_equal(load_bundle(bundle, "both", threads=1).entry.name, "both")
    for count in (-1, 1025):
        with pytest.raises(RunError, match=f"entry 'both' cannot run on {count} threads: 1 to 1024 were expected"):
            load_bundle(bundle, "both", threads=count)


def test_code_that_is_damaged_is_an_error(bundle: Path, tmp_path: Path):
    files = {file.name: file.read_bytes() for file in bundle.iterdir()}
    write_bundle(tmp_path / "cut", files | {"program.o": files["program.o"][:1000]})
    with pytest.raises(BundleError, match=r"'program.o' is not the file that its manifest was written for: compile"):
        load_bundle(tmp_path / "cut", "both")
    del files["program.o"]
    write_bundle(tmp_path / "none", files)
    with pytest.raises(BundleError, match=r"has no file 'program.o'"):
        load_bundle(tmp_path / "none", "both")


def test_a_manifest_that_the_code_does_not_fit(bundle: Path, tmp_path: Path):
    files = {file.name: file.read_bytes() for file in bundle.iterdir()}
    manifest = files["manifest.json"]
    for old, new, kind, message in (
        (b'"triple": "', b'"triple": "vax-', RunError, "cannot run here: it was compiled for vax-.*, and this is "),
        (
            b'"needs": [',
            b'"needs": ["telepathy", ',
            RunError,
            "a processor with telepathy, which this one lacks; compile",
        ),
        (
            b'"symbol": "rlx_run_both"',
            b'"symbol": "gone"',
            RunError,
            "has no function 'gone', which the manifest names",
        ),
        (
            b'"symbol": "rlx_run_both"',
            b'"symbol": 3',
            BundleError,
            "entry 'both': code.main is .*: a symbol and the bytes",
        ),
        (
            b'"via": "native"',
            b'"via": "gone"',
            RunError,
            "was compiled for 'cpu' by way of 'gone', which nothing here runs",
        ),
    ):
        assert old in manifest
        write_bundle(tmp_path / "bundle", files | {"manifest.json": manifest.replace(old, new)})
        with pytest.raises(kind, match=message):
            load_bundle(tmp_path / "bundle", "both")
