"""Every target ends in code for both real programs; where it can run here, it gives the recorded outputs."""

import subprocess
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_models import LIMIT, MODELS_BY_NAME
from tools import long, need_module, need_program

from rlx_passes import compile, load_bundle
from rlx_passes.bundle.folder import read_bundle

RUNS = {"cpu": "llvmlite", "mlx": "mlx", "tpu": "jax", "wgpu": "wgpu"}
"""Targets whose code runs without their device, and the package that runs it."""

GPU = ("cuda", "rocm", "wgpu", "metal")


def accepted_by_ptxas(bundle: Path) -> None:
    ptxas = need_program("ptxas")
    subprocess.run([ptxas, "-arch=sm_80", bundle / "kernels.ptx", "-o", bundle / "checked.cubin"], check=True)
    assert ".extern .func" not in (bundle / "kernels.ptx").read_text()


def accepted_by_readelf(bundle: Path) -> None:
    readelf = need_program("llvm-readelf-22", "llvm-readelf")
    header = subprocess.run(
        [readelf, "-h", bundle / "kernels.hsaco"], check=True, capture_output=True, text=True
    ).stdout
    assert "EM_AMDGPU" in header
    assert "gfx942" in header


def accepted_by_spirv_val(bundle: Path) -> None:
    subprocess.run([need_program("spirv-val"), "--target-env", "vulkan1.1", bundle / "kernels.spv"], check=True)


def every_kernel_is_there(bundle: Path) -> None:
    """`test/unit/codegen` executes such kernels on the host."""
    files = load_bundle(bundle).entry.code["files"]
    assert files
    assert all("kernel void" in (bundle / name).read_text() for name in files)


def compiled_ahead_of_time(bundle: Path) -> None:
    need_module("libtpu")
    code = load_bundle(bundle).entry.code
    assert (bundle / code["executable"]).stat().st_size > 10_000
    assert code["cost"]["flops"] > 1_000_000


CHECKS = {
    "cuda": accepted_by_ptxas,
    "rocm": accepted_by_readelf,
    "wgpu": accepted_by_spirv_val,
    "metal": every_kernel_is_there,
    "tpu": compiled_ahead_of_time,
}
"""What the target's own tools say of a bundle."""


def cases(targets: Iterable[str], *, always: str = "") -> list[Any]:
    """Every model for every target; of the larger one, which takes a minute to compile, `always` alone is not long."""
    return [
        pytest.param(name, target, marks=[long] if name == "minilm" and target != always else [])
        for name, target in product(MODELS_BY_NAME, targets)
    ]


def need_tools(target: str) -> None:
    if target in RUNS:
        need_module(RUNS[target].partition(".")[0])
    if target in GPU:
        need_program("mlir-opt-22", "mlir-opt")


@pytest.mark.parametrize(("name", "target"), cases(RUNS, always="cpu"))
def test_compiled_code_gives_the_recorded_outputs(name: str, target: str):
    need_tools(target)
    model = MODELS_BY_NAME[name]()
    program = compile(model.module, target, origin=model.origin, pack_attention=True)
    outputs = program.load(model.params)(model.inputs)
    assert model.error(outputs) <= LIMIT


@pytest.mark.parametrize(("name", "target"), cases(CHECKS))
def test_the_targets_own_tools_accept_the_code(name: str, target: str, tmp_path: Path):
    need_tools(target)
    model = MODELS_BY_NAME[name]()
    chip = "gfx942" if target == "rocm" else ""
    compile(model.module, target, chip=chip, origin=model.origin, output=tmp_path / "out")
    manifest = read_bundle(tmp_path / "out").manifest
    assert manifest.target == target
    assert "rlx-hoist-prepare" in manifest.pipeline
    CHECKS[target](tmp_path / "out")


def test_weights_are_prepared_once():
    """Transposing and packing weights is no part of a call."""
    need_module("llvmlite")
    model = MODELS_BY_NAME["minilm"]()
    program = compile(model.module, "cpu", origin="rlx", pack_attention=True)
    program.load(model.params)
    first = program(model.inputs)
    second = program(model.inputs)
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name])
    entry = program.entry
    assert entry.prepare is not None
    assert {name for role, name in entry.call.arguments if role == "prepared"} == set(entry.prepare.results)


def test_a_bundle_loads_from_its_folder(tmp_path: Path):
    need_module("llvmlite")
    model = MODELS_BY_NAME["bert"]()
    compile(model.module, "cpu", output=tmp_path / "bert")
    assert model.error(load_bundle(tmp_path / "bert")(model.inputs)) <= LIMIT
