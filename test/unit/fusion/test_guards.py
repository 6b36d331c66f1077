"""Guards against programs that verify but that no sizes fit, so that no lit file can hold them."""

import pytest
from programs_of_fusion import names, run
from xdsl.passes import ModulePass

from rlx_passes.fusion.fuse_shared_input_matmul import FuseSharedInputMatMulPass
from rlx_passes.fusion.fuse_swiglu_dual_matmul import FuseSwiGLUDualMatMulPass

WEIGHTS_OF_UNEQUAL_ROWS = """
func.func @f(%x: tensor<4x?xf32>, %u: tensor<8x6xf32>, %g: tensor<7x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %u : (tensor<4x?xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %g : (tensor<4x?xf32>, tensor<7x6xf32>) -> tensor<4x6xf32>
  %2 = rlx.activation silu %1 : tensor<4x6xf32>
  %3 = rlx.binary mul %0, %2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %3 : tensor<4x6xf32>
}"""


@pytest.mark.parametrize(
    "pass_", [FuseSharedInputMatMulPass(), FuseSwiGLUDualMatMulPass()], ids=lambda pass_: pass_.name
)
def test_weights_of_unequal_rows_are_not_joined(pass_: ModulePass):
    module, misses = run(WEIGHTS_OF_UNEQUAL_ROWS, pass_)
    assert names(module) == ["rlx.matmul", "rlx.matmul", "rlx.activation", "rlx.binary"]
    assert {str(miss.reason) for miss in misses} == {"RLX-F015 dims-not-known-equal"}
    assert any(miss.detail == "weights of [8] and [7] rows" for miss in misses)
