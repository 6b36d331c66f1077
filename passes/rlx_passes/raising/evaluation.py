"""Values that depend on constants alone, by the reference: a mask may be written as iota, sums and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.canonicalize.folding import interpreter
from rlx_dialect.constants import is_dtype
from rlx_dialect.ops.base import RlxOp
from rlx_dialect.shapes import count
from rlx_passes.rewriting.legality import dims_of, tensor_type

if TYPE_CHECKING:
    from rlx_dialect.reference import Array

MOST_OPS = 32
"""How many ops a value may be computed by."""

MOST_ELEMENTS = 1 << 24
"""How many elements each of these values may have."""


def evaluated(value: SSAValue) -> Array | None:
    """The elements of a value that depends on constants alone; None for others, too large or too long to compute."""
    order = _program(value)
    if order is None:
        return None
    run_op = interpreter().run_op
    known: dict[SSAValue, Any] = {}
    for op in order:
        known.update(zip(op.results, run_op(op, tuple(known[operand] for operand in op.operands))))
    return known[value]


def _program(value: SSAValue) -> list[Operation] | None:
    """The ops that compute `value` from nothing, in order, or None where there are no such."""
    order: dict[Operation, None] = {}
    pending: list[tuple[SSAValue, bool]] = [(value, False)]
    steps = 0
    while pending:
        current, ready = pending.pop()
        owner = current.owner
        steps += 1
        if isinstance(owner, Block) or steps > 4 * MOST_OPS or not isinstance(owner, RlxOp | ConstantOp):
            return None
        elements = count(dims_of(current))
        if owner.regions or elements is None or elements > MOST_ELEMENTS:
            return None
        if not is_dtype(tensor_type(current).element_type):
            return None
        if ready:
            order[owner] = None
        elif owner not in order:
            pending.append((current, True))
            pending += [(operand, False) for operand in owner.operands]
    return list(order)
