"""Floats narrower than f32, which are kept as their bits, to f32 and back by integer arithmetic, alike on all chips."""

from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float64Type, f16, f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue

from rlx_passes.lowerings.to_llvm.code import EXACT, Code
from rlx_passes.lowerings.to_llvm.types import NARROW, element_of, held, like


class Format(NamedTuple):
    """The bits of exponent and fraction, the exponent of 1, the bits of a NaN, and the first that no number has."""

    exponent: int
    fraction: int
    bias: int
    nan: int
    beyond: int


FORMATS: dict[str, Format] = {
    "f16": Format(5, 10, 15, 0x7E00, 0x7C00),
    "f8E5M2": Format(5, 2, 15, 0x7E, 0x7C),
    "f8E4M3FN": Format(4, 3, 7, 0x7F, 0x7F),
}


def is_narrow(type_: Attribute) -> bool:
    """Whether values of the scalar or vector type `type_` are kept as bits."""
    return type(element_of(type_)) in NARROW


def to_f32(code: Code, value: SSAValue, type_: Attribute, *, half: bool) -> SSAValue:
    """The f32 that is equal to `value`, bits of `type_`; `half` where the chip has an instruction for f16."""
    element, wide, integers = element_of(type_), like(type_, f32), like(type_, i32)
    if isinstance(element, Float16Type) and half:
        return code.unary(llvm.FPExtOp, code.unary(llvm.BitcastOp, value, like(type_, f16)), wide)
    bits = code.unary(llvm.ZExtOp, value, integers)
    if isinstance(element, BFloat16Type):
        return code.unary(llvm.BitcastOp, code.binary(llvm.ShlOp, bits, 16), wide)
    exponent, fraction, bias, _, beyond = FORMATS[str(element)]
    sign_bit = 1 << (exponent + fraction)
    size = code.binary(llvm.AndOp, bits, sign_bit - 1)
    sign = code.binary(llvm.ShlOp, code.binary(llvm.AndOp, bits, sign_bit), 31 - exponent - fraction)
    placed = code.binary(llvm.ShlOp, size, 23 - fraction)
    normal = code.binary(llvm.AddOp, placed, (127 - bias) << 23)
    step = code.floating(2.0 ** (1 - bias - fraction), wide)
    small = code.float_binary(llvm.FMulOp, code.unary(llvm.SIToFPOp, size, wide), step)
    special = code.binary(llvm.OrOp, placed, 0x7F800000)
    finite = code.select(code.compare("ult", size, 1 << fraction), code.unary(llvm.BitcastOp, small, integers), normal)
    magnitude = code.select(code.compare("uge", size, beyond), special, finite)
    return code.unary(llvm.BitcastOp, code.binary(llvm.OrOp, magnitude, sign), wide)


def from_f32(code: Code, value: SSAValue, type_: Attribute, *, half: bool) -> SSAValue:
    """The bits of the number of `type_` that is nearest to the f32 `value`, of two the even one."""
    element, integers = element_of(type_), like(type_, i32)
    if isinstance(element, Float16Type) and half:
        return code.unary(llvm.BitcastOp, code.unary(llvm.FPTruncOp, value, like(type_, f16)), held(type_))
    bits = code.unary(llvm.BitcastOp, value, integers)
    if isinstance(element, BFloat16Type):
        nan = code.binary(llvm.OrOp, code.binary(llvm.LShrOp, bits, 16), 0x40)
        rounded = _shifted_to_even(code, bits, 16)
        result = code.select(code.float_compare("uno", value, value), nan, rounded)
        return code.unary(llvm.TruncOp, result, held(type_))
    exponent, fraction, bias, nan, beyond = FORMATS[str(element)]
    size = code.binary(llvm.AndOp, bits, 0x7FFFFFFF)
    sign = code.binary(llvm.LShrOp, code.binary(llvm.AndOp, bits, 1 << 31), 31 - exponent - fraction)
    normal = code.binary(llvm.SubOp, _shifted_to_even(code, size, 23 - fraction), (127 - bias) << fraction)
    # A sum with a number whose last place is the step of the smallest numbers rounds to that step.
    base = code.floating(2.0 ** (24 - bias - fraction), like(type_, f32))
    moved = code.float_binary(llvm.FAddOp, code.unary(llvm.BitcastOp, size, like(type_, f32)), base)
    moved, base = (code.unary(llvm.BitcastOp, each, integers) for each in (moved, base))
    small = code.binary(llvm.SubOp, moved, base)
    finite = code.select(code.compare("ult", size, (128 - bias) << 23), small, normal)
    limited = code.intrinsic("umin", (finite, code.integer(beyond, integers)), integers)
    magnitude = code.select(code.compare("ugt", size, 0x7F800000), code.integer(nan, integers), limited)
    return code.unary(llvm.TruncOp, code.binary(llvm.OrOp, magnitude, sign), held(type_))


