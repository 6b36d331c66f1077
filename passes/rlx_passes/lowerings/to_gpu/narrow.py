"""
Arithmetic on types that a shader does not have, in the next wider one, with the results of the narrow type.

A float is kept in f32 and rounded after each op that rounds; an integer is kept sign-extended in i32 and wrapped after
each op that can leave its range.
"""

import math as numbers
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.formulas import Num
from rlx_dialect.formulas.machine import bits, copysign, from_bits, is_nan, round_even, where
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.arith_machine import KERNEL, Emit


class Narrow(NamedTuple):
    """
    A float that is narrower than f32: bits of the fraction that f32 has more, the exponent of the smallest normal
    number, and the first power or multiple of one that is too large, with what it becomes; None for those of f32.
    """

    cut: int
    least: int | None = None
    beyond: float = numbers.inf
    overflow: float = numbers.inf


NARROW = {
    "f16": Narrow(13, -14, 65536.0),
    "bf16": Narrow(16),
    "f8E4M3FN": Narrow(20, -6, 480.0, numbers.nan),
    "f8E5M2": Narrow(21, -14, 65536.0),
}


def register_type(type_: Attribute, storage: Mapping[Attribute, Attribute]) -> Attribute:
    """The type a kernel computes in for values of `type_`."""
    return type_ if type_ == i1 else storage.get(type_, type_)


def is_narrow(type_: Attribute, storage: Mapping[Attribute, Attribute]) -> bool:
    """Whether values of `type_` are computed in a wider type."""
    return register_type(type_, storage) != type_


def round_float(x: Num, narrow: Narrow) -> Num:
    """`x` to the nearest float of a narrow type, ties to even."""
    given, cut = bits(x), narrow.cut
    kept = (given + ((1 << (cut - 1)) - 1) + ((given >> cut) & 1)) & -(1 << cut)
    y = from_bits(kept)
    if narrow.least is not None:
        # Below the normal range steps are as large as at its start.
        size, step = abs(x), 2.0 ** (narrow.least - (23 - cut))
        y = where(size < 2.0**narrow.least, copysign(round_even(size * (1 / step)) * step, x), y)
        y = where(abs(y) >= narrow.beyond, copysign(x.lift(narrow.overflow), x), y)
    return where(is_nan(x), x, y)


def emit_narrow(
    op: Operation, operands: Sequence[SSAValue], storage: Mapping[Attribute, Attribute], emit: Emit
) -> SSAValue | None:
    """
    The result of `op`, an op with a narrow operand or result, on operands in their registers' types.

    None when the op means the same on the wider types: the caller copies it.
    """
    result = op.results[0].type if op.results else None
    source = op.operands[0].type if op.operands else None
    if isinstance(op, arith.ConstantOp):
        return _constant(op, emit)
    if isinstance(op, arith.BitcastOp):
        raise Refusal(f"a bit cast from {source} to {result} has no device code on a target that lacks the narrow type")
    if result is None or source is None:
        return None
    if isinstance(op, _WIDENING | _NARROWING):
        value = _zero_extended(op, operands[0], source, storage, emit)
        return _fit(_convert(op, value, register_type(result, storage), emit), result, storage, emit)
    if isinstance(op, _ON_UNSIGNED):
        wide = [_masked(value, source, storage, emit) for value in operands]
        return _fit(_again(op, wide, register_type(result, storage), emit), result, storage, emit)
    if isinstance(op, _LEAVING_RANGE):
        return _fit(_again(op, operands, register_type(result, storage), emit), result, storage, emit)
    return None


_WIDENING = (
    arith.ExtFOp | arith.ExtSIOp | arith.ExtUIOp | arith.SIToFPOp | arith.UIToFPOp | arith.FPToSIOp | arith.FPToUIOp
)
_NARROWING = arith.TruncFOp | arith.TruncIOp | arith.IndexCastOp
_ON_UNSIGNED = arith.DivUIOp | arith.RemUIOp | arith.ShRUIOp
_LEAVING_RANGE = (
    arith.AddfOp
    | arith.SubfOp
    | arith.MulfOp
    | arith.DivfOp
    | arith.AddiOp
    | arith.SubiOp
    | arith.MuliOp
    | arith.DivSIOp
    | arith.ShLIOp
)


def _constant(op: arith.ConstantOp, emit: Emit) -> SSAValue:
    value = op.value
    if isinstance(value, FloatAttr):
        return emit(arith.ConstantOp(FloatAttr(value.value.data, f32)))
    if isinstance(value, IntegerAttr):
        return emit(arith.ConstantOp(IntegerAttr(value.value.data, i32)))
    raise Refusal(f"a constant of kind '{value.name}' cannot stand inside a kernel")


def _again(op: Operation, operands: Sequence[SSAValue], type_: Attribute, emit: Emit) -> SSAValue:
    return emit(type(op).create(operands=operands, result_types=[type_], properties=op.properties))


def _convert(op: Operation, value: SSAValue, type_: Attribute, emit: Emit) -> SSAValue:
    """The conversion between registers: nothing where both have one type, a plain float or integer cast otherwise."""
    if value.type == type_:
        return value
    kind: type[Operation] = type(op)
    if isinstance(op, arith.ExtFOp | arith.TruncFOp):
        kind = arith.ExtFOp if type_ == f64 else arith.TruncFOp
    elif isinstance(op, arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp) and {value.type, type_} == {i32, i64}:
        kind = arith.TruncIOp if type_ == i32 else kind
    return emit(kind.create(operands=[value], result_types=[type_]))


def _zero_extended(
    op: Operation, value: SSAValue, source: Attribute, storage: Mapping[Attribute, Attribute], emit: Emit
) -> SSAValue:
    unsigned = isinstance(op, arith.ExtUIOp | arith.UIToFPOp)
    return _masked(value, source, storage, emit) if unsigned else value


def _masked(value: SSAValue, source: Attribute, storage: Mapping[Attribute, Attribute], emit: Emit) -> SSAValue:
    """The unsigned reading of a narrow integer."""
    width = _integer_width(source)
    if width is None or not is_narrow(source, storage):
        return value
    return emit(arith.AndIOp(value, emit(arith.ConstantOp(IntegerAttr((1 << width) - 1, i32)))))


def _integer_width(type_: Attribute) -> int | None:
    return cast(IntegerType, type_).width.data if isinstance(type_, IntegerType) else None


def _fit(value: SSAValue, type_: Attribute, storage: Mapping[Attribute, Attribute], emit: Emit) -> SSAValue:
    """`value` rounded or wrapped to what `type_` can hold."""
    if not is_narrow(type_, storage):
        return value
    if (width := _integer_width(type_)) is not None:
        by = emit(arith.ConstantOp(IntegerAttr(32 - width, i32)))
        return emit(arith.ShRSIOp(emit(arith.ShLIOp(value, by)), by))
    return fit_float(value, type_, emit)


def fit_float(value: SSAValue, type_: Attribute, emit: Emit) -> SSAValue:
    """The f32 `value` rounded to the narrow float `type_`."""
    return round_float(Num(KERNEL.machine(emit, value), value), NARROW[str(cast(AnyFloat, type_))]).handle
