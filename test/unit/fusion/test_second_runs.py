"""Programs of which a second run of a pipeline once found more than the first."""

import pytest

from rlx_passes.core.spec import parse_pipeline
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source
from rlx_passes.registry.instantiate import create_passes

TARGETS = ("cpu", "metal", "mlx", "wgpu", "cuda", "rocm", "tpu")

ADAPTIVE_RMS_AND_RESIDUAL_LN = """
func.func @f(%a: tensor<2x1x8xf16>, %b: tensor<2x1x8xf16>, %scale: tensor<2x1x8xf16>, %shift: tensor<2x1x8xf16>,
             %gamma: tensor<8xf16>, %beta: tensor<8xf16>) -> tensor<2x1x8xf16> {
  %0 = rlx.binary add %a, %b : (tensor<2x1x8xf16>, tensor<2x1x8xf16>) -> tensor<2x1x8xf16>
  %ones = arith.constant dense<1.0> : tensor<8xf16>
  %zeros = arith.constant dense<0.0> : tensor<8xf16>
  %1 = rlx.rms_norm %0, %ones, %zeros epsilon(1.0e-05)
      : (tensor<2x1x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x1x8xf16>
  %one = arith.constant dense<1.0> : tensor<2x1x8xf16>
  %2 = rlx.binary add %one, %scale : (tensor<2x1x8xf16>, tensor<2x1x8xf16>) -> tensor<2x1x8xf16>
  %3 = rlx.binary mul %2, %1 : (tensor<2x1x8xf16>, tensor<2x1x8xf16>) -> tensor<2x1x8xf16>
  %4 = rlx.binary add %shift, %3 : (tensor<2x1x8xf16>, tensor<2x1x8xf16>) -> tensor<2x1x8xf16>
  %5 = rlx.layer_norm %4, %gamma, %beta epsilon(1.0e-12)
      : (tensor<2x1x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x1x8xf16>
  func.return %5 : tensor<2x1x8xf16>
}
"""
"""
The sum, the norm and its modulation: an adaptive norm after the sum. Without tees the residual RMS norm takes the norm;
its modulation is no adaptive norm then, and the sum after it is a residual.
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("option", "found"), [("", "ada_layer_norm"), (" compat-tee=true", "fused_residual_ln")])
@pytest.mark.parametrize("program", [ADAPTIVE_RMS_AND_RESIDUAL_LN])
def test_a_second_run_changes_nothing(program: str, option: str, found: str, target: str):
    context = tool_context()
    module = parse(context, Source("<program>", program))
    texts: list[str] = []
    for _ in range(2):
        for each in create_passes(parse_pipeline(f"rlx-fusion{{target={target}{option}}}")):
            each.apply(context, module)
        texts.append(str(module))
    assert texts[0] == texts[1]
    assert f"rlx.{found} " in texts[0]
