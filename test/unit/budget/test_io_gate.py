"""The I/O cost model against the worked example."""

import pytest

from rlx_passes.budget.io_gate import GraphIoProfile
from rlx_passes.pipeline.target import load_target
from rlx_passes.policy.fusion_target import should_fuse_with_target

DENSE = GraphIoProfile(3, 0, 33_554_432, 184_549_376)
FUSED = GraphIoProfile(4, 1, 1_048_576, 219_152_384)


@pytest.mark.parametrize(
    ("targets", "score", "worth_it"),
    [
        (("metal", "mlx"), 30_327_340.96, True),
        (("cuda", "rocm"), -14_415_136.64, False),
        (("wgpu", "tpu"), -24_566_383.68, False),
        (("cpu",), 31_813_745.84, True),
    ],
)
def test_worked_example(targets: tuple[str, ...], score: float, worth_it: bool):
    for name in targets:
        target = load_target(name)
        assert target.io.score(DENSE, FUSED) == pytest.approx(score, abs=0.01)
        assert should_fuse_with_target(target, DENSE, FUSED) == worth_it


def test_gain_must_reach_the_minimum():
    gate = load_target("cuda").io
    assert gate.should_fuse(GraphIoProfile(kernel_launches=3), GraphIoProfile())
    assert not gate.should_fuse(GraphIoProfile(kernel_launches=2), GraphIoProfile())
    assert load_target("cpu").io.should_fuse(GraphIoProfile(), GraphIoProfile())
