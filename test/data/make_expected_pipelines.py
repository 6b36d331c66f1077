"""
Make expected_pipelines.json, which the replays of `test_replay.py` read, of the table in expected_pipelines.toml.

    python test/data/make_expected_pipelines.py

It knows the policy from the table alone: nothing of the project is imported.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

HERE = Path(__file__).parent
TABLE: dict[str, Any] = tomllib.loads((HERE / "expected_pipelines.toml").read_text(encoding="utf-8"))
PASSES: dict[str, list[str]] = TABLE["passes"]
VARIABLES: dict[str, str] = TABLE["variables"]

Options = Mapping[str, bool]
Variables = Mapping[str, str]
DEFAULTS: Options = {"fk_fusion": True, "fuse_region_prologue": True, "fuse_batch_preprocess": True}
"""The options that are on; all others are off."""

ABOUT = {
    "what": "Ordered pass-name lists per target and scenario: the selection policy worked out.",
    "apis": {
        "fusion_passes": "fusion_passes(target, options)",
        "fuse": "fuse(graph,target) / Fuse(target).run: options for_target(target) evaluated under the scenario's env, "
        "supported_for_target table",
        "fuse_merge_env": "Fuse(target).merge_env().run",
        "fusion_passes_merge_env": "fusion_passes(target, default().merge_env())",
        "run_pipeline_default": "run_fusion_pipeline(graph,target,supported_for_target(target),FusionOptions "
        "default) == "
        "Fuse(target).options(default); same list as fusion_passes_for_supported(table, default, target)",
        "fk_after_raw": "fk_passes_after_elementwise_regions(table, default) with NO native default applied",
        "fk_after_native": "fk_passes_after_elementwise_regions(table, default.apply_native_fk_defaults(target))",
    },
    "unfuse_variant": "unfuse_elementwise_regions means the FOR_CPU variant (also decomposes prologue regions) on Cpu, "
    "FOR_GPU elsewhere",
    "limits": "[max_elementwise_steps, max_elementwise_inputs]; 4294967295 = unbounded; effective during "
    "run_fusion_pipeline",
    "encoding": "In 'targets', every pass list is given as an id; look it up in 'lists'. 'main' repeats the no-env "
    "lists of "
    "the three main entry points in full.",
}


def holds(word: str, claims: Iterable[str], options: Options, variables: Variables) -> bool:
    """Whether one word of the table holds; no claims at all are every claim."""
    if word.startswith("not "):
        return not holds(word[4:], claims, options, variables)
    if word.startswith("RLX_"):
        name, _, text = word.partition("=")
        return variables.get(name) == text if text else variables.get(name, "0") != "0"
    if word == "marks":
        words = ("ElementwiseRegion", "not unfuse_elementwise_regions")
        return all(holds(each, claims, options, variables) for each in words)
    if word == "native":
        words = ("native_fk_regions", "TransformRegion", "BatchElementwiseRegion")
        return all(holds(each, claims, options, variables) for each in words)
    return (not claims or word in claims) if word[0].isupper() else options.get(word, False)


def selected(parts: Iterable[str], claims: Iterable[str], options: Options, variables: Variables) -> list[str]:
    """The passes of some parts of the table that run."""
    names: list[str] = []
    for line in (line for part in parts for line in PASSES[part]):
        name, _, words = line.partition(": ")
        needs = [word.split(" or ") for word in words.split(", ") if word]
        if all(any(holds(each, claims, options, variables) for each in either) for either in needs):
            names.append(name)
    return names


def applied(options: Options, names: Iterable[str], variables: Variables) -> Options:
    """The options under those variables of `names` that are set."""
    found = dict(options)
    for name in (name for name in VARIABLES if name in names and name in variables):
        option, on = VARIABLES[name], variables[name] != "0"
        if option.startswith("= "):
            found[option[2:]] = on
        elif on:
            found[option.removeprefix("not ")] = not option.startswith("not ")
    return found


class Target:
    """A target of the table, and the ways to ask for its list."""

    def __init__(self, data: Mapping[str, Any]):
        self.data = data

    def options(self, variables: Variables) -> Options:
        """Those that `fuse` starts from."""
        found = applied(DEFAULTS, self.data["reads"], variables)
        rule = self.data["unfuse"]
        unfuses = rule == "always" or (rule == "unless-kept" and not found.get("keep_elementwise_regions", False))
        return {**found, "unfuse_elementwise_regions": unfuses or found.get("unfuse_elementwise_regions", False)}

    def native(self, options: Options, variables: Variables) -> Options:
        """The options with transform and batch regions kept where that is the default."""
        asked = options.get("native_fk_regions", False) or holds("RLX_NATIVE_FK_REGIONS", (), {}, variables)
        off = holds("RLX_NO_NATIVE_FK_REGIONS", (), {}, variables)
        return {**options, "native_fk_regions": (asked or self.data["native"]) and not off}

    def run(self, options: Options, variables: Variables, claims: Iterable[str] | None = None) -> list[str]:
        table: Iterable[str] = self.data["claims"] if claims is None else claims
        parts = ("lowerings",) if options.get("skip_fusion") else PASSES
        return selected(parts, table, self.native(options, variables), variables)

    def listed(self, options: Options, variables: Variables) -> list[str]:
        if self.data["lists-unfuse"] and not options.get("keep_elementwise_regions"):
            options = {**options, "unfuse_elementwise_regions": True}
        return self.run(options, variables)

    def after(self, options: Options, variables: Variables) -> list[str]:
        return selected(("regions", "cleanup"), self.data["claims"], options, variables)

    def entries(self, variables: Variables) -> dict[str, list[str]]:
        """Every way to ask, under some variables."""
        merged = applied(DEFAULTS, VARIABLES, variables)
        return {
            "fusion_passes": self.listed(DEFAULTS, variables),
            "fuse": self.run(self.options(variables), variables),
            "fuse_merge_env": self.run(applied(self.options(variables), VARIABLES, variables), variables),
            "fusion_passes_merge_env": self.listed(merged, variables),
            "run_pipeline_default": self.run(DEFAULTS, variables),
            "fk_after_raw": self.after(DEFAULTS, variables),
            "fk_after_native": self.after(self.native(DEFAULTS, variables), variables),
        }

    def with_option(self, text: str) -> dict[str, list[str]]:
        name, _, value = text.partition("=")
        names = ("keep_elementwise_regions", "unfuse_elementwise_regions") if text == "keep+unfuse" else (name,)
        options = {**DEFAULTS, **dict.fromkeys(names, value != "false")}
        return {"fusion_passes": self.listed(options, {}), "run_pipeline": self.run(options, {})}

    def scenarios(self) -> dict[str, Any]:
        skip, layer = {**DEFAULTS, "skip_fusion": True}, {"RLX_ENABLE_FUSE_TRANSFORMER_LAYER": "1"}
        more = [*self.data["claims"], "Fft", "WelchPeaks"]
        limits = self.data["limits"]
        return {
            "no_env": self.entries({}),
            "options": {text: self.with_option(text) for text in TABLE["scenarios"]["options"]},
            "skip_fusion": {"fusion_passes": self.listed(skip, {}), "fuse": self.run(skip, {})},
            "empty_supported": {
                "run_pipeline_default": self.run(DEFAULTS, {}, ()),
                "run_pipeline_for_target": self.run(self.options({}), {}, ()),
                f"run_pipeline_for_target_env_{next(iter(layer))}=1": self.run(self.options(layer), layer, ()),
            },
            "plus_Fft_WelchPeaks": {
                "run_pipeline_default": self.run(DEFAULTS, {}, more),
                "run_pipeline_for_target": self.run(self.options({}), {}, more),
            },
            "env": {
                text: self.entries(dict(part.split("=") for part in text.split(",")))
                for text in TABLE["scenarios"]["environments"]
            },
            "effective_limits": {
                **dict.fromkeys(("fuse", "run_pipeline_default", "explicit_GPU_NATIVE"), limits),
                "explicit_8_4": [8, 4],
            },
        }


def numbered(value: Any, lists: dict[tuple[str, ...], str]) -> Any:
    """`value` with every list of passes as its id in `lists`."""
    if isinstance(value, dict):
        return {key: numbered(inner, lists) for key, inner in cast("dict[str, Any]", value).items()}
    names: list[Any] = value
    if not isinstance(names[0], str):
        return names
    return lists.setdefault(tuple(names), f"L{len(lists) + 1:03}")


def text() -> str:
    """The text of expected_pipelines.json."""
    targets = {name: Target(data) for name, data in TABLE["targets"].items()}
    lists: dict[tuple[str, ...], str] = {}
    scenarios = {name: numbered(target.scenarios(), lists) for name, target in targets.items()}
    main = ("fusion_passes", "fuse", "run_pipeline_default")
    data = {
        "_about": ABOUT,
        "supported_for_target": {name: target.data["claims"] for name, target in targets.items()},
        "limits_for_target": {name: target.data["limits"] for name, target in targets.items()},
        "main": {name: {api: target.entries({})[api] for api in main} for name, target in targets.items()},
        "lists": {number: list(names) for names, number in lists.items()},
        "targets": scenarios,
    }
    spread = json.dumps(data, indent=1)
    return (
        re.sub(
            r"\[[^\[\]{}]*\]",
            lambda found: re.sub(r"\s*\n\s*", " ", found[0]).replace("[ ", "[").replace(" ]", "]"),
            spread,
        )
        + "\n"
    )


if __name__ == "__main__":
    (HERE / "expected_pipelines.json").write_text(text(), encoding="utf-8")
