"""Elementwise ops."""

from collections.abc import Mapping

from xdsl.dialects.builtin import f32, f64, i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.dtypes import is_complex, is_float, is_integer, is_unsigned
from rlx_dialect.formulas import Num
from rlx_dialect.formulas.precise import product_and_sum, sum_to_odd, to_odd
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ErfcOp,
    Expm1Op,
    FmaOp,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    WhereOp,
)
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType, ComparisonTypeAttr
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.machine import StableMachine, function_of
from rlx_passes.lowerings.to_stablehlo.vocabulary import broadcast_together, cast_to, splat
from rlx_passes.rewriting.conversion import Rule, Rules
from rlx_passes.rewriting.vocabulary import integer_width, splat_number

ON_OTHERS: Mapping[Activation, type[unary.UnaryOp]] = {
    Activation.EXP: unary.ExponentialOp,
    Activation.NEG: unary.NegateOp,
    Activation.SIGN: unary.SignOp,
}
"""Activations of integers and complex numbers that are one op."""

BINARIES: dict[BinaryKind, type[binary.BinaryOp]] = {
    BinaryKind.ADD: binary.AddOp,
    BinaryKind.SUB: binary.SubtractOp,
    BinaryKind.MUL: binary.MultiplyOp,
    BinaryKind.DIV: binary.DivideOp,
    BinaryKind.MAX: binary.MaximumOp,
    BinaryKind.MIN: binary.MinimumOp,
    BinaryKind.POW: binary.PowerOp,
    BinaryKind.MOD: binary.RemainderOp,
    BinaryKind.BIT_AND: binary.AndOp,
    BinaryKind.BIT_OR: binary.OrOp,
    BinaryKind.BIT_XOR: binary.XorOp,
    BinaryKind.SHL: binary.ShiftLeftOp,
    BinaryKind.ATAN2: binary.Atan2Op,
}

OF_FLOATS = (BinaryKind.POW, BinaryKind.MOD, BinaryKind.ATAN2)
"""Kinds that are a function of the formulas on floats."""


def _activation(op: ActivationOp, emit: StableEmitter) -> SSAValue:
    kind, x = op.activation, shaped(op.input)
    if is_float(x.element):
        return function_of(kind.value, emit, op.input)
    if kind is Activation.ABS:
        return op.input if is_unsigned(x.element) else emit(unary.AbsOp(op.input, op.input.type))
    if kind is Activation.RELU:
        return emit(binary.MaximumOp(op.input, splat(emit, sized(op.input), 0)))
    if kind is Activation.SIGN and is_unsigned(x.element):
        return emit(binary.MinimumOp(op.input, splat(emit, sized(op.input), 1)))
    return emit(ON_OTHERS[kind](op.input))


def _binary(op: BinaryOp, emit: StableEmitter) -> SSAValue:
    kind, (lhs, rhs) = op.binary, broadcast_together(emit, op.lhs, op.rhs)
    element = shaped(lhs).element
    if kind in OF_FLOATS and is_float(element):
        return function_of(kind.value, emit, lhs, rhs)
    if element == i1:
        return _of_truths(kind, emit, lhs, rhs)
    if kind is BinaryKind.POW and is_integer(element):
        return _integer_power(emit, lhs, rhs)
    if kind in (BinaryKind.DIV, BinaryKind.MOD) and is_integer(element):
        return _divided(emit, kind, lhs, rhs)
    return emit(binary_op(kind, element)(lhs, rhs))


