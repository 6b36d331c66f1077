"""Rules of `arith` and `math`."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    f32,
    f64,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.llvm import FPToSIOp, FPToUIOp, FreezeOp, UIToFPOp
from rlx_passes.lowerings.to_llvm.code import EXACT, WRAPS
from rlx_passes.lowerings.to_llvm.lowering import Lowering, Rule
from rlx_passes.lowerings.to_llvm.narrow import converted, fused, is_narrow
from rlx_passes.lowerings.to_llvm.types import element_of, held, is_vector, like, width_of

_FLAGS: dict[Attribute, llvm.FastMathAttr] = {}
_OVERFLOW: dict[Attribute, IntegerAttr] = {}


def flags_of(op: Operation) -> llvm.FastMathAttr:
    """The freedom that `op` gives to arithmetic on floats."""
    given = op.properties.get("fastmath")
    if given is None:
        return EXACT
    if (known := _FLAGS.get(given)) is None:
        known = _FLAGS[given] = llvm.FastMathAttr(cast("arith.FastMathFlagsAttr", given).data)
    return known


def _overflow_of(op: Operation) -> IntegerAttr:
    given = op.properties.get("overflowFlags")
    if given is None:
        return WRAPS
    if (known := _OVERFLOW.get(given)) is None:
        flags = {flag.value for flag in cast("arith.IntegerOverflowAttr", given).data}
        known = _OVERFLOW[given] = IntegerAttr(("nsw" in flags) + 2 * ("nuw" in flags), i32)
    return known


# Constants.


def constant(low: Lowering, op: arith.ConstantOp) -> None:
    type_, value = op.result.type, op.value
    if isinstance(type_, IndexType):
        low.set(op.result, cast("IntegerAttr", value).value.data)
    elif isinstance(value, IntegerAttr):
        low.set(op.result, low.code.integer(value.value.data, held(type_)))
    elif isinstance(value, FloatAttr):
        low.set(op.result, _float_constant(low, cast("FloatAttr[Any]", value), type_))
    elif isinstance(value, DenseIntOrFPElementsAttr) and is_vector(type_):
        bits = VectorType(element_of(held(type_)), type_.shape)
        dense = value if bits == type_ else DenseIntOrFPElementsAttr(cast("Any", bits), value.data)
        low.set(op.result, low.code.constant(dense, held(type_)))
    else:
        raise Refusal(f"has a constant of {type_}, which no register holds")


def _float_constant(low: Lowering, value: FloatAttr[Any], type_: Attribute) -> SSAValue:
    if not is_narrow(type_):
        return low.code.constant(value, type_)
    packed = cast("AnyFloat", type_).pack([value.value.data])
    return low.code.integer(int.from_bytes(packed, "little"), held(type_))


# Integers.

_KNOWN: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: int.__add__,
    arith.SubiOp: int.__sub__,
    arith.MuliOp: int.__mul__,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.FloorDivSIOp: lambda x, y: x // y,
    arith.CeilDivSIOp: lambda x, y: -(-x // y),
}
"""What ops make of two integers of 64 bits that are known; of natural numbers in the case of divisions."""

_NATURAL: dict[type[Operation], Callable[[int, int], int]] = {
    arith.DivSIOp: int.__floordiv__,
    arith.DivUIOp: int.__floordiv__,
    arith.CeilDivUIOp: lambda x, y: -(-x // y),
    arith.RemSIOp: int.__mod__,
    arith.RemUIOp: int.__mod__,
}


def _folded(low: Lowering, op: Operation) -> int | None:
    """The result of an op on integers that are known; None where it must be computed."""
    known = [low.of(operand) for operand in op.operands]
    if not all(isinstance(each, int) for each in known):
        return None
    left, right = cast("list[int]", known)
    if type(op) in _NATURAL or type(op) in (arith.FloorDivSIOp, arith.CeilDivSIOp):
        if left < 0 or right <= 0:
            return None
        result = {**_KNOWN, **_NATURAL}[type(op)](left, right)
    elif (rule := _KNOWN.get(type(op))) is not None:
        result = rule(left, right)
    else:
        return None
    return result if -(2**63) <= result < 2**63 else None


Build = Callable[[Lowering, Operation, SSAValue, SSAValue], SSAValue]


def _integers(build: Build, low: Lowering, op: Operation) -> None:
    if (known := _folded(low, op)) is not None:
        low.set(op.results[0], known)
    else:
        low.set(op.results[0], build(low, op, low.ssa(op.operands[0]), low.ssa(op.operands[1])))


def _wrapping(target: type[Operation]) -> Rule:
    def build(low: Lowering, op: Operation, left: SSAValue, right: SSAValue) -> SSAValue:
        return low.code.emit(target, (left, right), left.type, overflowFlags=_overflow_of(op))

    return partial(_integers, build)


def _plain(target: type[Operation]) -> Rule:
    return partial(_integers, lambda low, _op, left, right: low.code.binary(target, left, right))


def _intrinsic(name: str) -> Rule:
    return partial(_integers, lambda low, _op, left, right: low.code.intrinsic(name, (left, right), left.type))


def _rounded_division(low: Lowering, op: Operation, left: SSAValue, right: SSAValue) -> SSAValue:
    """Divisions of signed integers that round down, or up, where LLVM's round to zero."""
    code, up = low.code, isinstance(op, arith.CeilDivSIOp)
    quotient, rest = code.binary(llvm.SDivOp, left, right), code.binary(llvm.SRemOp, left, right)
    differ = code.compare("slt", code.binary(llvm.XOrOp, rest, right), 0)
    same = code.compare("sgt", code.binary(llvm.XOrOp, rest, right), -1)
    inexact = code.compare("ne", rest, 0)
    moved = code.binary(llvm.AndOp, inexact, same if up else differ)
    other = code.binary(llvm.AddOp, quotient, 1 if up else -1)
    return code.select(moved, other, quotient)


