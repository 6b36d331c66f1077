"""The policy worked out, target by target and scenario by scenario: every list must come out exactly."""

import json
import runpy
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rlx_passes.budget.limits import GPU_NATIVE, FusionLimits
from rlx_passes.pipeline.builder import Fuse, PassList
from rlx_passes.pipeline.entries import (
    fk_passes_after_elementwise_regions,
    fuse_passes,
    fusion_passes,
    fusion_passes_for_supported,
)
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.policy.policy import POLICY
from rlx_passes.switches import environment
from rlx_passes.switches.original import original_name

DATA = Path(__file__).parents[2] / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected_pipelines.json").read_text(encoding="utf-8"))
MAKER = runpy.run_path(str(DATA / "make_expected_pipelines.py"))
ORDER = [line.partition(":")[0] for part in MAKER["PASSES"].values() for line in part]
"""The passes of the table in order. The policy may have more; the lists are compared in what the table knows."""

TARGETS: dict[str, Any] = EXPECTED["targets"]

DEFAULT = FusionOptions()
APIS: dict[str, Callable[[FusionTarget], PassList]] = {
    "fusion_passes": lambda t: fusion_passes(t, DEFAULT),
    "fuse": fuse_passes,
    "fuse_merge_env": lambda t: Fuse(t).merge_env().passes(),
    "fusion_passes_merge_env": lambda t: fusion_passes(t, DEFAULT.merge_env()),
    "run_pipeline_default": lambda t: Fuse(t).options(DEFAULT).passes(),
    "fk_after_raw": lambda t: fk_passes_after_elementwise_regions(t.claims, DEFAULT, t),
    "fk_after_native": lambda t: fk_passes_after_elementwise_regions(t.claims, DEFAULT.apply_native_fk_defaults(t), t),
}


def names(passes: PassList) -> list[str]:
    return [name for name in passes.names() if name in ORDER]


def test_the_lists_are_made_of_the_table():
    made = MAKER["text"]()
    assert made == (DATA / "expected_pipelines.json").read_text(encoding="utf-8"), (
        "run test/data/make_expected_pipelines.py"
    )


def test_the_policy_has_the_passes_of_the_table_in_their_order():
    assert [name for row in POLICY if (name := original_name(row.name)) in ORDER] == ORDER


def parse_environment(text: str) -> dict[str, str]:
    return {} if text == "no_env" else dict(part.split("=") for part in text.split(","))


def scenarios() -> Iterator[tuple[str, str, str, str]]:
    for target, data in TARGETS.items():
        for text, lists in {"no_env": data["no_env"], **data["env"]}.items():
            for api, wanted in lists.items():
                yield target, text, api, wanted


@pytest.fixture(autouse=True)
def no_process_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.environ", {})


@pytest.mark.parametrize("target", TARGETS)
def test_every_environment_and_entry(target: str):
    seen = 0
    for name, text, api, wanted in scenarios():
        if name != target:
            continue
        with environment.overriding(parse_environment(text)):
            assert names(APIS[api](load_target(target.lower()))) == EXPECTED["lists"][wanted], (text, api)
        seen += 1
    assert seen == 7 * (1 + len(TARGETS[target]["env"]))


@pytest.mark.parametrize("target", TARGETS)
def test_claims_and_limits(target: str):
    loaded = load_target(target.lower())
    assert loaded.claims == frozenset(EXPECTED["supported_for_target"][target])
    limits = EXPECTED["limits_for_target"][target]
    assert loaded.limits == FusionLimits(*limits)


def test_builtin_targets_are_those_of_the_policy():
    assert builtin_targets() == tuple(sorted(name.lower() for name in TARGETS))


def changed(text: str) -> FusionOptions:
    if text == "keep+unfuse":
        return replace(DEFAULT, keep_elementwise_regions=True, unfuse_elementwise_regions=True)
    field, _, value = text.partition("=")
    return replace(DEFAULT, **{field: value != "false"})


@pytest.mark.parametrize("target", TARGETS)
def test_every_option(target: str):
    loaded = load_target(target.lower())
    for text, lists in TARGETS[target]["options"].items():
        options = changed(text)
        assert names(fusion_passes(loaded, options)) == EXPECTED["lists"][lists["fusion_passes"]], text
        run = fusion_passes_for_supported(loaded.claims, options, loaded)
        assert names(run) == EXPECTED["lists"][lists["run_pipeline"]], text


@pytest.mark.parametrize("target", TARGETS)
def test_skip_fusion(target: str):
    wanted = TARGETS[target]["skip_fusion"]
    loaded = load_target(target.lower())
    listed = names(fusion_passes(loaded, replace(DEFAULT, skip_fusion=True)))
    assert listed == EXPECTED["lists"][wanted["fusion_passes"]]
    assert names(Fuse(loaded).skip_fusion().passes()) == EXPECTED["lists"][wanted["fuse"]]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("table", ["empty_supported", "plus_Fft_WelchPeaks"])
def test_other_tables(target: str, table: str):
    loaded = load_target(target.lower())
    claims = frozenset[str]() if table == "empty_supported" else loaded.claims | {"Fft", "WelchPeaks"}
    for text, wanted in TARGETS[target][table].items():
        case, _, variable = text.partition("_env_")
        with environment.overriding(dict([variable.split("=")]) if variable else {}):
            options = DEFAULT if case == "run_pipeline_default" else FusionOptions.for_target(loaded)
            listed = names(fusion_passes_for_supported(claims, options, loaded))
        assert listed == EXPECTED["lists"][wanted], text


@pytest.mark.parametrize("target", TARGETS)
def test_effective_limits(target: str):
    loaded = load_target(target.lower())
    builders = {
        "fuse": Fuse(loaded),
        "run_pipeline_default": Fuse(loaded).options(DEFAULT),
        "explicit_GPU_NATIVE": Fuse(loaded).limits(GPU_NATIVE),
        "explicit_8_4": Fuse(loaded).limits(FusionLimits(8, 4)),
    }
    wanted = TARGETS[target]["effective_limits"]
    assert wanted.keys() == builders.keys()
    for text, builder in builders.items():
        assert builder.passes().facts.options.fusion_limits == FusionLimits(*wanted[text]), text


@pytest.mark.parametrize("target", TARGETS)
def test_main_lists_in_full(target: str):
    loaded = load_target(target.lower())
    for api, wanted in EXPECTED["main"][target].items():
        assert names(APIS[api](loaded)) == wanted, api


def test_unfuse_variant_follows_the_target():
    for target in builtin_targets():
        assert load_target(target).keep_prologue == (target != "cpu")
