"""
The printed pipeline says everything: it parses back to an equal pipeline, gives the same bytes, in stock `xdsl-opt`
too, and hangs on neither the environment it is run in nor on the hash seed.
"""

import io
import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint
from itertools import product
from pathlib import Path

import pytest
from pieces import PIECES
from programs import context, text_of
from random_programs import make_module, make_program
from tools import shared
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.xdsl_opt_main import xDSLOptMain

from rlx_passes.core.errors import PipelineError
from rlx_passes.core.spec import parse_pipeline, print_pipeline
from rlx_passes.pipeline.stages import STAGES
from rlx_passes.pipeline.target import builtin_targets
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes, spec_of
from rlx_passes.switches import environment

ROOT = Path(__file__).parents[2]

ENVIRONMENTS: tuple[dict[str, str], ...] = (
    {},
    {"RLX_KEEP_ELEMENTWISE_REGIONS": "1"},
    {"RLX_METAL_NO_FUSION": "yes", "RLX_NO_FK_FUSION": "1"},
    {"RLX_METAL_UNFUSE_REGIONS": "1", "RLX_DECOMPOSE_FUSION_REGIONS": "1"},
    {"RLX_FUSE_REGION_PROLOGUE": "0", "RLX_NO_NATIVE_FK_REGIONS": "1"},
    {"RLX_DISABLE_MATMUL_BIAS_FUSION": "1", "RLX_NO_WEIGHT_CONCAT_FUSION": "1"},
    {"RLX_ENABLE_FUSE_TRANSFORMER_LAYER": "1", "RLX_FUSE_ATTN_THRESHOLD": "128"},
    {"RLX_DISABLE_CONV_BIAS_ACT_FUSION": "1", "RLX_NO_IO_PEAKS_OUTPUT": "1"},
)
OPTIONS = (
    "",
    "merge-env=true",
    "pack-attention=true",
    "compat=true",
    "compat=true compat-tee=false",
    "skip-fusion=true",
    "unfuse-elementwise-regions=true",
    "keep-elementwise-regions=true max-elementwise-steps=8 max-elementwise-inputs=4",
    "decompose-fusion-regions=true fk-fusion=false",
    "entry=fusion-passes merge-env=true",
    "entry=supported disable=MatMul,rlx-fuse-rms-norm-reshape",
    "entry=fk-after",
    "claims=FusedMatMulBiasAct,AdaLayerNorm",
)


def expanded(text: str) -> Sequence[ModulePass]:
    return flatten(create_passes(parse_pipeline(text)))


def flat_text(passes: Sequence[ModulePass]) -> str:
    return print_pipeline(map(spec_of, passes))


def check_round_trip(text: str, variables: dict[str, str]) -> None:
    """The flat string of `text` under an environment parses back, outside of that environment, to the same passes."""
    with environment.overriding(variables):
        passes = expanded(text)
    flat = flat_text(passes)
    again = expanded(flat)
    assert list(again) == list(passes), (text, variables)
    assert flat_text(again) == flat


@pytest.mark.parametrize("target", builtin_targets())
def test_every_fusion_list_parses_back(target: str):
    for options, variables in product(OPTIONS, ENVIRONMENTS):
        check_round_trip(f"rlx-fusion{{target={target} {options}}}", variables)


@pytest.mark.parametrize("target", shared(builtin_targets(), 3))
def test_every_stage_parses_back(target: str):
    origins = ("from=rlx", "params=1,3 names=x,w", "inputs=0 names=x,w", "pack-attention=true chip=abc:+x")
    for stage, origin, variables in product(STAGES, origins, ENVIRONMENTS):
        check_round_trip(f"rlx-pipeline{{target={target} stage={stage} {origin}}}", variables)


def programs(count: int = 24) -> ModuleOp:
    return make_module([make_program(seed, PIECES, f"f{seed}", large=False) for seed in range(count)])


def result(passes: Sequence[ModulePass], module: ModuleOp) -> str:
    work = module.clone()
    for pass_ in passes:
        pass_.apply(context(), work)
    return text_of(work, locations=True)


@pytest.mark.parametrize("target", shared(builtin_targets(), 3))
def test_the_string_gives_the_same_bytes(target: str):
    module = programs()
    for options, variables in zip(OPTIONS, ENVIRONMENTS):
        with environment.overriding(variables):
            passes = expanded(f"rlx-raise,rlx-fusion{{target={target} {options}}}")
            by_object = result(passes, module)
        assert result(expanded(flat_text(passes)), module) == by_object, (options, variables)


HASHED = """
import hashlib, sys
sys.path[:0] = {paths!r}
from test_string_is_truth import expanded, flat_text, programs, result
from rlx_passes.pipeline.target import builtin_targets
module = programs(12)
for target in builtin_targets():
    text = f"rlx-raise,rlx-fusion{{{{target={{target}} keep-elementwise-regions=true pack-attention=true}}}}"
    passes = expanded(text)
    print(target, flat_text(passes), hashlib.sha256(result(passes, module).encode()).hexdigest())
"""


def test_the_hash_seed_does_not_matter():
    paths = [str(ROOT / part) for part in ("", "passes", "test", "test/property")]
    script = HASHED.format(paths=paths)

    def run(seed: str) -> str:
        variables = {key: value for key, value in os.environ.items() if not key.startswith("RLX_")}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**variables, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = run("0")
    assert len(first.splitlines()) == len(builtin_targets())
    assert run("12345") == first


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of an installation: xDSL's universe and the one that pyproject.toml names."""
    group = "xdsl.universe"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = [EntryPoint("xdsl", "xdsl.universe:XDSL_UNIVERSE", group)]
    points += [EntryPoint(name, value, group) for name, value in project["entry-points"][group].items()]

    def entry_points(**_: str) -> list[EntryPoint]:
        return points

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)


def stock(file: Path, pipeline: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        xDSLOptMain(args=[str(file), "-p", pipeline]).run()
    return out.getvalue().rstrip("\n")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("target", builtin_targets())
def test_stock_xdsl_opt_takes_the_flat_string(target: str, tmp_path: Path):
    module = programs(8)
    file = tmp_path / "programs.mlir"
    file.write_text(text_of(module))
    passes = expanded(f"rlx-raise,rlx-fusion{{target={target} keep-elementwise-regions=true}}")
    work = module.clone()
    for pass_ in passes:
        pass_.apply(context(), work)
    assert stock(file, flat_text(passes)) == text_of(work)


def test_options_that_do_not_parse_are_refused():
    with pytest.raises(PipelineError, match="has no option 'keep'"):
        expanded("rlx-fusion{target=cpu keep=true}")