def _of_truths(kind: BinaryKind, emit: StableEmitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """A kind on single bits, of which StableHLO has no powers and shifts."""
    match kind:
        case BinaryKind.DIV:
            return emit(binary.AndOp(lhs, rhs))
        case BinaryKind.MOD:
            return emit(binary.XorOp(lhs, lhs))
        case BinaryKind.POW:
            return emit(binary.OrOp(lhs, emit(unary.NotOp(rhs))))
        case BinaryKind.SHL | BinaryKind.SHR:
            return emit(binary.AndOp(lhs, emit(unary.NotOp(rhs))))
        case _:
            return emit(binary_op(kind, i1)(lhs, rhs))


def _divided(emit: StableEmitter, kind: BinaryKind, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """The quotient or the rest of integers, 0 for a zero divisor, of which StableHLO says nothing."""
    like = sized(rhs)
    if splat_number(rhs) not in (None, 0):
        return emit(BINARIES[kind](lhs, rhs))
    zero = splat(emit, like, 0)
    none = emit(binary.CompareOp(ComparisonDirection.EQ, rhs, zero, comparison_type(like.element)))
    safe = emit(binary.SelectOp(none, splat(emit, like, 1), rhs))
    return emit(binary.SelectOp(none, zero, emit(BINARIES[kind](lhs, safe))))


def _integer_power(emit: StableEmitter, base: SSAValue, exponent: SSAValue) -> SSAValue:
    """Digit by digit of 6 bits, for XLA reads no more of an exponent. A negative one is left to it whole."""
    like, known = sized(exponent), splat_number(exponent)
    if isinstance(known, int) and known < 64:
        return emit(binary.PowerOp(base, exponent))
    mask, six = splat(emit, like, 63), splat(emit, like, 6)
    width = integer_width(like.element)
    digit, rest = emit(binary.AndOp(exponent, mask)), exponent
    if not is_unsigned(like.element):
        width -= 1
        zero = splat(emit, like, 0)
        rest = emit(binary.MaximumOp(exponent, zero))
        digit = emit(binary.SelectOp(_less(emit, exponent, zero), exponent, digit))
    result = emit(binary.PowerOp(base, digit))
    for _ in range(6, width, 6):
        base = emit(binary.MultiplyOp(emit(binary.PowerOp(base, mask)), base))
        rest = emit(binary.ShiftRightLogicalOp(rest, six))
        digit = emit(binary.PowerOp(base, emit(binary.AndOp(rest, mask))))
        result = emit(binary.MultiplyOp(result, digit))
    return result


def _less(emit: StableEmitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return emit(binary.CompareOp(ComparisonDirection.LT, lhs, rhs, comparison_type(shaped(lhs).element)))


def binary_op(kind: BinaryKind, element: Attribute) -> type[binary.BinaryOp]:
    """The op of a kind on elements of a type. A difference of truth values asks whether they differ."""
    if kind is BinaryKind.SHR:
        return binary.ShiftRightLogicalOp if is_unsigned(element) else binary.ShiftRightArithmeticOp
    return binary.XorOp if kind is BinaryKind.SUB and element == i1 else BINARIES[kind]


def comparison_type(element: Attribute) -> ComparisonTypeAttr:
    """How elements of a type are compared."""
    if is_float(element) or is_complex(element):
        return ComparisonTypeAttr(ComparisonType.FLOAT)
    return ComparisonTypeAttr(ComparisonType.UNSIGNED if is_unsigned(element) else ComparisonType.SIGNED)


def _compare(op: CompareOp, emit: StableEmitter) -> SSAValue:
    lhs, rhs = broadcast_together(emit, op.lhs, op.rhs)
    direction = ComparisonDirection(op.comparison.value.upper())
    return emit(binary.CompareOp(direction, lhs, rhs, comparison_type(shaped(lhs).element)))


def _where(op: WhereOp, emit: StableEmitter) -> SSAValue:
    return emit(binary.SelectOp(*broadcast_together(emit, op.condition, op.on_true, op.on_false)))


def _cast(op: CastOp, emit: StableEmitter) -> SSAValue:
    source, target = shaped(op.input), shaped(op.result).element
    if source.element == f64 and is_float(target) and target not in (f32, f64):
        # XLA rounds to f32 first.
        odd = to_odd(Num(StableMachine(emit, op.input), op.input))
        return cast_to(emit, cast_to(emit, odd.handle, f32), target)
    return cast_to(emit, op.input, target)


def _fma(op: FmaOp, emit: StableEmitter) -> SSAValue:
    """In f32 the product of two narrower floats is exact, and their sum to odd is rounded once."""
    element = sized(op.result).element
    wide = element if element in (f32, f64) else f32
    sides = (cast_to(emit, each, wide) for each in broadcast_together(emit, op.a, op.b, op.c))
    a, b, c = (Num(StableMachine(emit, x), x) for x in sides)
    exact = product_and_sum(a, b, c) if element == wide else sum_to_odd(a * b, c)
    return cast_to(emit, exact.handle, element)


def _is_finite(op: IsFiniteOp, emit: StableEmitter) -> SSAValue:
    return emit(unary.IsFiniteOp(op.input, Shaped(shaped(op.input).dims, i1).type))


def _function(name: str) -> Rule:
    def rule(op: ErfcOp | Expm1Op | Log1pOp, emit: StableEmitter) -> SSAValue:
        return function_of(name, emit, op.input)

    return rule


def _logical_not(op: LogicalNotOp, emit: StableEmitter) -> SSAValue:
    return emit(unary.NotOp(op.input))


RULES: Rules = {
    ActivationOp: _activation,
    BinaryOp: _binary,
    CastOp: _cast,
    CompareOp: _compare,
    ErfcOp: _function("erfc"),
    Expm1Op: _function("expm1"),
    FmaOp: _fma,
    IsFiniteOp: _is_finite,
    Log1pOp: _function("log1p"),
    LogicalNotOp: _logical_not,
    WhereOp: _where,
}
