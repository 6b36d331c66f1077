"""`Fuse`: a value with setters that return new builders."""

from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.budget.limits import FusionLimits
from rlx_passes.pipeline.builder import Fuse
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.registry.context import fresh_context
from rlx_passes.switches import environment

TWO_READERS = """
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation gelu %0 : tensor<4x16xf32>
  func.return %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>
}
"""


def parse(text: str) -> ModuleOp:
    return parse_module(fresh_context(), text)


def test_builders_are_values():
    plain = Fuse("rocm")
    limited = plain.limits(FusionLimits(8, 4))
    assert plain == Fuse("rocm")
    assert limited != plain
    assert limited == Fuse("rocm").limits(FusionLimits(8, 4))
    assert hash(limited) == hash(Fuse("rocm").limits(FusionLimits(8, 4)))
    assert plain.changes == ()
    assert plain.limits(FusionLimits(2, 2)).limits(FusionLimits(8, 4)) == limited
    assert plain.skip_fusion().skip_fusion(False) == plain.skip_fusion(False)
    assert limited.options(FusionOptions()) == plain.options(FusionOptions())


def test_settings_apply_in_order():
    with environment.overriding(RLX_METAL_NO_FUSION="1"):
        assert Fuse("rocm").skip_fusion(False).merge_env().passes().facts.options.skip_fusion
        assert not Fuse("rocm").merge_env().skip_fusion(False).passes().facts.options.skip_fusion
        assert not Fuse("rocm").passes().facts.options.skip_fusion


def test_every_candidate_that_is_left_has_a_reason():
    module = parse(TWO_READERS)
    _, report = Fuse("cuda").run_with_report(module)
    missed = [miss for miss in report.missed if miss.pattern == "matmul_bias_act"]
    assert [miss.reason.code for miss in missed] == ["RLX-F002"]
    assert missed[0].blockers
