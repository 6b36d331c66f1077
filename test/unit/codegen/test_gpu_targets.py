"""Every program of test/data/linalg on every GPU target: executed where possible, else checked by its tools."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from gpu_cases import CASES, CHIPS, artefacts, check_outputs, lowered
from tools import need_module, need_program, shared

from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import CodegenError
from rlx_passes.runtime.program import load_bundle

NAMES = list(CASES)


@pytest.fixture(autouse=True)
def _mlir() -> None:
    need_program("mlir-opt-22", "mlir-opt")
    need_program("mlir-translate-22", "mlir-translate")


def _run(name: str, target: str, folder: Path) -> None:
    case = CASES[name]
    inputs, params = case.arguments()
    write_bundle(folder / "bundle", artefacts(name, target))
    program = load_bundle(folder / "bundle").load(params)
    expected = case.expected(inputs, params)
    check_outputs(case, program(inputs), expected)
    check_outputs(case, program(inputs), expected)  # again, in the same buffers


@pytest.mark.parametrize("name", shared(NAMES, 3))
def test_wgpu_runs(name: str, tmp_path: Path) -> None:
    need_module("wgpu")
    _run(name, "wgpu", tmp_path)


@pytest.mark.parametrize("name", shared(NAMES, 3))
def test_metal_runs_on_the_host(name: str, tmp_path: Path) -> None:
    need_program("spirv-cross")
    need_program("g++")
    _run(name, "metal", tmp_path)


@pytest.mark.parametrize("name", shared(NAMES, 3))
def test_spirv_is_valid(name: str, tmp_path: Path) -> None:
    validator = need_program("spirv-val")
    for file, code in artefacts(name, "wgpu").items():
        if file.endswith(".spv"):
            path = tmp_path / file
            path.write_bytes(code)
            done = subprocess.run([validator, "--target-env", "vulkan1.1", path], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr[:500]


@pytest.mark.parametrize("name", shared(NAMES, 3))
def test_cuda_assembles(name: str) -> None:
    need_program("ptxas")
    files = artefacts(name, "cuda", "sm_90")
    if name == "identity":
        assert list(files) == ["manifest.json"]
        return
    ptx = files["kernels.ptx"].decode()
    assert ".target sm_90" in ptx
    assert ".extern .func" not in ptx
    assert files["kernels.cubin"].startswith(b"\x7fELF")
    _check_launches(json.loads(files["manifest.json"]), set(re.findall(r"\.visible \.entry (\w+)", ptx)))


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("name", shared(NAMES, 3))
def test_rocm_links(name: str, chip: str, tmp_path: Path) -> None:
    need_program("llvm-mc-22", "llvm-mc")
    need_program("ld.lld-22", "ld.lld")
    readelf = need_program("llvm-readelf-22", "llvm-readelf")
    files = artefacts(name, "rocm", chip)
    if name == "identity":
        assert list(files) == ["manifest.json"]
        return
    path = tmp_path / "kernels.hsaco"
    path.write_bytes(files["kernels.hsaco"])
    said = subprocess.run([readelf, "-h", "--symbols", path], capture_output=True, text=True, check=True).stdout
    assert "EM_AMDGPU" in said
    assert re.search(rf"Flags:.*\b{chip}\b", said)
    assert not re.search(r"FUNC.*\bUND\b", said)
    _check_launches(json.loads(files["manifest.json"]), set(re.findall(r"(\w+)\.kd", said)))


def _check_launches(
    manifest: dict[str, list[dict[str, dict[str, dict[str, list[dict[str, str]]]]]]], kernels: set[str]
) -> None:
    """Every launch names a kernel that is there."""
    for entry in manifest["entries"]:
        for key in ("plan", "prepare_plan"):
            plan = entry["code"][key]
            assert plan is None or {step["kernel"] for step in plan["launches"]} <= kernels


@pytest.mark.parametrize(
    ("target", "chip"), [("cuda", "sm_91"), ("rocm", "gfx941x"), ("wgpu", "webgl"), ("metal", "metal9.9")]
)
def test_unknown_chip_lists_the_known(target: str, chip: str) -> None:
    with pytest.raises(CodegenError, match=rf"'{chip}' is no chip known for {target}.*{CHIPS[target][0]}"):
        generator(target)(lowered(CASES["linear_gelu"].text, target), chip)


@pytest.mark.parametrize("chip", shared(CHIPS["cuda"], 3))
def test_every_cuda_chip_compiles(chip: str) -> None:
    assert f".target {chip}".encode() in artefacts("linear_gelu", "cuda", chip)["kernels.ptx"]


@pytest.mark.parametrize("chip", shared(CHIPS["rocm"], 3))
def test_every_rocm_chip_compiles(chip: str) -> None:
    need_program("llvm-mc-22", "llvm-mc")
    need_program("ld.lld-22", "ld.lld")
    assert artefacts("linear_gelu", "rocm", chip)["kernels.hsaco"].startswith(b"\x7fELF")
