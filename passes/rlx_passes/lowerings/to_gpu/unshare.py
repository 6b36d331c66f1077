"""A fill of its own for every user, so that bufferization copies none and each fill can join the loop that uses it."""

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Operation


def unshare_fills(module: ModuleOp) -> None:
    """Give every user of a `linalg.fill` of a fresh tensor a fill right before it, in place; the first is left dead."""
    for op in list(module.walk()):
        if not isinstance(op, FillOp) or len(op.results) != 1 or len(op.outputs) != 1:
            continue
        empty = op.outputs[0].owner
        if not isinstance(empty, tensor.EmptyOp):
            continue
        for use in tuple(op.results[0].uses):
            _fill_before(use.operation, use.index, op, empty)


def _fill_before(user: Operation, index: int, fill: FillOp, empty: tensor.EmptyOp) -> None:
    block = user.parent
    if block is None:
        return
    fresh = empty.clone()
    again = fill.clone(value_mapper={empty.tensor: fresh.tensor})
    block.insert_ops_before([fresh, again], user)
    user.operands[index] = again.results[0]