def _ceiling_of_unsigned(low: Lowering, op: Operation, left: SSAValue, right: SSAValue) -> SSAValue:
    code = low.code
    quotient, rest = code.binary(llvm.UDivOp, left, right), code.binary(llvm.URemOp, left, right)
    return code.binary(llvm.AddOp, quotient, code.unary(llvm.ZExtOp, code.compare("ne", rest, 0), left.type))


def _sum_with_carry(low: Lowering, op: arith.AddUIExtendedOp) -> None:
    left, right = low.ssa(op.lhs), low.ssa(op.rhs)
    total = low.code.binary(llvm.AddOp, left, right)
    low.set(op.sum, total)
    low.set(op.overflow, low.code.compare("ult", total, left))


def _wide_product(extend: type[Operation], low: Lowering, op: arith.MulExtendedBase) -> None:
    code, left, right = low.code, low.ssa(op.lhs), low.ssa(op.rhs)
    width = width_of(left.type)
    wide = like(left.type, IntegerType(2 * width))
    product = code.binary(llvm.MulOp, code.unary(extend, left, wide), code.unary(extend, right, wide))
    low.set(op.low, code.unary(llvm.TruncOp, product, left.type))
    low.set(op.high, code.unary(llvm.TruncOp, code.binary(llvm.LShrOp, product, width), left.type))


def _compare(low: Lowering, op: arith.CmpiOp) -> None:
    order = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    low.set(op.result, low.code.compare(order, low.ssa(op.lhs), low.ssa(op.rhs)))


def _index_cast(low: Lowering, op: arith.IndexCastOp) -> None:
    value, target = low.of(op.input), held(op.result.type)
    if isinstance(value, int):
        low.set(op.result, value if isinstance(op.result.type, IndexType) else low.code.integer(value, target))
    else:
        low.set(op.result, _resized(low, low.ssa(op.input), target))


def _resized(low: Lowering, value: SSAValue, target: Attribute) -> SSAValue:
    """A signed integer in as many bits as `target` has."""
    given, wanted = width_of(value.type), width_of(target)
    if given == wanted:
        return value
    return low.code.unary(llvm.SExtOp if given < wanted else llvm.TruncOp, value, target)


def _convert(target: type[Operation], low: Lowering, op: Operation) -> None:
    low.set(op.results[0], low.code.unary(target, low.ssa(op.operands[0]), held(op.results[0].type)))


# Floats.


