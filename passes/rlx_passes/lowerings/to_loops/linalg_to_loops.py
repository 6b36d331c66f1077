"""`rlx-linalg-to-loops`: linalg ops over memory as loops of loads and stores."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from rlx_passes.lowerings.to_loops.nests import copy_nest, fill_nest, generic_nest
from rlx_passes.rewriting.conversion import on_copy


@dataclass(frozen=True)
class LinalgToLoopsPass(ModulePass):
    """
    Replace `linalg.fill`, `linalg.generic` and `memref.copy` by loops over elements.

    The innermost loop runs along the axis that most operands have next to each other in memory. Sums that are the
    innermost loop are kept in a value and may be added in any order, which lets a compiler use vectors. Raises
    `Refusal` for a loop of which no operand tells the size.
    """

    name = "rlx-linalg-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, to_loops)


def to_loops(module: ModuleOp) -> None:
    """What the pass does, in place."""
    for op in list(module.walk()):
        block = op.parent
        if block is None:
            continue

        def emit(new: Operation, block: Block = block, op: Operation = op) -> None:
            block.insert_op_before(new, op)

        if isinstance(op, linalg.FillOp):
            fill_nest(op, emit)
        elif isinstance(op, linalg.GenericOp):
            generic_nest(op, emit)
        elif isinstance(op, memref.CopyOp):
            copy_nest(op, emit)
        else:
            continue
        op.detach()
        op.erase()
