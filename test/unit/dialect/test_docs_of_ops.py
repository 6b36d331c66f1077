"""The page of the ops: nothing is left out, and each example is one that the tests run."""

from pathlib import Path

import pytest
from xdsl.irdl import IRDLOperation

from rlx_dialect.description.facts import ONNX, STABLEHLO, refusals
from rlx_dialect.description.page import example_of, ops_page
from rlx_dialect.kinds import KINDS
from rlx_dialect.ops import ALL_OPS, ArtifactOp

WITHOUT_RULE = {"rlx.yield"}
"""Checked by the op around it."""
EXAMPLES = Path(__file__).parents[2] / "filecheck" / "dialect"


@pytest.fixture(scope="module")
def page() -> str:
    return ops_page(EXAMPLES)


@pytest.mark.parametrize("op", ALL_OPS, ids=lambda op: op.name)
def test_every_op_has_meaning_and_example(op: type[IRDLOperation], page: str):
    section = page.partition(f"### `{op.name}`\n")[2].partition("\n### ")[0]
    assert (op.__doc__ or "").strip().splitlines()[0] in section
    assert example_of(op.name, EXAMPLES) is not None or op is ArtifactOp


@pytest.mark.parametrize("name", [*ONNX, *STABLEHLO])
def test_named_meanings_are_of_ops(name: str):
    assert name in {op.name for op in ALL_OPS}


def test_sections_say_what_is_taken_and_refused(page: str):
    section = page.partition("### `rlx.layer_norm`\n")[2].partition("\n### ")[0]
    assert "\nMeans what LayerNormalization of ONNX does.\n" in section
    assert "\nElement types of `input`: floats.\n" in section
    assert "\n- `input must have a float element type, got tensor<2x4xi32>`\n" in section


def test_every_op_refuses_something():
    silent = {op.name for op in ALL_OPS if not refusals(op.name, EXAMPLES)}
    assert sorted(silent - WITHOUT_RULE) == []


def test_every_kind_has_a_row(page: str):
    assert [name for name in KINDS if f"\n| {name} | " not in page] == []


def test_an_example_ends_where_the_op_ends():
    example = example_of("rlx.if", EXAMPLES) or ""
    assert example.count("{") == example.count("}") > 0
    assert example.startswith("%0, %1 = rlx.if ")