def _wide(low: Lowering, value: SSAValue) -> SSAValue:
    """A float, in f32 where its type is narrower."""
    held_value = low.ssa(value)
    if not is_narrow(value.type):
        return held_value
    return converted(low.code, held_value, value.type, like(value.type, f32), half=low.unit.half)


def _set_float(low: Lowering, result: SSAValue, value: SSAValue) -> None:
    """`value` stands for `result`, rounded where the type of `result` is narrower."""
    low.set(result, converted(low.code, value, value.type, result.type, half=low.unit.half))


def _floats(target: type[Operation], low: Lowering, op: Operation) -> None:
    operands = [_wide(low, operand) for operand in op.operands]
    made = low.code.emit(target, operands, operands[0].type, fastmathFlags=flags_of(op))
    _set_float(low, op.results[0], made)


def _float_intrinsic(name: str, low: Lowering, op: Operation) -> None:
    operands = [_wide(low, operand) for operand in op.operands]
    _set_float(low, op.results[0], low.code.intrinsic(name, operands, operands[0].type, flags_of(op)))


def fused_product(low: Lowering, op: Operation) -> None:
    """`a * b + c`, rounded once."""
    result = op.results[0]
    if element_of(result.type) == f64 or (low.unit.fma and not is_narrow(result.type)):
        return _floats(llvm.FMAOp, low, op)
    left, right, addend = (_wide(low, each) for each in op.operands)
    return _set_float(low, result, fused(low.code, (left, right), addend))


def _sign(target: type[Operation], mask: int, narrow: type[Operation], low: Lowering, op: Operation) -> None:
    """Ops on the sign alone, which of narrow floats are ops on bits; `mask` is theirs but for the sign."""
    value, result = low.ssa(op.operands[0]), op.results[0]
    if not is_narrow(result.type):
        return low.set(result, low.code.emit(target, (value,), value.type, fastmathFlags=flags_of(op)))
    sign = 1 << (width_of(value.type) - 1)
    return low.set(result, low.code.binary(narrow, value, (sign - 1) if mask else sign))


def _compare_floats(low: Lowering, op: arith.CmpfOp) -> None:
    order = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    name = f"_{order}" if order in ("true", "false") else order
    low.set(op.result, low.code.float_compare(name, _wide(low, op.lhs), _wide(low, op.rhs), flags_of(op)))


def _convert_float(low: Lowering, op: Operation) -> None:
    value, result = op.operands[0], op.results[0]
    low.set(result, converted(low.code, low.ssa(value), value.type, result.type, half=low.unit.half))


def _to_integer(target: type[Operation], low: Lowering, op: Operation) -> None:
    """What is out of range, NaN included, becomes what the processor makes of it."""
    whole = low.code.unary(target, _wide(low, op.operands[0]), held(op.results[0].type))
    low.set(op.results[0], low.code.unary(FreezeOp, whole))


def _to_float(target: type[Operation], low: Lowering, op: Operation) -> None:
    value, result = low.ssa(op.operands[0]), op.results[0]
    if not is_narrow(result.type):
        return low.set(result, low.code.unary(target, value, held(result.type)))
    return _set_float(low, result, low.code.unary(target, value, like(result.type, f64)))


def _bitcast(low: Lowering, op: arith.BitcastOp) -> None:
    value, target = low.ssa(op.input), held(op.result.type)
    low.set(op.result, value if value.type == target else low.code.unary(llvm.BitcastOp, value, target))


def _select(low: Lowering, op: arith.SelectOp) -> None:
    code, condition, flags = low.code, low.ssa(op.cond), flags_of(op)
    if isinstance(op.result.type, MemRefType | ComplexType):
        pairs = zip(low.spread([op.lhs]), low.spread([op.rhs]))
        low.bind([op.result], [code.select(condition, code.ssa(x), code.ssa(y), flags) for x, y in pairs])
    else:
        low.set(op.result, code.select(condition, low.ssa(op.lhs), low.ssa(op.rhs), flags))


def _bits_counted(name: str, low: Lowering, op: Operation) -> None:
    value = low.ssa(op.operands[0])
    extra = () if name == "ctpop" else (low.code.integer(0, IntegerType(1)),)
    low.set(op.results[0], low.code.intrinsic(name, (value, *extra), value.type))


