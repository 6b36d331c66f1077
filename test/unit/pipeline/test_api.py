"""What `rlx_passes` offers by name, and that its values are values."""

import dataclasses
from typing import Any

import pytest

import rlx_passes
from rlx_passes import (
    FusionLimits,
    FusionOptions,
    FusionReport,
    GraphIoProfile,
    IoFusionGate,
    fusion_limits_for_target,
    io_fusion_gate_for_target,
    load_target,
    should_fuse_with_target,
    supported_for_target,
    supports_op,
)
from rlx_passes.budget.limits import UNBOUNDED
from rlx_passes.pipeline.builder import PassList
from rlx_passes.pipeline.entries import fuse_passes
from rlx_passes.pipeline.target import builtin_targets

NAMES = (
    *("fusion_passes", "fusion_passes_for_supported", "run_fusion_pipeline", "fk_passes_after_elementwise_regions"),
    *(
        "fuse",
        "Fuse",
        "FusionOptions",
        "FusionLimits",
        "FusionTarget",
        "FusionReport",
        "GraphIoProfile",
        "IoFusionGate",
    ),
    *("supports_op", "supported_for_target", "fusion_limits_for_target", "io_fusion_gate_for_target"),
    *("should_fuse_with_target", "load_target", "build_pipeline", "compile", "load_bundle"),
    *("from_onnx", "from_torch", "Imported", "Program", "RlxError"),
)


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str):
    assert name in dir(rlx_passes)
    assert getattr(rlx_passes, name).__name__ == name


def test_all_lists_them():
    assert sorted(rlx_passes.__all__) == sorted(NAMES)


def test_other_names_are_refused():
    absent = "fusions"
    with pytest.raises(AttributeError, match="has no attribute 'fusions'"):
        getattr(rlx_passes, absent)


def values(name: str) -> list[Any]:
    """The same values, made anew at each call."""
    target = load_target(name)
    return [
        *(target, target.limits, target.io, FusionLimits(3, 4), GraphIoProfile(1, 2, 3, 4)),
        *(
            FusionOptions.for_cpu(),
            FusionOptions.for_metal(),
            FusionOptions.for_wgpu(),
            FusionOptions.for_target(target),
        ),
        *(FusionOptions.from_metal_env(), FusionOptions().merge_env(), rlx_passes.Fuse(target).limits(UNBOUNDED)),
        FusionReport(1, 2, 3, 4),
    ]


@pytest.mark.parametrize("name", builtin_targets())
def test_values_are_frozen_comparable_and_hashable(name: str):
    for value, again in zip(values(name), values(name)):
        assert value == again
        assert hash(value) == hash(again)
        field = dataclasses.fields(value)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field, None)


def test_lists_are_values():
    first, second = fuse_passes("rocm"), fuse_passes("rocm")
    assert isinstance(first, PassList)
    assert first.rows == second.rows
    assert first.specs() == second.specs()
    assert first.passes() == second.passes()


@pytest.mark.parametrize("name", builtin_targets())
def test_facts_of_a_target(name: str):
    target = load_target(name)
    assert supported_for_target(name) == target.claims
    assert fusion_limits_for_target(name) == target.limits
    gate = io_fusion_gate_for_target(name)
    assert isinstance(gate, IoFusionGate)
    before, after = GraphIoProfile(2, 1, 8192, 16384), GraphIoProfile(1, 1, 512, 16384)
    assert should_fuse_with_target(target, before, after) == gate.should_fuse(before, after)
    assert before.host_output_bytes > after.host_output_bytes
    assert before.kernel_launches >= after.kernel_launches
    assert supports_op(target.claims, "MatMul")
    assert supports_op(frozenset(), "WelchPeaks")
    assert not supports_op(target.claims, "WelchPeaks")
