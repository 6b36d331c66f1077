"""CUDA and HIP programs without a GPU: a clear error, and the whole sequence of calls against a stand-in driver."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tools import need_program

from rlx_dialect.dims import Dim, Symbol, larger
from rlx_passes.bundle.folder import Bundle, read_bundle, write_bundle
from rlx_passes.bundle.launch_plan import Buffer, LaunchStep, Plan
from rlx_passes.bundle.manifest import Call, Entry, Manifest, TensorSpec
from rlx_passes.core.errors import RlxError, RunError
from rlx_passes.runtime.cuda import CUDA, CudaProgram
from rlx_passes.runtime.program import load_bundle
from rlx_passes.runtime.rocm import HIP

X, W, Y = (TensorSpec(name, (64,), "f32") for name in ("x", "w", "y"))
PLAN = Plan(
    (
        Buffer("argument", 0, 256),
        Buffer("argument", 1, 256),
        Buffer("temporary", 256, 256),
        Buffer("result", 0, 256),
        Buffer("constant", 256, 256),
    ),
    (
        LaunchStep("kernel_0", (2, 1, 1), (32, 1, 1), (0, 1, 2)),
        LaunchStep("kernel_0", (2, 1, 1), (32, 1, 1), (2, 4, 3)),
    ),
    (3,),
    512,
)
CONSTANTS = bytes(256) + np.full(64, 100, np.float32).tobytes()


def _bundle(folder: Path, target: str, file: str, code: bytes = b"add") -> Path:
    plan = {"files": [file], "plan": PLAN.to_json(), "prepare_plan": None, "constants": "constants.bin", "storage": {}}
    entry = Entry("main", (X,), (W,), (Y,), Call((("input", "x"), ("param", "w")), ("y",)), code=plan)
    manifest = Manifest(target, "", "", (entry,))
    write_bundle(folder, {"manifest.json": manifest.to_json().encode(), file: code, "constants.bin": CONSTANTS})
    return folder


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stand-in, compiled."""
    compiler = need_program("g++")
    library = tmp_path_factory.mktemp("driver") / "driver.so"
    source = Path(__file__).parent / "fake_driver.cpp"
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def test_runs_a_plan(driver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CUDA.variable, str(driver))
    x, w = np.arange(64, dtype=np.float32), np.full(64, 0.5, np.float32)
    program = load_bundle(_bundle(tmp_path / "out", "cuda", "kernels.ptx")).load({"w": w})
    assert isinstance(program, CudaProgram)
    for shift in (0, 1):
        np.testing.assert_array_equal(program({"x": x + shift})["y"], x + shift + w + 100)


def test_sizes_go_by_value(driver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers and launches are those of each call; there is no launch for no element."""
    monkeypatch.setenv(CUDA.variable, str(driver))
    n = Dim.of(Symbol("dim 0 of input 'x'"))
    step = LaunchStep("kernel_1", ((n + 31) // 32, 1, 1), (32, 1, 1), (0, 0, 1), (n,))
    plan = Plan(
        (Buffer("argument", 0, larger(4, 4 * n)), Buffer("result", 0, larger(4, 4 * n))), (step,), (1,), 0, ((n,),)
    )
    x, y = (TensorSpec(name, (None,), "f32") for name in ("x", "y"))
    code = {"files": ["kernels.ptx"], "plan": plan.to_json(), "prepare_plan": None, "constants": None, "storage": {}}
    manifest = Manifest("cuda", "", "", (Entry("main", (x,), (), (y,), Call((("input", "x"),), ("y",)), code=code),))
    write_bundle(tmp_path / "out", {"manifest.json": manifest.to_json().encode(), "kernels.ptx": b"add"})
    program = load_bundle(tmp_path / "out")
    for count in (5, 64, 0, 33):
        given = np.arange(count, dtype=np.float32)
        np.testing.assert_array_equal(program({"x": given})["y"], 2 * given)


def test_errors_name_the_call(driver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CUDA.variable, str(driver))
    with pytest.raises(RunError, match="the CUDA driver: cuModuleLoadData failed with error 218"):
        load_bundle(_bundle(tmp_path / "out", "cuda", "kernels.ptx", b"bad")).load({"w": np.ones(64, np.float32)})


def test_a_missing_file_is_named(driver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CUDA.variable, str(driver))
    path = _bundle(tmp_path / "out", "cuda", "kernels.ptx")
    (path / "kernels.ptx").unlink()
    with pytest.raises(RlxError, match=r"no file 'kernels\.ptx', which its manifest names"):
        load_bundle(path)


def test_constants_outside_of_the_file_are_refused(
    driver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CUDA.variable, str(driver))
    bundle = read_bundle(_bundle(tmp_path / "out", "cuda", "kernels.ptx"))
    (tmp_path / "out" / "constants.bin").write_bytes(CONSTANTS[:300])
    program = CudaProgram(replace(bundle), bundle.manifest.entry())
    assert isinstance(program.bundle, Bundle)
    with pytest.raises(RlxError, match="outside of the constants file"):
        program.load({"w": np.zeros(64, np.float32)})


@pytest.mark.parametrize(
    ("target", "file", "title"),
    [("cuda", "kernels.ptx", "the CUDA driver"), ("rocm", "kernels.hsaco", "the HIP runtime")],
)
def test_no_driver(target: str, file: str, title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = {"cuda": CUDA, "rocm": HIP}[target].variable
    monkeypatch.setenv(variable, str(tmp_path / "none.so"))
    with pytest.raises(RunError, match=rf"{title} was not found \(.*none\.so\): .*{variable} names the library"):
        load_bundle(_bundle(tmp_path / "out", target, file)).load({"w": np.ones(64, np.float32)})
