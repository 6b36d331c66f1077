"""What is said of programs that a backend cannot hold, each fault by its id."""

from __future__ import annotations

import pytest
from programs import parse
from tools import need_program
from xdsl.context import Context
from xdsl.dialects import gpu, scf

from rlx_passes import compile
from rlx_passes.core.errors import RlxError
from rlx_passes.lowerings.convert_rlx_to_gpu import ConvertRlxToGpuPass

GPU = ["cuda", "rocm", "wgpu", "metal"]

LOOPS = {
    "rlx.scan": """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = rlx.scan(%a = %x) length(40) : (tensor<4xf32>) -> tensor<4xf32> {
        %0 = rlx.binary add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        rlx.yield %0 : tensor<4xf32>
      }
      func.return %y : tensor<4xf32>
    }""",
    "rlx.while": """
    func.func @main(%n: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
      %y = rlx.while(%a = %x) captures(%s = %n) : (tensor<i32>, tensor<i32>) -> tensor<i32> {
        %0 = rlx.compare lt %a, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
        rlx.yield %0 : tensor<i1>
      } do(%b, %t) {
        %1 = rlx.binary add %b, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
        rlx.yield %1 : tensor<i32>
      }
      func.return %y : tensor<i32>
    }""",
}


@pytest.mark.parametrize("target", GPU)
@pytest.mark.parametrize("op", LOOPS)
def test_f46_loops_stay_around_launches(op: str, target: str):
    need_program("mlir-opt-22", "mlir-opt")
    module = parse(LOOPS[op])
    ConvertRlxToGpuPass(target).apply(Context(), module)
    (loop,) = (each for each in module.walk() if isinstance(each, scf.ForOp | scf.WhileOp))
    assert any(isinstance(each, gpu.LaunchFuncOp) for each in loop.walk())


@pytest.mark.parametrize("target", GPU)
def test_f46_complex_numbers_have_code(target: str):
    need_program("mlir-opt-22", "mlir-opt")
    text = """
    func.func @main() -> tensor<2x3xcomplex<f32>> {
      %0 = rlx.full 0.25 : tensor<2x3xcomplex<f32>>
      func.return %0 : tensor<2x3xcomplex<f32>>
    }"""
    module = parse(text)
    ConvertRlxToGpuPass(target).apply(Context(), module)
    (kernels,) = (each for each in module.ops if isinstance(each, gpu.ModuleOp))
    assert "memref<2x3xcomplex<f32>>" in str(module)
    assert "memref<12xf32>" in str(kernels)
    assert "complex" not in str(kernels)


@pytest.mark.parametrize("target", GPU)
def test_f46_complex_numbers_of_f64_are_refused_by_name(target: str):
    text = "func.func @main(%x: tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>> {\n  func.return %x "
    with pytest.raises(RlxError, match=r"takes .arg0. of type tensor<2xcomplex<f64>>") as refusal:
        compile(text + ": tensor<2xcomplex<f64>>\n}", target, origin="rlx")
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("target", ["cpu", "cuda", "mlx"])
def test_f47_stablehlo_that_is_not_imported(target: str):
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    with pytest.raises(RlxError, match=r"'stablehlo\.add' in @main .*; drop from=rlx if it is set, "):
        compile(text, target, origin="rlx")
