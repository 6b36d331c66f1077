"""Every target ends in code for both real programs; where it can run here, it gives the recorded outputs."""

from pathlib import Path

import numpy as np
import pytest
from real_models import LIMIT, MODELS_BY_NAME
from tools import need_module, need_program

from rlx_passes import compile, load_bundle
from rlx_passes.codegen.bundle import read_bundle

RUNS = {"cpu": "iree.compiler", "mlx": "mlx", "tpu": "jax", "wgpu": "wgpu"}
"""Targets whose code runs without their device, and the package that runs it."""

CODE = {"cuda": ".ptx", "rocm": ".hsaco", "metal": ".metal"}
"""Targets whose code does not run here, and what their kernels are called."""

GPU = ("cuda", "rocm", "wgpu", "metal")


def need_tools(target: str) -> None:
    if target in RUNS:
        need_module(RUNS[target].partition(".")[0])
    if target in GPU:
        need_program("mlir-opt-22", "mlir-opt")


@pytest.mark.parametrize("target", RUNS)
@pytest.mark.parametrize("name", MODELS_BY_NAME)
def test_compiled_code_gives_the_recorded_outputs(name: str, target: str):
    need_tools(target)
    model = MODELS_BY_NAME[name]()
    program = compile(model.module, target, origin=model.origin, pack_attention=True)  # pyright: ignore[reportArgumentType]
    outputs = program.load(model.params)(model.inputs)
    assert model.error(outputs) <= LIMIT


@pytest.mark.parametrize("target", CODE)
@pytest.mark.parametrize("name", MODELS_BY_NAME)
def test_code_without_a_device_is_complete(name: str, target: str, tmp_path: Path):
    """`test/unit/codegen` has kernels checked by their own assemblers and, for metal, executed."""
    need_tools(target)
    model = MODELS_BY_NAME[name]()
    compile(model.module, target, origin=model.origin, output=tmp_path / "out")  # pyright: ignore[reportArgumentType]
    bundle = read_bundle(tmp_path / "out")
    assert bundle.manifest.target == target
    assert bundle.manifest.pipeline.endswith("}")
    assert [path for path in bundle.path.iterdir() if path.suffix == CODE[target] and path.stat().st_size]


def test_weights_are_prepared_once():
    """Transposing and packing weights is no part of a call."""
    need_module("iree")
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
    need_module("iree")
    model = MODELS_BY_NAME["bert"]()
    compile(model.module, "cpu", output=tmp_path / "bert")
    assert model.error(load_bundle(tmp_path / "bert")(model.inputs)) <= LIMIT
