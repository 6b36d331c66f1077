"""The checks that every compiled program makes before it runs, and the choice of what runs it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from rlx_dialect.relations import relations_of_json
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


def test_outputs_into_arrays_of_the_caller() -> None:
    program = _program(BARE)
    x, wide = np.ones((2, 5), np.float32), np.zeros((2, 10), np.float32)
    y = wide[:, ::2]
    assert program({"x": x}, out={"y": y})["y"] is y
    assert wide.tolist() == [[2, 0] * 5] * 2
    assert program({"x": x}, out={"y": x})["y"] is x
    assert x.tolist() == [[2] * 5] * 2
    assert program({"x": x}, out={})["y"].tolist() == [[4] * 5] * 2


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("z", np.zeros((2, 5), np.float32), r"entry 'bare' has no output 'z' \(it has y\)"),
        ("y", [[0.0] * 5] * 2, r"entry 'bare': out\['y'\] is no array of NumPy, got list"),
        ("y", np.zeros((2, 5)), r"entry 'bare': out\['y'\] is float64, float32 was expected"),
        ("y", np.zeros((2, 5), ">f4"), r"entry 'bare': out\['y'\] is >f4, float32 was expected"),
        ("y", np.zeros((3, 5), np.float32), r"entry 'bare': out\['y'\] has shape \[3, 5\], \[2, \?\] was expected"),
        ("y", np.zeros((2, 4), np.float32), r"gives output 'y' of shape \[2, 5\], and out\['y'\] has shape \[2, 4\]"),
        ("y", np.broadcast_to(np.float32(0), (2, 5)), r"entry 'bare': out\['y'\] cannot be written"),
    ],
)
def test_arrays_that_outputs_cannot_go_to(name: str, array: Array, message: str) -> None:
    with pytest.raises(RunError, match=message):
        _program(BARE)({"x": INPUTS["x"]}, out={name: array})


def test_relations_are_looked_at_for_each_combination_of_sizes() -> None:
    relations = relations_of_json([["dim 1 of input 'x'", "a multiple of", 5]], BARE.size_names())
    program = _program(replace(BARE, relations=relations))
    for _ in range(2):
        for columns in range(5, 500, 5):
            assert program({"x": np.ones((2, columns), np.float32)})["y"].shape == (2, columns)
        with pytest.raises(RunError, match="entry 'bare': dim 1 of input 'x'"):
            program({"x": np.ones((2, 6), np.float32)})


def test_threads_where_they_are_no_choice() -> None:
    with pytest.raises(RunError, match="entry 'bare' cannot be told to run on 2 threads: what runs it chooses"):
        _program(BARE).use_threads(2)


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
