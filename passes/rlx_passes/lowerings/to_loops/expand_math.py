"""`rlx-expand-math`: functions as the formulas of this project."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, complex, math
from xdsl.dialects.builtin import BFloat16Type, Float16Type, ModuleOp, f32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.arith_machine import FUNCTION_OF, PROCESSOR, Emit, Natives
from rlx_passes.lowerings.to_loops.complexes import expanded
from rlx_passes.rewriting.conversion import on_copy

INSTRUCTIONS = (math.AbsFOp, math.CopySignOp, math.FmaOp, math.SqrtOp, math.FloorOp, math.CeilOp, math.TruncOp)
"""The ops of the math dialect that processors have."""


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """
    Write out the ops of the math dialect that are no instruction of a processor, by the formulas of functions.

    Complex products and quotients become those of parts. f16 and bf16 are computed in f32. Raises `Refusal` for an op
    that is no function of floats.
    """

    name = "rlx-expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, expand)


def expand(module: ModuleOp, natives: Natives = PROCESSOR) -> None:
    """What the pass does, in place, for a code generator that has `natives`."""
    for op in list(module.walk()):
        compound = isinstance(op, complex.MulOp | complex.DivOp)
        if compound or is_function(op):
            block = op.parent
            assert block is not None
            value = _written(op, block, natives)
            op.results[0].replace_all_uses_with(value)
            block.erase_op(op)


def is_function(op: Operation) -> bool:
    """Whether `op` takes many instructions of a processor."""
    return op.name.startswith("math.") and not isinstance(op, INSTRUCTIONS)


def _written(op: Operation, block: Block, natives: Natives) -> SSAValue:
    def emit(new: Operation) -> SSAValue:
        block.insert_op_before(new, op)
        return new.results[0]

    if isinstance(op, complex.MulOp | complex.DivOp):
        left, right = ((emit(complex.ReOp(value)), emit(complex.ImOp(value))) for value in (op.lhs, op.rhs))
        return emit(complex.CreateOp(*expanded(op, left, right, emit), op.result.type))
    if op.name not in FUNCTION_OF:
        raise Refusal("has no formula", op=op, what=f"'{op.name}'")
    return _applied(FUNCTION_OF[op.name], list(op.operands), op.results[0].type, emit, natives)


def _applied(function: str, operands: list[SSAValue], type: Attribute, emit: Emit, natives: Natives) -> SSAValue:
    if not isinstance(type, Float16Type | BFloat16Type):
        return natives.apply(function, emit, *operands)
    wide = [emit(arith.ExtFOp(operand, f32)) for operand in operands]
    return emit(arith.TruncFOp(_applied(function, wide, f32, emit, natives), type))
