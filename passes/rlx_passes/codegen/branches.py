"""
Loops as branches between blocks, where they carry tensors of unknown sizes.

IREE 3.13 takes the sizes of such tensors for one another where a loop carries two: wrong elements, or a refusal. Of
blocks it gets them right, but several threads may read what a round leaves before it is written: wrong elements, or no
end. So such code runs in order.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp
from xdsl.ir import Operation
from xdsl.rewriter import BlockInsertPoint, Rewriter
from xdsl.transforms.convert_scf_to_cf import ConvertScfToCf

from rlx_dialect.shapes import shaped


def branch_on_unknown_sizes(module: ModuleOp) -> bool:
    """Write all control flow of `module` as branches if some loop carries a tensor of unknown sizes. Whether it did."""
    if not any(_carries_unknown_sizes(op) for op in module.walk()):
        return False
    for op in reversed(list(module.walk())):
        if isinstance(op, scf.WhileOp):
            _while(op)
    ConvertScfToCf().apply(Context(), module)
    return True


def _carries_unknown_sizes(op: Operation) -> bool:
    carried = op.results if isinstance(op, scf.ForOp | scf.WhileOp) else ()
    return any(isinstance(value.type, TensorType) and not shaped(value).static for value in carried)


def _while(op: scf.WhileOp) -> None:
    """What xDSL's conversion leaves out: the condition's block, then the body's, which goes back to it."""
    block = op.parent_block()
    if block is None:
        return
    end = block.split_before(op)
    first, asked = op.before_region.blocks.first, op.before_region.blocks.last
    body, last = op.after_region.blocks.first, op.after_region.blocks.last
    if first is None or asked is None or body is None or last is None:
        return
    Rewriter.inline_region(op.before_region, BlockInsertPoint.before(end))
    Rewriter.inline_region(op.after_region, BlockInsertPoint.before(end))
    condition, again = asked.last_op, last.last_op
    if not isinstance(condition, scf.ConditionOp) or not isinstance(again, scf.YieldOp):
        return
    results = list(condition.args)
    block.add_op(BranchOp(first, *op.arguments))
    Rewriter.replace_op(condition, ConditionalBranchOp(condition.condition, body, results, end, ()), [])
    Rewriter.replace_op(again, BranchOp(first, *again.arguments), [])
    Rewriter.replace_op(op, [], results)
