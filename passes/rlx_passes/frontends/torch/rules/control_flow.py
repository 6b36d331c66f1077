"""Ops with graphs: choices and loops."""

from __future__ import annotations

from collections.abc import Sequence

from rlx_dialect.builder import Tensor
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


def values(c: Call, name: str) -> list[Tensor]:
    """Tensors that a graph reads."""
    if not c.given(name):
        return []
    return c.tensors(name)


@rule("cond")
def cond(c: Call) -> Sequence[Tensor]:
    """`torch.cond(condition, then, otherwise, captures)`"""
    captures = values(c, "3") or [c.tensor("0")]
    condition = c.g.reshape(c.cast(c.tensor("0"), "i1"), ())
    return c.g.cond(condition, captures, c.region(c.args["1"]), c.region(c.args["2"]))


@rule("while_loop")
def while_loop(c: Call) -> Sequence[Tensor]:
    """`while_loop(condition, body, carried, captures)`"""
    carried, captures = values(c, "2"), values(c, "3")
    return c.g.while_loop(carried, c.region(c.args["0"]), c.region(c.args["1"]), captures=captures)


@rule("scan")
def scan(c: Call) -> Sequence[Tensor]:
    """`scan(body, carried, scanned, captures)`"""
    return c.g.scan(values(c, "1"), values(c, "2"), c.region(c.args["0"]), captures=values(c, "3"))
