"""How `RLX_*` variables read, and what they do to options."""

from dataclasses import replace

import pytest

from rlx_passes.budget.limits import UNBOUNDED
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.switches import environment
from rlx_passes.switches.environment import is_true, overriding
from rlx_passes.switches.variables import OPTIONS

NAMES = tuple(variable.name for variable in OPTIONS)


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch):
    for name in list(environment.current().process):
        monkeypatch.delenv(name)


@pytest.mark.parametrize("text", ["", " ", "0", "false", "OFF", " no ", "False"])
def test_false_words(text: str):
    assert not is_true(text)


@pytest.mark.parametrize("text", ["1", "true", "YES", "on", "2", "00", "nonsense", " 1 "])
def test_true_words(text: str):
    assert is_true(text)


def test_override_beats_process_and_ends_with_the_block(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RLX_A", "process")
    with overriding({"RLX_A": "outer"}, B="1"):
        assert environment.var("RLX_A") == "outer"
        assert environment.flag("B")
        with overriding(A="inner"):
            assert environment.var("A") == "inner"
        with pytest.raises(KeyError), overriding(A="inner"):
            raise KeyError
        assert environment.var("A") == "outer"
    assert environment.var("RLX_A") == "process"
    assert environment.is_unset("RLX_B")


def test_set_unset_and_clear():
    with overriding():
        environment.set_override("A", "")
        assert environment.var("RLX_A") == ""
        assert not environment.is_unset("A")
        assert not environment.flag("A")
        environment.unset_override("RLX_A")
        assert environment.is_unset("A")
        environment.set_override("A", "1")
        environment.clear_overrides()
        assert environment.is_unset("A")


def test_exactly_one():
    for text, wanted in {"1": True, "true": False, " 1": False, "01": False}.items():
        with overriding(A=text):
            assert environment.current().exactly_one("RLX_A") == wanted


def test_process_only_switch_ignores_overrides(monkeypatch: pytest.MonkeyPatch):
    with overriding(A="1"):
        assert not environment.current().process_exactly_one("A")
    monkeypatch.setenv("RLX_A", "1")
    assert environment.current().process_exactly_one("A")


@pytest.mark.parametrize(("text", "value"), [("128", 128), (" 7 ", 7), ("x", 64), ("-3", 64), ("", 64)])
def test_integer(text: str, value: int):
    with overriding(N=text):
        assert environment.current().integer("N", 64) == value


def test_for_cpu_reads_no_environment():
    with overriding({name: "1" for name in NAMES}):
        assert FusionOptions.for_cpu() == FusionOptions.for_target("cpu")
    assert FusionOptions.for_cpu() == FusionOptions(unfuse_elementwise_regions=True, fusion_limits=UNBOUNDED)


def test_from_metal_env_reads_its_eight_variables():
    assert len(load_target("metal").reads) == 8
    set_all = {name: "1" for name in NAMES}
    with overriding({**set_all, "RLX_FUSE_REGION_PROLOGUE": "0", "RLX_FUSE_BATCH_PREPROCESS": ""}):
        assert FusionOptions.from_metal_env() == FusionOptions(
            skip_fusion=True,
            unfuse_elementwise_regions=True,
            keep_elementwise_regions=True,
            decompose_fusion_regions=True,
            fk_fusion=False,
            fuse_region_prologue=False,
            fuse_batch_preprocess=False,
            native_fk_regions=True,
        )


def test_metal_keep_does_not_clear_an_unfuse_that_was_asked_for():
    assert FusionOptions.for_metal().unfuse_elementwise_regions
    with overriding(RLX_KEEP_ELEMENTWISE_REGIONS="1"):
        assert not FusionOptions.for_metal().unfuse_elementwise_regions
        assert not FusionOptions.for_wgpu().unfuse_elementwise_regions
        with overriding(RLX_METAL_UNFUSE_REGIONS="1"):
            assert FusionOptions.for_metal().unfuse_elementwise_regions
            assert not FusionOptions.for_wgpu().unfuse_elementwise_regions


def test_merge_env_only_sets():
    every = FusionOptions(
        skip_fusion=True, unfuse_elementwise_regions=True, keep_elementwise_regions=True, decompose_fusion_regions=True
    )
    with overriding({name: "0" for name in NAMES if "FUSE_" not in name}):
        assert every.merge_env() == every
    with overriding(RLX_NATIVE_FK_REGIONS="1", RLX_NO_NATIVE_FK_REGIONS="1"):
        assert not FusionOptions().merge_env().native_fk_regions
    with overriding(RLX_DISABLE_CONV_BIAS_ACT_FUSION="yes", RLX_NO_IO_PEAKS_OUTPUT="on"):
        merged = FusionOptions().merge_env()
        assert merged.disable_conv_bias_act_fusion
        assert merged.no_io_peaks_output


def test_native_defaults():
    for name in builtin_targets():
        once = FusionOptions().apply_native_fk_defaults(load_target(name))
        assert once.native_fk_regions == (name != "cpu")
        assert once.apply_native_fk_defaults(load_target(name)) == once
    with overriding(RLX_NO_NATIVE_FK_REGIONS="1"):
        explicit = replace(FusionOptions(), native_fk_regions=True)
        assert not explicit.apply_native_fk_defaults(load_target("tpu")).native_fk_regions


SETS = {
    "RLX_METAL_NO_FUSION": {"skip_fusion": True},
    "RLX_METAL_UNFUSE_REGIONS": {"unfuse_elementwise_regions": True},
    "RLX_KEEP_ELEMENTWISE_REGIONS": {"keep_elementwise_regions": True},
    "RLX_DECOMPOSE_FUSION_REGIONS": {"decompose_fusion_regions": True},
    "RLX_NO_FK_FUSION": {"fk_fusion": False},
    "RLX_FUSE_REGION_PROLOGUE": {"fuse_region_prologue": True},
    "RLX_FUSE_BATCH_PREPROCESS": {"fuse_batch_preprocess": True},
    "RLX_NATIVE_FK_REGIONS": {"native_fk_regions": True},
    "RLX_NO_NATIVE_FK_REGIONS": {"native_fk_regions": False},
    "RLX_DISABLE_CONV_BIAS_ACT_FUSION": {"disable_conv_bias_act_fusion": True},
    "RLX_NO_IO_PEAKS_OUTPUT": {"no_io_peaks_output": True},
}


def test_what_each_variable_sets():
    assert {variable.name: variable.setting(True, True) for variable in OPTIONS} == SETS
    off = {variable.name: variable.setting(True, False) for variable in OPTIONS}
    assert off == {
        name: {key: False} if name.startswith("RLX_FUSE_") else {} for name, sets in SETS.items() for key in sets
    }
    assert all(variable.setting(False, False) == {} for variable in OPTIONS)
