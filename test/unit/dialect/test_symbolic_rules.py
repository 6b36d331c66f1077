"""Every op's shape rule on expressions: what it says comes to what it says of numbers."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from rlx_dialect.dims import Dim, Size, Symbol, Undecided
from rlx_dialect.ops import ALL_OPS, ResizeOp, RlxOp
from rlx_dialect.shapes import DYNAMIC, ShapeError, said, shaped
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.reading.dialects import tool_context

FILES = Path(__file__).parents[2] / "filecheck" / "dialect"

CLASSES = [op for op in ALL_OPS if issubclass(op, RlxOp)]


@cache
def examples() -> dict[type[RlxOp], list[RlxOp]]:
    """The ops of the round trips, whose types are as their rules say."""
    found: dict[type[RlxOp], list[RlxOp]] = defaultdict(list)
    for path in sorted(FILES.glob("*.mlir")):
        if path.stem.endswith("_invalid"):
            continue
        for text in path.read_text().split("// -----"):
            for op in parse_module(tool_context(), text, path.name).walk():
                if isinstance(op, RlxOp):
                    found[type(op)].append(op)
    return found


RUN = 48
"""What an open size is in numbers: something that most groups and segments divide."""


def read(op: RlxOp) -> list[SSAValue]:
    """The tensors whose dims the rule reads: operands, and what regions take and give."""
    blocks = [region.block for region in op.regions]
    inner = (value for block in blocks for value in (*block.args, *(block.last_op.operands if block.last_op else ())))
    return [value for value in (*op.operands, *inner) if isinstance(value.type, TensorType)]


def dims_with(op: RlxOp, size: int, by: Size) -> dict[SSAValue, tuple[Size, ...]]:
    """The dims that the rule reads, with `by` for each that has this size."""
    return {value: tuple(by if d == size else d for d in shaped(value).dims) for value in read(op)}


def agrees(op: RlxOp, size: int) -> bool:
    """Compares a rule on an expression with the rule on its number; whether it takes either. Float products are out."""
    number = RUN if size == DYNAMIC else size
    try:
        with said(dims_with(op, size, Dim.of(Symbol("n")))):
            rules = op.infer()
        with said(dims_with(op, size, number)):
            numbers = op.infer()
    except (ShapeError, Undecided):
        return False
    assert len(rules) == len(numbers)
    for rule, expected in zip(rules, numbers):
        assert (rule.element, rule.rank) == (expected.element, expected.rank)
        sizes: list[Size] = list(rule.dims)
        come_to = [each.evaluate({Symbol("n"): number}) if isinstance(each, Dim) else each for each in sizes]
        assert come_to == list(expected.dims) or (isinstance(op, ResizeOp) and DYNAMIC in come_to)
    return True


@pytest.mark.parametrize("op", CLASSES, ids=lambda op: op.name)
def test_rules_on_expressions(op: type[RlxOp]):
    found = examples()[op]
    assert found
    asked = [
        (each, d) for each in found for d in {d for value in read(each) for d in shaped(value).dims if d not in (0, 1)}
    ]
    agreed = [agrees(each, size) for each, size in asked]
    assert any(agreed) or not asked
