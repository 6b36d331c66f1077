"""
What each composite op stands for, in plain ops. Used by unfuse passes, lowerings with nothing better, and verification.

A decomposition of a fused op is exact: it holds the ops that fusion absorbed, with the attributes they had. For code
there may be a wide one, which rounds as the fused op does: once, at its end. The rules are in the chapters, marked with
`plain_form` or `wide_form`; they are loaded when they are first asked for.
"""

import re
from collections.abc import Collection, KeysView
from functools import cache
from pkgutil import get_data, iter_modules

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from rlx_dialect.chapters import chapters
from rlx_dialect.decompose.plain import FUSED, RULES, WIDE, Decomposition, plain_form

__all__ = ["Decomposition", "composite_ops", "decompose", "fused_ops", "in_our_ops", "is_fused", "plain_form"]


def decompose(op: Operation, *, wide: bool = False) -> Decomposition | None:
    """
    The plain form of a composite op, with `wide` the one for code; None for any other op, or if it needs a size known
    at run time only.
    """
    _load()
    rule = WIDE.get(type(op)) if wide else None
    rule = rule or RULES.get(type(op))
    return None if rule is None else rule(op)


def composite_ops() -> KeysView[type[Operation]]:
    """The ops that `decompose` takes apart: those of `fused_ops`, and others that a lowering need not know."""
    _load()
    return RULES.keys()


def fused_ops() -> tuple[type[Operation], ...]:
    """The ops that a fusion makes, and that the unfuse passes take apart again."""
    _load()
    return tuple(FUSED)


def is_fused(op: type[Operation]) -> bool:
    """Whether ops of a class are among `fused_ops`. The text of the chapters tells; none is loaded for it."""
    return any(
        base in FUSED or (base.__module__.startswith(_OPS) and base.__name__ in _fused_by_text()) for base in op.__mro__
    )


def in_our_ops(module: ModuleOp) -> ModuleOp:
    """`module`, or a copy of it in which every op of another package that has a plain form is that."""
    from rlx_dialect.ops import ALL_OPS  # all are loaded for it

    foreign = composite_ops() - set(ALL_OPS)
    if not any(type(op) in foreign for op in module.walk()):
        return module
    copy = module.clone()
    for op in [op for op in copy.walk() if type(op) in foreign]:
        if (plain := decompose(op)) is not None:
            Rewriter.replace_op(op, *plain)
    return copy


_OPS = "rlx_dialect.ops."
_MARK = re.compile(rb"@(?:wide_form\(|plain_form\((?=\w+, fused=True))(\w+)")


@cache
def _fused_by_text() -> Collection[str]:
    texts = (get_data(__name__, f"{found.name}.py") or b"" for found in iter_modules(__path__))
    return frozenset(name.decode() for text in texts for name in _MARK.findall(text))


@cache
def _load() -> None:
    for _ in chapters(__name__):
        pass
