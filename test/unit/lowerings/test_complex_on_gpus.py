"""Complex numbers in kernels: every example of an op on them gives what the reference says, with sizes open too."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import target_coverage
from programs import parse, random_inputs
from tools import need_module, need_program, sampled, shared
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

import rlx_passes
from rlx_dialect.arrays import Array
from rlx_dialect.reference import run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import Refusal
from rlx_passes.core.numerics import difference, tolerance_of_whole
from rlx_passes.lowerings.convert_rlx_to_gpu import ConvertRlxToGpuPass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.program import load_bundle

OPEN = """
func.func @main(%x: tensor<?x4xcomplex<f32>> {rlx.input = "x", rlx.dims = ["n", 4]},
    %w: tensor<4x?xcomplex<f32>> {rlx.param = "w"}) -> (tensor<?x?xcomplex<f32>> {rlx.output = "y"},
    tensor<?x4xcomplex<f32>> {rlx.output = "z"}, tensor<?x?xf32> {rlx.output = "r"}) {
  %0 = rlx.matmul %x, %w : (tensor<?x4xcomplex<f32>>, tensor<4x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  %1 = arith.constant dense<[(1.0,2.0), (0.0,-1.0), (3.0,0.5), (-2.0,0.0)]> : tensor<4xcomplex<f32>>
  %2 = rlx.binary div %x, %1 : (tensor<?x4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<?x4xcomplex<f32>>
  %3 = rlx.concat %2, %x axis(0) : (tensor<?x4xcomplex<f32>>, tensor<?x4xcomplex<f32>>) -> tensor<?x4xcomplex<f32>>
  %4 = rlx.real %0 : tensor<?x?xcomplex<f32>> -> tensor<?x?xf32>
  func.return %0, %3, %4 : tensor<?x?xcomplex<f32>>, tensor<?x4xcomplex<f32>>, tensor<?x?xf32>
}"""

CONTROLLED = """
func.func @main(%x: tensor<?xcomplex<f32>> {rlx.input = "x"}, %p: tensor<i1> {rlx.input = "p"},
    %w: tensor<3x3xcomplex<f32>> {rlx.param = "w"}) -> (tensor<?xcomplex<f32>> {rlx.output = "y"},
    tensor<3x3xcomplex<f32>> {rlx.output = "z"}) {
  %t = rlx.transpose %w [1, 0] : tensor<3x3xcomplex<f32>> -> tensor<3x3xcomplex<f32>>
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
    %1 = rlx.binary mul %a, %a : (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
    rlx.yield %1 : tensor<?xcomplex<f32>>
  } else(%b) {
    %2 = rlx.concat %b, %b axis(0) : (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
    rlx.yield %2 : tensor<?xcomplex<f32>>
  }
  %3 = rlx.scan(%a = %t) length(3) : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>> {
    %4 = rlx.matmul %a, %a : (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    rlx.yield %4 : tensor<3x3xcomplex<f32>>
  }
  func.return %0, %3 : tensor<?xcomplex<f32>>, tensor<3x3xcomplex<f32>>
}"""


@pytest.fixture(autouse=True)
def _mlir() -> None:
    need_program("mlir-opt-22", "mlir-opt")
    need_program("mlir-translate-22", "mlir-translate")


@cache
def examples() -> Mapping[str, FuncOp]:
    """The examples of known sizes that have complex numbers, by names of their own."""
    found: dict[str, FuncOp] = {}
    for op, uses in target_coverage.examples().items():
        for each in uses:
            (function,) = (each for each in each.module.ops if isinstance(each, FuncOp))
            text = str(function)
            if "complex<" in text and "?" not in text and "f64" not in text:
                copy = function.clone()
                copy.sym_name = StringAttr(f"{op.removeprefix('rlx.')}_{len(found)}")
                found[copy.sym_name.data] = copy
    return found


@cache
def artefacts(target: str) -> Mapping[str, bytes]:
    module = ModuleOp([each.clone() for each in examples().values()])
    ConvertRlxToGpuPass(target).apply(tool_context(), module)
    return generator(target)(module)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("wgpu")
    path = tmp_path_factory.mktemp("bundle") / "wgpu"
    write_bundle(path, artefacts("wgpu"))
    return path


def _inputs(function: FuncOp) -> Mapping[str, Array]:
    """Indices are 0 or 1."""
    return {
        name: (np.abs(value) % 2).astype(value.dtype) if value.dtype.kind in "iu" else value
        for name, value in random_inputs(function).items()
    }


@sampled(12)
@pytest.mark.parametrize("name", examples())
def test_values_are_those_of_the_reference(name: str, folder: Path):
    function = examples()[name].clone()
    inputs = _inputs(function)
    got = load_bundle(folder, name)(inputs)
    wanted = run(ModuleOp([function]), name, inputs)
    assert [fault for key in wanted if (fault := difference(got[key], wanted[key]))] == []


@pytest.mark.parametrize("target", shared(["cuda", "rocm", "metal"], 1))
def test_there_is_code_of_all(target: str):
    if target == "metal":
        need_program("spirv-cross")
    assert artefacts(target)


def test_sizes_may_be_open():
    """Arguments, params and results are complex64 as they are; a constant is too."""
    need_module("wgpu")
    program = rlx_passes.compile(OPEN, "wgpu", origin="rlx")
    rng = np.random.default_rng(2)
    for n, m in ((3, 2), (1, 5), (0, 1), (130, 7)):
        x, w = (rng.standard_normal((*s, 2), np.float32).view(np.complex64)[..., 0] for s in ((n, 4), (4, m)))
        program.load({"w": w})
        got, wanted = program({"x": x}), run(parse(OPEN), None, {"x": x, "w": w})
        for key, value in wanted.items():
            assert difference(got[key], value) is None


def test_branches_loops_and_prepared_values():
    need_module("wgpu")
    program = rlx_passes.compile(CONTROLLED, "wgpu", origin="rlx")
    numbers = np.random.default_rng(3).standard_normal((5 + 9, 2), np.float32).view(np.complex64)[:, 0]
    w = numbers[5:].reshape(3, 3) / 2
    program.load({"w": w})
    for choice in (True, False):
        inputs = {"x": numbers[:5], "p": np.array(choice)}
        got, wanted = program(inputs), run(parse(CONTROLLED), None, {**inputs, "w": w})
        for key, value in wanted.items():
            assert difference(got[key], value, tolerance_of_whole(value)) is None


def test_kernels_count_parts():
    """Twice as many places as numbers."""
    large = 2**30
    text = f"""
    func.func @main(%x: tensor<{large}xcomplex<f32>>) -> tensor<{large}xcomplex<f32>> {{
      %0 = rlx.conjugate %x : tensor<{large}xcomplex<f32>>
      func.return %0 : tensor<{large}xcomplex<f32>>
    }}"""
    with pytest.raises(Refusal, match=r"kernels do not reach so many complex numbers"):
        rlx_passes.compile(text, "cuda", origin="rlx")
    module = parse(text.replace(str(large), "?"))
    ConvertRlxToGpuPass("wgpu").apply(tool_context(), module)
    assert "kernels do not reach so many complex numbers" in str(module)
    assert not any("complex" in str(each) for each in module.walk() if isinstance(each, gpu.FuncOp))