RULES: dict[type[Operation], Rule] = {
    arith.ConstantOp: constant,
    arith.AddiOp: _wrapping(llvm.AddOp),
    arith.SubiOp: _wrapping(llvm.SubOp),
    arith.MuliOp: _wrapping(llvm.MulOp),
    arith.ShLIOp: _wrapping(llvm.ShlOp),
    **{
        op: _plain(target)
        for op, target in {
            arith.DivSIOp: llvm.SDivOp,
            arith.DivUIOp: llvm.UDivOp,
            arith.RemSIOp: llvm.SRemOp,
            arith.RemUIOp: llvm.URemOp,
            arith.AndIOp: llvm.AndOp,
            arith.OrIOp: llvm.OrOp,
            arith.XOrIOp: llvm.XOrOp,
            arith.ShRSIOp: llvm.AShrOp,
            arith.ShRUIOp: llvm.LShrOp,
        }.items()
    },
    arith.FloorDivSIOp: partial(_integers, _rounded_division),
    arith.CeilDivSIOp: partial(_integers, _rounded_division),
    arith.CeilDivUIOp: partial(_integers, _ceiling_of_unsigned),
    arith.MinSIOp: _intrinsic("smin"),
    arith.MaxSIOp: _intrinsic("smax"),
    arith.MinUIOp: _intrinsic("umin"),
    arith.MaxUIOp: _intrinsic("umax"),
    arith.AddUIExtendedOp: _sum_with_carry,
    arith.MulUIExtendedOp: partial(_wide_product, llvm.ZExtOp),
    arith.MulSIExtendedOp: partial(_wide_product, llvm.SExtOp),
    arith.CmpiOp: _compare,
    arith.IndexCastOp: _index_cast,
    arith.ExtSIOp: partial(_convert, llvm.SExtOp),
    arith.ExtUIOp: partial(_convert, llvm.ZExtOp),
    arith.TruncIOp: partial(_convert, llvm.TruncOp),
    **{
        op: partial(_floats, target)
        for op, target in {
            arith.AddfOp: llvm.FAddOp,
            arith.SubfOp: llvm.FSubOp,
            arith.MulfOp: llvm.FMulOp,
            arith.DivfOp: llvm.FDivOp,
            arith.MaxnumfOp: llvm.VectorFMaxOp,
            arith.MinnumfOp: llvm.VectorFMinOp,
            math.SqrtOp: llvm.FSqrtOp,
            math.FloorOp: llvm.FFloorOp,
            math.CeilOp: llvm.FCeilOp,
            math.CopySignOp: llvm.FCopySignOp,
        }.items()
    },
    arith.MaximumfOp: partial(_float_intrinsic, "maximum"),
    arith.MinimumfOp: partial(_float_intrinsic, "minimum"),
    math.TruncOp: partial(_float_intrinsic, "trunc"),
    # To nearest and even is how floats are rounded here, and unlike `roundeven` every C library has it.
    math.RoundEvenOp: partial(_float_intrinsic, "rint"),
    math.FmaOp: fused_product,
    arith.NegfOp: partial(_sign, llvm.FNegOp, 0, llvm.XOrOp),
    math.AbsFOp: partial(_sign, llvm.FAbsOp, 1, llvm.AndOp),
    math.AbsIOp: lambda low, op: low.set(
        op.results[0],
        low.code.intrinsic("abs", (x := low.ssa(op.operands[0]), low.code.integer(0, IntegerType(1))), x.type),
    ),
    math.CountLeadingZerosOp: partial(_bits_counted, "ctlz"),
    math.CountTrailingZerosOp: partial(_bits_counted, "cttz"),
    math.CtPopOp: partial(_bits_counted, "ctpop"),
    arith.CmpfOp: _compare_floats,
    arith.ExtFOp: _convert_float,
    arith.TruncFOp: _convert_float,
    arith.FPToSIOp: partial(_to_integer, FPToSIOp),
    arith.FPToUIOp: partial(_to_integer, FPToUIOp),
    arith.SIToFPOp: partial(_to_float, llvm.SIToFPOp),
    arith.UIToFPOp: partial(_to_float, UIToFPOp),
    arith.BitcastOp: _bitcast,
    arith.SelectOp: _select,
}
