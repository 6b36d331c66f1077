"""rlx-compile and rlx-run from text to arrays, with a backend of this file's own that runs the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

import rlx_passes
from rlx_dialect.ops import ArtifactOp
from rlx_dialect.reference import run
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.bundle.folder import Bundle, read_bundle
from rlx_passes.bundle.manifest import MANIFEST, Call, Entry, Manifest, TensorSpec
from rlx_passes.core.spec import parse_pipeline
from rlx_passes.pipeline.target import load_target
from rlx_passes.registry.context import fresh_context
from rlx_passes.runtime import program as runtime
from rlx_passes.runtime.program import Program
from rlx_passes.tools import rlx_compile, rlx_run
from rlx_passes.universe import own_passes

MLP = """func.func @main(%x: tensor<4x8xf32> {rlx.input = "x"}, %w: tensor<8x16xf32> {rlx.param = "w"},
                %b: tensor<16xf32> {rlx.param = "b"}) -> (tensor<4x16xf32> {rlx.output = "y"}) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation relu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}
"""

Array = NDArray[Any]
SPECS = {"x": (4, 8), "w": (8, 16), "b": (16,), "y": (4, 16)}


@dataclass(frozen=True)
class Keep(ModulePass):
    """Stands for what is not under test here: preparing and lowering."""

    name = "rlx-hoist-prepare"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        return


@dataclass(frozen=True)
class Lower(Keep):
    name = "keep"


@dataclass(frozen=True)
class Emit(ModulePass):
    """Leaves the program's text as the code."""

    name = "rlx-emit"

    target: str
    chip: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        x, w, b, y = (TensorSpec(name, shape, "f32") for name, shape in SPECS.items())
        call = Call((("input", "x"), ("param", "w"), ("param", "b")), ("y",))
        manifest = Manifest(
            self.target, self.chip, "", (Entry("main", (x,), (w, b), (y,), call, code={"file": "main.mlir"}),)
        )
        files = {MANIFEST: manifest.to_json().encode(), "main.mlir": str(op).encode()}
        for inner in list(op.ops):
            Rewriter.erase_op(inner)
        op.body.block.add_ops([ArtifactOp(name, data) for name, data in files.items()])


class TextProgram(runtime.Program):
    """Runs the text by the reference."""

    params: Mapping[str, Array]

    def _prepare(self, params: Mapping[str, Array]) -> None:
        self.params = params

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        module = parse_module(fresh_context(), self.bundle.read("main.mlir").decode())
        return list(run(module, "main", {**inputs, **self.params}).values())


def text_program(bundle: Bundle) -> type[Program]:
    return TextProgram


@pytest.fixture(autouse=True)
def text_backend(monkeypatch: pytest.MonkeyPatch):
    made: dict[str, type[ModulePass]] = {"rlx-hoist-prepare": Keep, "keep": Lower, "rlx-emit": Emit}
    for name, cls in made.items():
        monkeypatch.setitem(own_passes(), name, lambda cls=cls: cls)
    monkeypatch.setattr(runtime, "program_class", text_program)


@pytest.fixture
def target(tmp_path: Path) -> str:
    file = tmp_path / "text.toml"
    file.write_text('name = "text"\nepilogues = ["relu"]\n[lower]\npass = "keep"\n[codegen]\ndefault-chip = "c1"\n')
    return str(file)


@pytest.fixture
def mlp(tmp_path: Path) -> str:
    file = tmp_path / "mlp.mlir"
    file.write_text(MLP)
    return str(file)


@pytest.fixture
def arrays() -> dict[str, Array]:
    rng = np.random.default_rng(0)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SPECS.items() if name != "y"}


def expected(arrays: Mapping[str, Array]) -> Array:
    return np.maximum(arrays["x"] @ arrays["w"] + arrays["b"], 0)


@pytest.fixture
def bundle(mlp: str, target: str, tmp_path: Path) -> str:
    out = str(tmp_path / "out")
    assert rlx_compile.main([mlp, f"--target={target}", "--from=rlx", "-o", out]) == 0
    return out


