"""Ops that move elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import SSAValue

from rlx_dialect.ops import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, TransposeOp
from rlx_dialect.reference.numeric import check_indices
from rlx_dialect.shapes import DYNAMIC, shaped


def dims_of(result: SSAValue, sizes: Sequence[Any]) -> list[int]:
    """The dims of `result`, those written `?` taken from the size operands."""
    known = iter(sizes)
    return [int(next(known)) if d == DYNAMIC else d for d in shaped(result).dims]


@register_impls
class ShapeFunctions(InterpreterFunctions):
    @impl(ReshapeOp)
    def reshape(self, interpreter: Interpreter, op: ReshapeOp, args: tuple[Any, ...]):
        return (args[0].reshape(dims_of(op.result, args[1:])),)

    @impl(ExpandOp)
    def expand(self, interpreter: Interpreter, op: ExpandOp, args: tuple[Any, ...]):
        return (np.broadcast_to(args[0], dims_of(op.result, args[1:])),)

    @impl(TransposeOp)
    def transpose(self, interpreter: Interpreter, op: TransposeOp, args: tuple[Any, ...]):
        return (args[0].transpose(op.permutation.get_values()),)

    @impl(NarrowOp)
    def narrow(self, interpreter: Interpreter, op: NarrowOp, args: tuple[Any, ...]):
        start, length, axis = op.start.value.data, op.length.value.data, op.axis.value.data
        if start + length > args[0].shape[axis]:
            raise ValueError(f"entries {start} to {start + length} leave dim {axis} of {list(args[0].shape)}")
        return (np.take(args[0], range(start, start + length), axis=axis),)

    @impl(ConcatOp)
    def concat(self, interpreter: Interpreter, op: ConcatOp, args: tuple[Any, ...]):
        return (np.concatenate(args, axis=op.axis.value.data),)

    @impl(GatherOp)
    def gather(self, interpreter: Interpreter, op: GatherOp, args: tuple[Any, ...]):
        table, indices = args
        check_indices(indices, table.shape[op.axis.value.data], op.name)
        return (np.take(table, indices, axis=op.axis.value.data),)
