"""`rlx-linalg-to-loops`: linalg ops over memory as loops of loads and stores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from rlx_passes.lowerings.to_loops.nests import copy_nest, fill_nest, generic_nest
from rlx_passes.lowerings.to_loops.products import lower_contraction
from rlx_passes.pipeline.chip import HOST, Chip, nearest
from rlx_passes.rewriting.conversion import on_copy


@dataclass(frozen=True)
class LinalgToLoopsPass(ModulePass):
    """
    Replace `linalg.fill`, `linalg.generic` and `memref.copy` by loops over elements.

    Products go tile by tile through the registers of `chip`, a name of LLVM. Of other ops the innermost loop runs along
    the axis that most operands have next to each other in memory. Sums that are the innermost loop are kept in a value
    and may be added in any order, which lets a compiler use vectors. Raises `Refusal` for a loop of which no operand
    tells the size.
    """

    name = "rlx-linalg-to-loops"

    chip: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, partial(to_loops, chip=nearest(self.chip)))


def to_loops(module: ModuleOp, chip: Chip) -> None:
    """What the pass does, in place."""
    ops = sorted(module.walk(), key=lambda op: isinstance(op, linalg.FillOp))
    for op in ops:
        block = op.parent
        if block is None:
            continue

        def emit(new: Operation, block: Block = block, op: Operation = op) -> None:
            block.insert_op_before(new, op)

        if isinstance(op, linalg.FillOp):
            fill_nest(op, emit)
        elif isinstance(op, linalg.GenericOp):
            start = _start(op)
            if lower_contraction(op, chip, fresh=start is not None):
                if start is not None:
                    block.erase_op(start)
            else:
                generic_nest(op, emit)
        elif isinstance(op, memref.CopyOp):
            copy_nest(op, emit)
        else:
            continue
        op.detach()
        op.erase()


def _start(op: linalg.GenericOp) -> linalg.FillOp | None:
    """The fill right before `op` that puts zeros where it adds."""
    before = op.prev_op
    while before is not None and isinstance(before, memref.DimOp | memref.SubviewOp | arith.ConstantOp):
        before = before.prev_op
    if not isinstance(before, linalg.FillOp) or before.outputs[0] is not op.outputs[0]:
        return None
    scalar = before.inputs[0].owner
    value = scalar.value if isinstance(scalar, arith.ConstantOp) else None
    zero = isinstance(value, FloatAttr | IntegerAttr) and value.value.data == 0
    return before if zero else None