def _shifted_to_even(code: Code, bits: SSAValue, shift: int) -> SSAValue:
    """`bits / 2**shift`, rounded to the nearest integer, of two to the even one."""
    odd = code.binary(llvm.AndOp, code.binary(llvm.LShrOp, bits, shift), 1)
    raised = code.binary(llvm.AddOp, code.binary(llvm.AddOp, bits, (1 << (shift - 1)) - 1), odd)
    return code.binary(llvm.LShrOp, raised, shift)


def odd_f32(code: Code, value: SSAValue) -> SSAValue:
    """An f32 next to the f64 `value`, odd if not equal, so that rounding it once more is rounding `value`."""
    wide, integers = like(value.type, f32), like(value.type, i32)
    near = code.unary(llvm.FPTruncOp, value, wide)
    back = code.unary(llvm.FPExtOp, near, value.type)
    bits = code.unary(llvm.BitcastOp, near, integers)
    sizes = [code.emit(llvm.FAbsOp, (each,), value.type, fastmathFlags=EXACT) for each in (back, value)]
    above = code.unary(llvm.ZExtOp, code.float_compare("ogt", sizes[0], sizes[1]), integers)
    below = code.binary(llvm.OrOp, code.binary(llvm.SubOp, bits, above), 1)
    inexact = code.float_compare("one", back, value)
    return code.unary(llvm.BitcastOp, code.select(inexact, below, bits), wide)


def fused(code: Code, factors: tuple[SSAValue, SSAValue], addend: SSAValue) -> SSAValue:
    """
    `a * b + c` for f32, as an f64 that is odd if not equal, so that rounding it is rounding the sum.

    The product has no error in f64; that of the sum is computed (by Knuth's sum of two).
    """
    wide, integers = like(addend.type, f64), like(addend.type, i64)
    left, right, other = (code.unary(llvm.FPExtOp, each, wide) for each in (*factors, addend))
    product = code.float_binary(llvm.FMulOp, left, right)
    total = code.float_binary(llvm.FAddOp, product, other)
    part = code.float_binary(llvm.FSubOp, total, product)
    rest = code.float_binary(llvm.FSubOp, product, code.float_binary(llvm.FSubOp, total, part))
    error = code.float_binary(llvm.FAddOp, rest, code.float_binary(llvm.FSubOp, other, part))
    bits, signs = (code.unary(llvm.BitcastOp, each, integers) for each in (total, error))
    above = code.binary(llvm.LShrOp, code.binary(llvm.XOrOp, bits, signs), 63)
    below = code.binary(llvm.OrOp, code.binary(llvm.SubOp, bits, above), 1)
    inexact = code.float_compare("one", error, code.floating(0.0, wide))
    return code.unary(llvm.BitcastOp, code.select(inexact, below, bits), wide)


def converted(code: Code, value: SSAValue, source: Attribute, target: Attribute, *, half: bool) -> SSAValue:
    """A float of type `source` as the nearest of type `target`."""
    if source == target:
        return value
    if is_narrow(source):
        value, source = to_f32(code, value, source, half=half), like(source, f32)
    if is_narrow(target):
        if isinstance(element_of(source), Float64Type):
            value = odd_f32(code, value)
        return from_f32(code, value, target, half=half)
    if source == target:
        return value
    op = llvm.FPTruncOp if element_of(source) == f64 else llvm.FPExtOp
    return code.unary(op, value, held(target))
