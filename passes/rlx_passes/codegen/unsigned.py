"""
Signed integer arithmetic in terms of unsigned.

MLIR's SPIR-V integers carry no sign and are declared unsigned; the ops say how to read them. naga goes by the declaration
for conversions, arithmetic shifts, minima, maxima and remainders, and gets negative numbers wrong. Comparisons and
divisions it reads right.
"""

from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue

Emit = Callable[[Operation], SSAValue]


def make_unsigned(root: Operation) -> None:
    """Rewrite the signed ops under `root` that naga misreads, in place."""
    for op in list(root.walk()):
        rewrite = _REWRITES.get(type(op))
        block = op.parent
        if rewrite is None or block is None or any(operand.type == i1 for operand in op.operands):
            continue

        def emit(new: Operation, at: Operation = op) -> SSAValue:
            if at.parent is not None:
                at.parent.insert_op_before(new, at)
            return new.results[0]

        value = rewrite(op, emit)
        op.results[0].replace_all_uses_with(value)
        op.detach()
        op.erase()


def _integer(value: int, type_: Attribute, emit: Emit) -> SSAValue:
    return emit(arith.ConstantOp(IntegerAttr(value, cast(IntegerType, type_))))


def _is_negative(value: SSAValue, emit: Emit) -> SSAValue:
    return emit(arith.CmpiOp(value, _integer(0, value.type, emit), "slt"))


def _negated(value: SSAValue, emit: Emit) -> SSAValue:
    return emit(arith.SubiOp(_integer(0, value.type, emit), value))


def _float_to_int(op: Operation, emit: Emit) -> SSAValue:
    value, type_ = op.operands[0], op.results[0].type
    size = emit(math.AbsFOp.create(operands=[value], result_types=[value.type]))
    magnitude = emit(arith.FPToUIOp(size, cast(IntegerType, type_)))
    below = emit(arith.CmpfOp(value, emit(arith.ConstantOp(FloatAttr(0.0, cast(AnyFloat, value.type)))), "olt"))
    return emit(arith.SelectOp(below, _negated(magnitude, emit), magnitude))


def _int_to_float(op: Operation, emit: Emit) -> SSAValue:
    value, type_ = op.operands[0], op.results[0].type
    negative = _is_negative(value, emit)
    magnitude = emit(arith.SelectOp(negative, _negated(value, emit), value))
    wide = emit(arith.UIToFPOp.create(operands=[magnitude], result_types=[type_]))
    return emit(arith.SelectOp(negative, emit(arith.NegfOp(wide)), wide))


def _shift_right(op: Operation, emit: Emit) -> SSAValue:
    """A negative number is shifted as its complement, which is not negative."""
    value, by = op.operands
    ones = _integer(-1, value.type, emit)
    negative = _is_negative(value, emit)
    start = emit(arith.SelectOp(negative, emit(arith.XOrIOp(value, ones)), value))
    shifted = emit(arith.ShRUIOp(start, by))
    return emit(arith.SelectOp(negative, emit(arith.XOrIOp(shifted, ones)), shifted))


def _remainder(op: Operation, emit: Emit) -> SSAValue:
    a, b = op.operands
    return emit(arith.SubiOp(a, emit(arith.MuliOp(emit(arith.DivSIOp(a, b)), b))))


def _smaller(op: Operation, emit: Emit) -> SSAValue:
    a, b = op.operands
    return emit(arith.SelectOp(emit(arith.CmpiOp(a, b, "slt")), a, b))


def _larger(op: Operation, emit: Emit) -> SSAValue:
    a, b = op.operands
    return emit(arith.SelectOp(emit(arith.CmpiOp(a, b, "sgt")), a, b))


def _extend(op: Operation, emit: Emit) -> SSAValue:
    """Flip the sign bit, widen, and subtract it again: a negative number borrows through the new upper bits."""
    value, type_ = op.operands[0], cast(IntegerType, op.results[0].type)
    sign = 1 << (cast(IntegerType, value.type).width.data - 1)
    flipped = emit(arith.XOrIOp(value, _integer(-sign, value.type, emit)))
    wide = emit(arith.ExtUIOp(flipped, type_))
    return emit(arith.SubiOp(wide, _integer(sign, type_, emit)))


_REWRITES: dict[type[Operation], Callable[[Operation, Emit], SSAValue]] = {
    arith.FPToSIOp: _float_to_int,
    arith.SIToFPOp: _int_to_float,
    arith.ShRSIOp: _shift_right,
    arith.RemSIOp: _remainder,
    arith.MinSIOp: _smaller,
    arith.MaxSIOp: _larger,
    arith.ExtSIOp: _extend,
}
