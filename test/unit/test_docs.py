"""The pages that are made from the code are up to date; no page names a machine's path."""

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlx_passes.codegen.native import lower
from rlx_passes.lowerings.to_loops.plan_buffers import PlanBuffersPass

DOCS = Path(__file__).parents[2] / "docs"

sys.path.insert(0, str(DOCS))
PAGES: dict[str, Callable[[], str]] = runpy.run_path(str(DOCS / "generate.py"))["PAGES"]


@pytest.mark.parametrize("name", PAGES)
def test_made_pages_are_up_to_date(name: str):
    assert (DOCS.parent / name).read_text() == PAGES[name](), "run python docs/generate.py"


def test_the_passes_of_the_cpu_page_are_those_of_code_generation():
    page = runpy.run_path(str(DOCS / "cpu_page.py"))
    for program in page["programs"](page["PAGE"].read_text()).values():
        module = page["after"](program, "convert-rlx-to-linalg")
        lower(module, page["CHIP"])
        assert str(module) == str(page["after"](program, PlanBuffersPass.name))


def test_every_fusion_has_a_before_and_after():
    page = PAGES["docs/fusions.md"]()
    sections = page.split("\n## ")[1:]
    assert [section.splitlines()[0] for section in sections if "becomes" not in section] == []
