"""The page on each reason: printed by code, with a program that gives the reason."""

import re

import pytest

from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.core.errors import UsageError
from rlx_passes.pipeline.reports import recording_of
from rlx_passes.registry.context import fresh_context
from rlx_passes.report.advice import to_fuse
from rlx_passes.report.pages import page_of, sections
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.tools.arguments import split_arguments
from rlx_passes.tools.rlx_opt import passes_of
from rlx_passes.universe import PASSES

EXAMPLE = re.compile(r"```mlir\n// rlx-opt ([^\n]*)\n(.*?)```", re.DOTALL)
NEVER_SEEN = {Reason.UNUSED}
"""Passes erase what is dead before they look."""


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_f41_the_example_of_a_reason_gives_it(reason: Reason):
    found = EXAMPLE.findall(sections()[str(reason)])
    if reason in NEVER_SEEN:
        assert not found
        return
    ((flags, program),) = found
    specs = split_arguments(re.findall(r"(--[\w-]+(?:='.*?'|=\S+)?)", flags), PASSES).specs
    recording, heard = recording_of([asked for asked, _ in passes_of(specs)]), list[object]()

    def hear(pattern: str, root: object, miss: Miss) -> None:
        heard.append(miss.reason)

    recording.misses.hear = hear  # as the program alone is looked at, whether a reader would be or not
    recording.misses.hear_of_copy = hear
    context = fresh_context()
    context.allow_unregistered = "--allow-unregistered-dialect" in flags
    recording.run([part for _, parts in passes_of(specs) for part in parts], context, parse_module(context, program))
    assert reason in heard


@pytest.mark.parametrize("word", ["RLX-F012", "rlx-f012", "not-a-row-vector"])
def test_f41_a_page_by_code_or_name(word: str):
    page = page_of(word)
    assert page.startswith("RLX-F012 not-a-row-vector\n\nThe addend ")
    assert "func.func" in page
    assert "RLX-F013" not in page


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("RLX-F0122", r"no reason has the code 'RLX-F0122'; did you mean .*'RLX-F012'"),
        ("?", r"no reason has the code '\?'; codes go from RLX-F001 to RLX-F\d+$"),
    ],
)
def test_f41_an_unknown_code_gives_near_ones(word: str, message: str):
    with pytest.raises(UsageError, match=message):
        page_of(word)


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_f41_every_reason_has_advice(reason: Reason):
    assert to_fuse(reason, "tanh", "rlx.binary %a")
    assert "{" not in to_fuse(reason, "", "")
