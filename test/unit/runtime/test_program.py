"""The checks that every compiled program makes before it runs, and the choice of what runs it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from rlx_passes.bundle.folder import Bundle, write_bundle
from rlx_passes.bundle.manifest import Call, Entry, Manifest, TensorSpec
from rlx_passes.core.errors import RunError
from rlx_passes.pipeline.target import builtin_targets
from rlx_passes.runtime import program
from rlx_passes.runtime.program import Program, load_bundle, program_class

Array = NDArray[Any]

X, FLAG = TensorSpec("x", (2, None), "f32"), TensorSpec("flag", (), "i1")
W, Y = TensorSpec("weight", (3,), "bf16"), TensorSpec("y", (2, None), "f32")
ENTRY = Entry("main", (X, FLAG), (W,), (Y,), Call((("input", "x"), ("input", "flag"), ("param", "weight")), ("y",)))
BARE = Entry("bare", (X,), (), (Y,), Call((("input", "x"),), ("y",)))
INPUTS = {"x": np.ones((2, 5), np.float32), "flag": np.array(True)}
PARAMS = {"weight": np.ones(3, ml_dtypes.bfloat16)}


class Doubling(Program):
    """Gives twice its input, and keeps what it was prepared with."""

    prepared: Mapping[str, Array] | None = None

    def _prepare(self, params: Mapping[str, Array]) -> None:
        self.prepared = params

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        assert all(array.flags.c_contiguous for array in inputs.values())
        return [inputs["x"] * 2]


def _program(entry: Entry = ENTRY) -> Doubling:
    return Doubling(Bundle(Path("out"), Manifest("cpu", "", "", (ENTRY, BARE))), entry)


def test_call() -> None:
    program = _program().load(PARAMS | {"other": np.zeros(1)})
    assert program.prepared is not None
    assert list(program.prepared) == ["weight"]
    outputs = program({"x": INPUTS["x"][:, ::-1], "flag": INPUTS["flag"]})
    assert list(outputs) == ["y"]
    np.testing.assert_array_equal(outputs["y"], np.full((2, 5), 2, np.float32))


class Huge(Doubling):
    """Its output has more bytes than can be counted, though no elements."""

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        return [np.zeros((0, 2**31, 2**31), np.float32)]


def test_what_numpy_cannot_hold() -> None:
    bundle = Bundle(Path("out"), Manifest("cpu", "", "", (BARE,)))
    with pytest.raises(RunError, match=r"^entry 'bare' gives what NumPy cannot hold: array is too big"):
        Huge(bundle, BARE)({"x": INPUTS["x"]})
    endless = np.broadcast_to(np.ones((2, 1), np.float32), (2, 2**58))
    with pytest.raises(RunError, match=r"^entry 'bare': input 'x' is too large for NumPy: Unable to allocate"):
        Huge(bundle, BARE)({"x": endless})


def test_no_params_need_no_load() -> None:
    program = _program(BARE)
    program({"x": INPUTS["x"]})
    assert program.prepared == {}


def test_params_come_first() -> None:
    with pytest.raises(RunError, match=r"entry 'main' needs its params first: call load\(\) \(weight\)"):
        _program()(INPUTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": None}, r"entry 'main' lacks input 'x'; given: flag"),
        ({"z": np.zeros(1)}, r"entry 'main' has no input 'z' \(it has x, flag\)"),
        ({"x": np.ones((2, 5))}, r"entry 'main': input 'x' is f64, f32 was expected"),
        ({"flag": np.array(1, np.int8)}, r"input 'flag' is i8, i1 was expected"),
        ({"x": np.ones((3, 5), np.float32)}, r"input 'x' has shape \[3, 5\], \[2, \?\] was expected"),
        ({"x": np.ones(2, np.float32)}, r"input 'x' has shape \[2\], \[2, \?\] was expected"),
        ({"flag": np.array([True])}, r"input 'flag' has shape \[1\], \[\] was expected"),
    ],
)
def test_wrong_inputs(change: dict[str, Array | None], message: str) -> None:
    given = {name: value for name, value in (INPUTS | change).items() if value is not None}
    with pytest.raises(RunError, match=message):
        _program().load(PARAMS)(given)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, r"entry 'main' lacks param 'weight'; given: none"),
        ({"weigth": PARAMS["weight"]}, r"lacks param 'weight'; did you mean 'weigth'\?"),
        ({"weight": np.ones(3, np.float32)}, r"param 'weight' is f32, bf16 was expected"),
        ({"weight": np.ones(4, ml_dtypes.bfloat16)}, r"param 'weight' has shape \[4\], \[3\] was expected"),
    ],
)
def test_wrong_params(params: dict[str, Array], message: str) -> None:
    with pytest.raises(RunError, match=message):
        _program().load(params)


@pytest.mark.parametrize("target", builtin_targets())
def test_the_class_that_runs_a_bundle_is_chosen_by_target(target: str, tmp_path: Path) -> None:
    bundle = Bundle(tmp_path, Manifest(target, "", "", (BARE,)))
    assert issubclass(program_class(bundle), Program)


def test_load_bundle_runs_that_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def chosen(bundle: Bundle) -> type[Program]:
        return Doubling

    monkeypatch.setattr(program, "program_class", chosen)
    manifest = Manifest("cpu", "", "", (BARE,))
    write_bundle(tmp_path / "out", {"manifest.json": manifest.to_json().encode()})
    assert isinstance(load_bundle(tmp_path / "out"), Doubling)


def test_load_bundle_of_an_unknown_target(tmp_path: Path) -> None:
    manifest = Manifest("abacus", "", "", (BARE,))
    write_bundle(tmp_path / "out", {"manifest.json": manifest.to_json().encode()})
    with pytest.raises(RunError, match="compiled for 'abacus', which nothing here runs; there is cpu, cuda"):
        load_bundle(tmp_path / "out")
