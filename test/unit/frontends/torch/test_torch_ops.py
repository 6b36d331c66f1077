"""
What each op of PyTorch becomes gives PyTorch's results.

The cases of a chapter are read as one module, since PyTorch spends most of the time on the first op of a module.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from torch_cases import OpCase
from torch_direct_cases import DIRECT
from torch_elementwise_cases import BINARY, UNARY
from torch_layer_cases import ATTENTION, NORMS, RECURRENT, WINDOWS
from torch_movement_cases import FILLING, INDEXING, SHAPE
from torch_oracle import Wrapped, array, results_of, same, torch
from torch_reduction_cases import CONTRACTION, REDUCTION, SPECTRAL

from rlx_dialect.reference import Array
from rlx_passes.frontends.torch import from_torch
from rlx_passes.frontends.torch.export import exported
from rlx_passes.frontends.torch.reading import program_of
from rlx_passes.frontends.torch.registry import RULES

CHAPTERS = {
    "unary": UNARY,
    "binary": BINARY,
    "reduction": REDUCTION,
    "shape": SHAPE,
    "filling": FILLING,
    "indexing": INDEXING,
    "contraction": CONTRACTION,
    "windows": WINDOWS,
    "norms": NORMS,
    "attention": ATTENTION,
    "spectral": SPECTRAL,
    "recurrent": RECURRENT,
    "direct": DIRECT,
}


class Chapter(torch.nn.Module):
    """The cases of a chapter side by side: from the inputs of each to its results."""

    def __init__(self, cases: Sequence[OpCase]):
        super().__init__()
        modules = (case.function for case in cases)
        self.cases = torch.nn.ModuleList(
            each if isinstance(each, torch.nn.Module) else Wrapped(each) for each in modules
        )

    def forward(self, *given: Sequence[Any]) -> list[Any]:
        return [case(*inputs) for case, inputs in zip(self.cases, given)]


@cache
def chapter(name: str) -> tuple[list[list[Any]], list[Array], list[set[str]]]:
    """For each case of a chapter PyTorch's results, which overloads came, and all results of the imported program."""
    module = Chapter(CHAPTERS[name]).eval()
    given = [list(case.inputs) for case in CHAPTERS[name]]
    with torch.no_grad():
        expected = [torch.utils._pytree.tree_leaves(each) for each in module(*given)]
    results = results_of(from_torch(module, tuple(given)), [x for inputs in given for x in inputs])
    nodes = program_of(exported(module, given, {}), module, given, {}, None).body.nodes
    reached = [{node.target for node in nodes if node.place.startswith(f"cases.{i} ")} for i in range(len(given))]
    return expected, list(results.values()), reached


CASES = [pytest.param(name, i, id=f"{name}-{case.name}") for name in CHAPTERS for i, case in enumerate(CHAPTERS[name])]


@pytest.mark.parametrize(("name", "i"), CASES)
def test_op(name: str, i: int):
    case, (expected, results, reached) = CHAPTERS[name][i], chapter(name)
    start = sum(map(len, expected[:i]))
    assert not case.target or case.target in reached[i]
    for actual, wanted in zip(results[start:], expected[i]):
        same(actual, array(wanted), case.tolerance)


def test_every_rule_is_reached():
    """By a case, but for those of ops with graphs and of another package, which `test_torch_hugging_face` has."""
    reached = {target for name in CHAPTERS for targets in chapter(name)[2] for target in targets}
    others = {"cond", "while_loop", "scan", "transformers.grouped_mm_fallback.default"}
    assert set(RULES) - reached == others
