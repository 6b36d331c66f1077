"""Integers as bits."""

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.dtypes import dtype_of, is_float, is_unsigned
from rlx_dialect.ops import BinaryOp, CastOp, LogicalNotOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.frontends.stablehlo.vocabulary import Arithmetic
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import integer_width, splat_number

AND, OR, SHR = BinaryKind.BIT_AND, BinaryKind.BIT_OR, BinaryKind.SHR


def _not(op: unary.NotOp, emit: Emitter) -> SSAValue:
    element = shaped(op.operand).element
    if element == i1:
        return emit(LogicalNotOp(op.operand))
    return flipped(Arithmetic(emit, element), op.operand)


def flipped(of: Arithmetic, value: SSAValue) -> SSAValue:
    """Every bit of an integer the other way."""
    ones = (1 << integer_width(of.element)) - 1 if is_unsigned(of.element) else -1
    return of(BinaryKind.BIT_XOR, value, ones)


def shifted_in_zeros(of: Arithmetic, value: SSAValue, by: SSAValue | int) -> SSAValue:
    """
    `value` shifted right, zeros moved in.

    `shr` of a signed value copies the sign, so the first bit goes by itself and takes the sign along:
    `((value >> 1) & MAX) >> (by - 1)`.
    """
    if is_unsigned(of.element):
        return of(SHR, value, by)
    largest = (1 << (integer_width(of.element) - 1)) - 1
    half = of(AND, of(SHR, value, 1), largest)
    if isinstance(by, int):
        return of(SHR, half, by - 1) if by else value
    return of.where(of(CompareKind.EQ, by, 0), value, of(SHR, half, of(BinaryKind.SUB, by, 1)))


def _shift_right_logical(op: binary.ShiftRightLogicalOp, emit: Emitter) -> SSAValue:
    return shifted_in_zeros(Arithmetic(emit, shaped(op.lhs).element), op.lhs, op.rhs)


def _shift_right_arithmetic(op: binary.ShiftRightArithmeticOp, emit: Emitter) -> SSAValue:
    """The bits of an unsigned value are taken for those of a signed one."""
    element = shaped(op.lhs).element
    if not is_unsigned(element):
        return emit(BinaryOp(SHR, op.lhs, op.rhs))
    signed = IntegerType(integer_width(element))
    shifted = emit(BinaryOp(SHR, emit(CastOp(op.lhs, signed)), emit(CastOp(op.rhs, signed))))
    return emit(CastOp(shifted, element))


def _repeated(pattern: int, width: int) -> int:
    """A byte in each byte of a word."""
    return int.from_bytes(bytes([pattern]) * (width // 8), "little")


def _constant(number: int, element: Attribute) -> int:
    """The value of an integer type with these bits."""
    width = integer_width(element)
    return number if is_unsigned(element) or number < 1 << (width - 1) else number - (1 << width)


def _ones(of: Arithmetic, value: SSAValue) -> SSAValue:
    """How many bits are set, counted in pairs, in fours, in bytes, then over all bytes by one product."""
    width = integer_width(of.element)
    if width % 8:
        raise Refusal(f"counts the bits of {of.element}")

    def mask(pattern: int) -> int:
        return _constant(_repeated(pattern, width), of.element)

    pairs = of(BinaryKind.SUB, value, of(AND, of(SHR, value, 1), mask(0x55)))
    fours = of(BinaryKind.ADD, of(AND, pairs, mask(0x33)), of(AND, of(SHR, pairs, 2), mask(0x33)))
    bytes_ = of(AND, of(BinaryKind.ADD, fours, of(SHR, fours, 4)), mask(0x0F))
    return of(SHR, of(BinaryKind.MUL, bytes_, mask(0x01)), width - 8) if width > 8 else bytes_


def _popcnt(op: unary.PopulationCountOp, emit: Emitter) -> SSAValue:
    return _ones(Arithmetic(emit, shaped(op.operand).element), op.operand)


def _count_leading_zeros(op: unary.CountLeadingZerosOp, emit: Emitter) -> SSAValue:
    """All bits below the first one set, and the rest counted."""
    element = shaped(op.operand).element
    of, width, value = Arithmetic(emit, element), integer_width(element), op.operand
    step = 1
    while step < width:
        value = of(OR, value, shifted_in_zeros(of, value, step))
        step *= 2
    return of(BinaryKind.SUB, width, _ones(of, value))


def _bitcast_convert(op: unary.BitcastConvertOp, emit: Emitter) -> SSAValue:
    """
    Integers of one width are one another; so is a float in `[1, 2)` and the bits of its fraction.

    The latter is how JAX makes uniform numbers: `bitcast(bits >> 9 | bits of 1.0)` is `1 + (bits >> 9) / 2^23`.
    """
    before, after = shaped(op.operand).element, shaped(op.result).element
    if before == after:
        return op.operand
    if _integer(before) and _integer(after) and integer_width(before) == integer_width(after):
        return emit(CastOp(op.operand, after))
    fraction = _fraction(op.operand, after)
    if fraction is None:
        raise Refusal(f"reads the bits of {before} as {after}")
    of, digits = Arithmetic(emit, after), DIGITS[dtype_of(after).name]
    return of(BinaryKind.ADD, of(BinaryKind.MUL, emit(CastOp(fraction, after)), 2.0**-digits), 1.0)


DIGITS = {"f32": 23, "f16": 10, "bf16": 7}
"""The bits of the fraction of a float."""
ONES = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}
"""The bits of 1.0."""


def _integer(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element != i1


def _fraction(bits: SSAValue, element: Attribute) -> SSAValue | None:
    """The fraction in `fraction | bits of 1.0`, where it is known to have no other bits."""
    name = dtype_of(element).name
    either = bits.owner
    if not is_float(element) or name not in ONES or not isinstance(either, BinaryOp) or either.binary is not OR:
        return None
    for fraction, one in ((either.lhs, either.rhs), (either.rhs, either.lhs)):
        shift = fraction.owner
        if splat_number(one) != ONES[name] or not isinstance(shift, BinaryOp) or shift.binary is not SHR:
            continue
        kept = splat_number(shift.rhs)
        width = integer_width(shaped(bits).element)
        if is_unsigned(shaped(bits).element) and kept == width - DIGITS[name]:
            return fraction
    return None


RULES: Rules = {
    binary.ShiftRightArithmeticOp: _shift_right_arithmetic,
    binary.ShiftRightLogicalOp: _shift_right_logical,
    unary.BitcastConvertOp: _bitcast_convert,
    unary.CountLeadingZerosOp: _count_leading_zeros,
    unary.NotOp: _not,
    unary.PopulationCountOp: _popcnt,
}
