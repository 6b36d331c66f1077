"""
What naga misreads in SPIR-V, rewritten so that it does not.

MLIR's SPIR-V integers carry no sign and are declared unsigned; the ops say how to read them. naga goes by the
declaration for conversions, arithmetic shifts, minima, maxima, quotients and remainders, and gets negative numbers
wrong; integer comparisons it reads right. Of float comparisons it knows only ordered ones, which are false for NaN. Its
indices have 32 bits.
"""

from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

Emit = Callable[[Operation], SSAValue]


def rewrite_for_naga(root: Operation) -> None:
    """Rewrite the ops under `root` that naga misreads, in place."""
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
    below = emit(arith.CmpfOp(value, emit(arith.ConstantOp(FloatAttr(0.0, cast(AnyFloat, value.type)))), "olt"))
    size = emit(arith.SelectOp(below, emit(arith.NegfOp(value)), value))
    magnitude = emit(arith.FPToUIOp(size, cast(IntegerType, type_)))
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


def _quotient(op: Operation, emit: Emit) -> SSAValue:
    """The quotient of the magnitudes, negated where the signs differ."""
    a, b = op.operands
    quotient = emit(arith.DivUIOp(_magnitude(a, emit), _magnitude(b, emit)))
    differ = _is_negative(emit(arith.XOrIOp(a, b)), emit)
    return emit(arith.SelectOp(differ, _negated(quotient, emit), quotient))


def _remainder(op: Operation, emit: Emit) -> SSAValue:
    """The remainder of the magnitudes with the sign of the dividend."""
    a, b = op.operands
    rest = emit(arith.RemUIOp(_magnitude(a, emit), _magnitude(b, emit)))
    return emit(arith.SelectOp(_is_negative(a, emit), _negated(rest, emit), rest))


def _magnitude(value: SSAValue, emit: Emit) -> SSAValue:
    return emit(arith.SelectOp(_is_negative(value, emit), _negated(value, emit), value))


_OPPOSITE = {"ueq": "one", "ugt": "ole", "uge": "olt", "ult": "oge", "ule": "ogt", "une": "oeq"}
"""An unordered comparison is the ordered opposite, denied."""


def _comparison(op: Operation, emit: Emit) -> SSAValue:
    a, b = op.operands
    kind = arith.CMPF_COMPARISON_OPERATIONS[cast(IntegerAttr, op.properties["predicate"]).value.data]
    if kind in _OPPOSITE:
        return _denied(emit(arith.CmpfOp(a, b, _OPPOSITE[kind])), emit)
    if kind == "one":
        return emit(arith.OrIOp(emit(arith.CmpfOp(a, b, "olt")), emit(arith.CmpfOp(a, b, "ogt"))))
    if kind in ("ord", "uno"):
        both = emit(arith.AndIOp(emit(arith.CmpfOp(a, a, "oeq")), emit(arith.CmpfOp(b, b, "oeq"))))
        return both if kind == "ord" else _denied(both, emit)
    return emit(arith.CmpfOp(a, b, kind))


def _denied(truth: SSAValue, emit: Emit) -> SSAValue:
    return emit(arith.XOrIOp(truth, emit(arith.ConstantOp(IntegerAttr(1, i1)))))


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


def _index(op: Operation, emit: Emit) -> SSAValue:
    """Kernels count in 32 bits: an i64 beyond them becomes the nearest index, so that it stays outside of bounds."""
    value, type_ = op.operands[0], op.results[0].type
    if value.type == i64 and isinstance(type_, IndexType):
        for limit, kind in ((-(1 << 31), "sgt"), ((1 << 31) - 1, "slt")):
            bound = _integer(limit, i64, emit)
            value = emit(arith.SelectOp(emit(arith.CmpiOp(value, bound, kind)), value, bound))
    return emit(arith.IndexCastOp(value, type_))


_REWRITES: dict[type[Operation], Callable[[Operation, Emit], SSAValue]] = {
    arith.CmpfOp: _comparison,
    arith.DivSIOp: _quotient,
    arith.FPToSIOp: _float_to_int,
    arith.IndexCastOp: _index,
    arith.SIToFPOp: _int_to_float,
    arith.ShRSIOp: _shift_right,
    arith.RemSIOp: _remainder,
    arith.MinSIOp: _smaller,
    arith.MaxSIOp: _larger,
    arith.ExtSIOp: _extend,
}
