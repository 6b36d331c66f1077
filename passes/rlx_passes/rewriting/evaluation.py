"""Values that depend on constants alone, by the reference: a mask may be written as iota, sums and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import InterpretationError

from rlx_dialect.canonicalize.folding import interpreter
from rlx_dialect.constants import is_dtype
from rlx_dialect.ops import RegionOp
from rlx_dialect.ops.base import RlxOp
from rlx_dialect.shapes import count, shaped

if TYPE_CHECKING:
    from rlx_dialect.reference import Array

MOST_OPS = 32
"""How many ops a value may be computed by, where a pattern asks for it; a pass may allow more."""

MOST_ELEMENTS = 1 << 24
"""How many elements each of these values may have."""


def evaluated(
    value: SSAValue,
    most_ops: int = MOST_OPS,
    most_elements: int = MOST_ELEMENTS,
    given: Mapping[SSAValue, Array] | None = None,
) -> Array | None:
    """
    The elements of a value that depends on constants alone, and on values that are `given`; None for others, for one
    that is too large or too long to compute, and for one whose computation is an error. Loops are not run.
    """
    import numpy as np

    order = _program(value, most_ops, most_elements, given or {})
    if order is None:
        return None
    run_op = interpreter().run_op
    known: dict[SSAValue, Any] = dict(given or {})
    try:
        with np.errstate(all="ignore"):
            for op in order:
                known.update(zip(op.results, run_op(op, tuple(known[operand] for operand in op.operands))))
    except (ArithmeticError, InterpretationError, LookupError, MemoryError, ValueError):
        return None
    return known[value]


def _program(
    value: SSAValue, most_ops: int, most_elements: int, given: Mapping[SSAValue, Array]
) -> list[Operation] | None:
    """The ops that compute `value` from nothing, in order, or None where there are no such."""
    order: dict[Operation, None] = {}
    pending: list[tuple[SSAValue, bool]] = [(value, False)]
    steps = 0
    while pending:
        current, ready = pending.pop()
        if current in given:
            continue
        owner = current.owner
        steps += 1
        if isinstance(owner, Block) or steps > 4 * most_ops or not isinstance(owner, RlxOp | ConstantOp):
            return None
        if owner.regions and not isinstance(owner, RegionOp):
            return None
        if not isinstance(current.type, TensorType) or not is_dtype(shaped(current).element):
            return None
        elements = count(shaped(current).dims)
        if elements is None or elements > most_elements:
            return None
        if ready:
            order[owner] = None
        elif owner not in order:
            pending.append((current, True))
            pending += [(operand, False) for operand in owner.operands]
    return list(order)
