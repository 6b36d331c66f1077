"""Sorts and selections by order."""

from __future__ import annotations

from rlx_dialect.builder import Tensor
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


@rule("sort.default", "sort.stable")
def sort(c: Call) -> tuple[Tensor, Tensor]:
    x = c.tensor("self")
    if not x.shape:
        return x, c.g.zeros((), "i64")
    axis, descending = c.axis("dim", len(x.shape)), c.flag("descending")
    return c.g.sort(x, axis, descending=descending), c.g.argsort(x, axis, descending=descending)


@rule("argsort.default", "argsort.stable")
def argsort(c: Call) -> Tensor:
    x = c.tensor("self")
    if not x.shape:
        return c.g.zeros((), "i64")
    return c.g.argsort(x, c.axis("dim", len(x.shape)), descending=c.flag("descending"))


@rule("topk.default")
def topk(c: Call) -> tuple[Tensor, Tensor]:
    x = c.tensor("self")
    return c.g.top_k(x, c.integer("k"), c.axis("dim", len(x.shape)), smallest=not c.flag("largest"))