def saved(folder: Path, arrays: Mapping[str, Array]) -> tuple[str, str]:
    np.save(folder / "x.npy", arrays["x"])
    np.savez(folder / "params.npz", w=arrays["w"], b=arrays["b"], more=arrays["x"])
    return str(folder / "x.npy"), str(folder / "params.npz")


def test_bundle_records_the_pipeline(bundle: str):
    read = read_bundle(bundle)
    assert (read.manifest.target, read.manifest.chip) == ("text", "c1")
    names = [spec.name for spec in parse_pipeline(read.manifest.pipeline)]
    assert names[-3:] == ["rlx-hoist-prepare", "keep", "rlx-emit"]
    assert "rlx-raise" not in names
    assert "rlx-fuse-matmul-bias-act" in names
    assert b"rlx.fused_matmul_bias_act" in read.read("main.mlir")


def test_run_writes_outputs(bundle: str, arrays: dict[str, Array], tmp_path: Path):
    x, params = saved(tmp_path, arrays)
    y, every = str(tmp_path / "y.npy"), str(tmp_path / "all.npz")
    assert rlx_run.main([bundle, "--input", f"x={x}", "--params", params, "--output", y, "--output", every]) == 0
    np.testing.assert_allclose(np.load(y), expected(arrays), rtol=1e-5, atol=1e-5)
    with np.load(every) as archive:
        assert archive.files == ["y"]


def test_run_prints_outputs(bundle: str, arrays: dict[str, Array], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    x, params = saved(tmp_path, arrays)
    assert rlx_run.main([bundle, f"--input=x={x}", f"--params={params}"]) == 0
    assert capsys.readouterr().out.startswith("y: [4, 16] float32: ")


def test_params_that_nobody_takes_are_named(
    bundle: str, arrays: dict[str, Array], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    x, _ = saved(tmp_path, arrays)
    more = tmp_path / "more.npz"
    np.savez(more, allow_pickle=False, w=arrays["w"], b=arrays["b"], bias=arrays["b"])
    assert rlx_run.main([bundle, f"--input=x={x}", f"--params={more}"]) == 0
    out, err = capsys.readouterr()
    assert err == f"rlx-run: remark: {more} holds 1 param that the entry does not take: 'bias'\n"
    assert out.startswith("y: [4, 16] float32: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere is not a bundle: no such folder"),
        ([], "the bundle is missing"),
        (["out", "--entry=man"], "no entry 'man' in this bundle; it has main"),
        (["out", "--input", "xx=x.npy"], "no input 'xx'"),
        (["out", "--input", "x.npy"], "say which input, as NAME=FILE (there are x)"),
        (["out", "--input", "x=none.npy"], "none.npy: cannot be read: No such file"),
        (["out", "--input", "x=text.npy"], "text.npy: not a NumPy file"),
        (["out", "--input", "x=x.npy"], "needs its params first"),
        (["out", "--input", "x=x.npy", "--params", "x.npy"], "params are read from .safetensors, .npz and .onnx files"),
        (["out", "--params", "params.npz"], "lacks input 'x'"),
        (["out", "--input", "x=b.npy", "--params", "params.npz"], "input 'x' has shape [16], [4, 8] was expected"),
        (["out", "--output", "z=z.npy"], "no output 'z' (there are y)"),
        (["out", "--output", "y=y.txt"], "y.txt: one output is written as .npy"),
        (["out", "--output", "y=y.npy", "--output", "z.npy"], "--output z.npy: y.npy is given for it already"),
        (["out", "--input", "x=x.npy", "--input", "x=b.npy"], "--input x=b.npy: input 'x' is given already"),
        (["out", "--input", "x=huge.npy"], "huge.npy: not a NumPy file"),
        (["out", "--input", "x=deep.npy"], "deep.npy: not a NumPy file"),
        (["out", "--input", "x=objects.npy"], "objects.npy: not a NumPy file: Object arrays cannot be loaded"),
        (["out", "--frob"], "unknown flag or pass '--frob'"),
        (
            ["out", "--input", "x=x.npy", "--params", "params.npz", "--output", "no/y.npy"],
            "no/y.npy: cannot be written",
        ),
    ],
)
def test_run_errors(
    bundle: str,
    arrays: dict[str, Array],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
):
    saved(tmp_path, arrays)
    np.save(tmp_path / "b.npy", arrays["b"])
    (tmp_path / "text.npy").write_text("no array")
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    hostile = {"huge": "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999)}", "deep": "(" * 100}
    for name, header in hostile.items():
        (tmp_path / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n")
    monkeypatch.chdir(tmp_path)
    assert rlx_run.main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rlx-run: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "rlx-compile: error: --target is missing"),
        (["--target=cpu"], "rlx-compile: error: -o is missing"),
        (["--target=cpu", "-o", "-"], "rlx-compile: error: -o -: a bundle is a folder"),
        (["--target=cpu", "-o", "a\0b"], "rlx-compile: error: 'a\\x00b' is no path"),
        (["--target=cpu", "-o", "out", "--from=rlx", "--params=1"], "params, inputs and names are for the import"),
        (["--target=cpu", "-o", "no/out"], "rlx-compile: error: no/out: no such folder: no"),
        (["--target=cpi", "-o", "out"], "rlx-compile: error: unknown target 'cpi'"),
        (["--target=cpu", "-o", "out", "--chpi=x"], "unknown flag or pass '--chpi'; did you mean '--chip'"),
    ],
)
def test_compile_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str):
    assert rlx_compile.main(arguments) == 1
    assert message in capsys.readouterr().err


