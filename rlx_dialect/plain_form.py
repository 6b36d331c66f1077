"""Ops of other packages: they say themselves which plain ops they stand for, and that is what they are taken for here."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter


@runtime_checkable
class HasPlainForm(Protocol):
    """An op with a plain form of its own."""

    def plain_form(self) -> tuple[Sequence[Operation], Sequence[SSAValue]] | None:
        """A `decompose.Decomposition`; None where it would need a size that is known at run time only."""
        ...


def in_our_ops(module: ModuleOp) -> ModuleOp:
    """`module`, or a copy of it in which every op with a plain form of its own is that."""
    if not any(isinstance(op, HasPlainForm) for op in module.walk()):
        return module
    copy = module.clone()
    for op in list(copy.walk()):
        if isinstance(op, HasPlainForm) and (plain := op.plain_form()) is not None:
            Rewriter.replace_op(op, *plain)
    return copy
