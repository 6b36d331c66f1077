"""Rotary embeddings of PyTorch programs that read pairs in one style and write them in the other."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torch_oracle import check, compare, torch

from rlx_dialect.ops import GatedResidualOp, RopeOp
from rlx_passes import build_pipeline
from rlx_passes.reading.dialects import tool_context

BATCH, HEADS, PLACES, WIDTH = 2, 4, 6, 8
HALF = WIDTH // 2


def turned(a: Any, b: Any, c: Any, n: Any) -> tuple[Any, Any]:
    return a * c - b * n, b * c + a * n


def by_strides(x: Any, c: Any, n: Any) -> Any:
    return torch.cat(turned(x[..., 0::2], x[..., 1::2], c, n), -1)


def by_views(x: Any, c: Any, n: Any) -> Any:
    a, b = x.reshape(*x.shape[:-1], HALF, 2).unbind(-1)
    return torch.cat(turned(a, b, c, n), -1)


def to_pairs(x: Any, c: Any, n: Any) -> Any:
    return torch.stack(turned(x[..., :HALF], x[..., HALF:], c, n), -1).flatten(-2)


def moved_first(x: Any, c: Any, n: Any) -> Any:
    x = x.view(*x.shape[:-1], HALF, 2).transpose(-1, -2).reshape(x.shape)
    c, n = (torch.cat([t, t], -1) for t in (c, n))
    return x * c + torch.cat([-x[..., HALF:], x[..., :HALF]], -1) * n


@pytest.mark.parametrize("written", [by_strides, by_views, to_pairs, moved_first])
def test_f28_pairs_that_are_written_in_the_other_style_turn(written: Callable[[Any, Any, Any], Any]):
    torch.manual_seed(0)
    angles = torch.arange(PLACES)[:, None] * 0.3 ** torch.arange(HALF)[None]
    inputs = [torch.randn(BATCH, HEADS, PLACES, WIDTH), angles.cos(), angles.sin()]
    program = check(written, inputs, 1e-6)
    for one in build_pipeline("cpu", stage="fuse", origin="rlx"):
        one.apply(tool_context(), program.module)
    compare(program, written, inputs, 1e-6)
    ops = list(program.module.walk())
    assert sum(isinstance(op, RopeOp) for op in ops) == 1


@pytest.mark.parametrize("dims", [(BATCH, HEADS, PLACES, HALF), (HEADS, PLACES, HALF)])
def test_f28_what_is_no_rope_has_no_gate(dims: tuple[int, ...]):
    """Tables of their own for each head are none that a rope has."""
    torch.manual_seed(0)
    inputs = [torch.randn(BATCH, HEADS, PLACES, WIDTH), torch.randn(*dims), torch.randn(*dims)]
    program = check(by_strides, inputs, 1e-6)
    for one in build_pipeline("cpu", stage="fuse", origin="rlx"):
        one.apply(tool_context(), program.module)
    compare(program, by_strides, inputs, 1e-6)
    assert not any(isinstance(op, GatedResidualOp | RopeOp) for op in program.module.walk())