def test_compile_faults_are_placed_and_leave_the_old_bundle(
    bundle: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = (Path(bundle) / MANIFEST).read_bytes()
    bad = tmp_path / "bad.mlir"
    bad.write_text(MLP.replace("rlx.matmul", "rlx.matmull"))
    assert rlx_compile.main([str(bad), f"--target={target}", "--from=rlx", "-o", bundle]) == 1
    assert capsys.readouterr().err.startswith(f"{bad}:3:8: error: unknown op 'rlx.matmull'")
    assert (Path(bundle) / MANIFEST).read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".out")]


def test_compile_prints_its_pipeline(target: str, capsys: pytest.CaptureFixture[str]):
    assert rlx_compile.main([f"--target={target}", "--from=rlx", "--chip=c2", "--print-pass-pipeline"]) == 0
    text = capsys.readouterr().out
    assert text.endswith("rlx-hoist-prepare,keep,rlx-emit{target=text chip=c2}\n")


def test_compile_from_python(target: str, arrays: dict[str, Array], tmp_path: Path):
    module = parse_module(fresh_context(), MLP)
    before = str(module)
    for source in (module, MLP):
        program = rlx_passes.compile(source, load_target(target), origin="rlx")
        program.load({"w": arrays["w"], "b": arrays["b"]})
        np.testing.assert_allclose(program({"x": arrays["x"]})["y"], expected(arrays), rtol=1e-5, atol=1e-5)
    assert str(module) == before

    rlx_passes.compile(MLP, load_target(target), origin="rlx", output=tmp_path / "kept")
    assert cast(TextProgram, rlx_passes.load_bundle(tmp_path / "kept")).entry.name == "main"


def test_the_folder_of_a_compiled_program_goes_with_it(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    (temp := tmp_path / "temp").mkdir()
    program = rlx_passes.compile(MLP, load_target(target), origin="rlx")
    assert len(list(temp.iterdir())) == 1
    del program
    assert not list(temp.iterdir())


def test_public_names():
    assert {"compile", "Fuse", "build_pipeline", "load_bundle"} <= set(dir(rlx_passes))
    assert rlx_passes.Fuse("cpu").passes().names()[0] == "LowerControlFlow"
    assert rlx_passes.build_pipeline("cpu", stage="fuse", origin="rlx")
    with pytest.raises(AttributeError, match="module 'rlx_passes' has no attribute 'nothing'"):
        getattr(rlx_passes, "noth" + "ing")
