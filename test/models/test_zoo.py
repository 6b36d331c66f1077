"""Published architectures: what the fuser finds in each, for every target, and the values of the compiled code."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_code_of_models import need_tools
from tools import long, need_module
from zoo_models import ARCHITECTURES, EXPECTED, GAPS_FILE, TARGETS, counts, expected_on, fused, imported

from rlx_passes import build_pipeline, compile
from rlx_passes.compiler import compile_module
from rlx_passes.core.errors import RlxError
from rlx_passes.reading.dialects import tool_context

GAPS: dict[str, Any] = json.loads(GAPS_FILE.read_text())
REFUSED = {name: gap["refused"] for name, gap in GAPS.items() if "refused" in gap}
READ = [name for name in ARCHITECTURES if name not in REFUSED]

pytestmark = long


@pytest.fixture(autouse=True)
def _packages():
    for name in ("torch", "transformers", "llvmlite"):
        need_module(name)


def test_every_architecture_has_a_reader():
    assert set(ARCHITECTURES) <= set(EXPECTED)
    assert set(GAPS) <= set(ARCHITECTURES)


@pytest.mark.parametrize("name", READ)
def test_counts_on_every_target(name: str):
    """A difference from what the reader expects is in the table of gaps, which holds today's count and why."""
    today = GAPS.get(name, {}).get("today", {})
    for target in TARGETS:
        expected = expected_on(name, target)
        open_here = {kind: by[target] for kind, by in today.items() if target in by}
        assert all(expected[kind] != count for kind, count in open_here.items()), f"{name} {target}: a gap is closed"
        assert counts(fused(name, target), expected) == {**expected, **open_here}, f"{name} on {target}"


@pytest.mark.parametrize("name", READ)
def test_compiled_code_gives_the_frameworks_values(name: str):
    model = imported(name)
    program = compile(model.program.module, "cpu", origin="rlx").load(model.program.params)
    model.check(program(model.inputs))


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_named(name: str):
    with pytest.raises(RlxError) as refusal:
        imported(name)
    assert all(word in str(refusal.value) for word in REFUSED[name])


LOWERED: dict[str, str] = dict(zip(TARGETS[1:], ("Llama", "ViT", "GPT2", "Bert", "T5", "Roberta")))
"""For each target but the cpu, an architecture that is lowered to its code."""


@pytest.mark.parametrize("target", LOWERED)
def test_lowered_to_the_code_of_the_other_targets(target: str):
    need_tools(target)
    module = imported(LOWERED[target]).program.module.clone()
    passes = build_pipeline(target, origin="rlx")
    files = compile_module(tool_context(), module, passes)
    assert len(files) > 1
