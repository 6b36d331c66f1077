"""Elementwise ops."""

import math
from collections.abc import Callable

from xdsl.dialects.builtin import AnyFloat, i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.dtypes import is_complex, is_float, is_unsigned
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ErfcOp,
    Expm1Op,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    WhereOp,
)
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.conversion import Emitter, Rule, Rules
from rlx_passes.frontend.stablehlo import chlo
from rlx_passes.frontend.stablehlo import elementwise_binary as binary
from rlx_passes.frontend.stablehlo import elementwise_unary as unary
from rlx_passes.frontend.stablehlo.attributes import ComparisonDirection, ComparisonType, ComparisonTypeAttr
from rlx_passes.lowering.to_stablehlo.vocabulary import F32, broadcast_together, cast_to, splat, static

SINGLE: dict[Activation, type[unary.UnaryOp]] = {
    Activation.SIGMOID: unary.LogisticOp,
    Activation.TANH: unary.TanhOp,
    Activation.EXP: unary.ExponentialOp,
    Activation.LOG: unary.LogOp,
    Activation.SQRT: unary.SqrtOp,
    Activation.RSQRT: unary.RsqrtOp,
    Activation.NEG: unary.NegateOp,
    Activation.SIN: unary.SineOp,
    Activation.COS: unary.CosineOp,
    Activation.TAN: unary.TanOp,
    Activation.ROUND: unary.RoundNearestEvenOp,
    Activation.FLOOR: unary.FloorOp,
    Activation.CEIL: unary.CeilOp,
    Activation.SIGN: unary.SignOp,
    Activation.ERF: chlo.ErfOp,
}
"""Activations that are one op."""

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


class Formula:
    """Arithmetic on values of one type, so that a formula reads as one."""

    def __init__(self, emit: Emitter, like: SSAValue):
        self.emit = emit
        self.like = static(like)

    def __call__(self, kind: type[binary.BinaryOp], lhs: SSAValue | float, rhs: SSAValue | float) -> SSAValue:
        """The result of one op; numbers become constants."""
        return self.emit(kind(self.value(lhs), self.value(rhs)))

    def value(self, operand: SSAValue | float) -> SSAValue:
        return operand if isinstance(operand, SSAValue) else splat(self.emit, self.like, operand)

    def unary(self, kind: type[unary.UnaryOp], operand: SSAValue) -> SSAValue:
        return self.emit(kind(operand))

    def clamp(self, low: float, operand: SSAValue, high: float) -> SSAValue:
        return self.emit(binary.ClampOp(self.value(low), operand, self.value(high)))

    def magnitude(self, operand: SSAValue) -> SSAValue:
        return self.emit(unary.AbsOp(operand, operand.type))


def gelu(f: Formula, x: SSAValue) -> SSAValue:
    """`0.5 x erfc(-x / sqrt 2)`"""
    tail = f.unary(chlo.ErfcOp, f(binary.MultiplyOp, x, -math.sqrt(0.5)))
    return f(binary.MultiplyOp, f(binary.MultiplyOp, x, 0.5), tail)


def gelu_approx(f: Formula, x: SSAValue) -> SSAValue:
    """`0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`"""
    cube = f(binary.MultiplyOp, f(binary.MultiplyOp, x, x), x)
    inner = f(binary.AddOp, x, f(binary.MultiplyOp, cube, 0.044715))
    gate = f.unary(unary.TanhOp, f(binary.MultiplyOp, inner, math.sqrt(2 / math.pi)))
    return f(binary.MultiplyOp, f(binary.MultiplyOp, x, 0.5), f(binary.AddOp, gate, 1))


def softplus(f: Formula, x: SSAValue) -> SSAValue:
    """`max(x, 0) + log1p(e^-|x|)`"""
    return f(binary.AddOp, f(binary.MaximumOp, x, 0), log_of_small(f, x))


def log_of_small(f: Formula, x: SSAValue) -> SSAValue:
    """`log1p(e^-|x|)`"""
    return f.unary(unary.LogPlusOneOp, f.unary(unary.ExponentialOp, f.unary(unary.NegateOp, f.magnitude(x))))


def elu(f: Formula, x: SSAValue) -> SSAValue:
    """`x` where positive, else `e^x - 1`"""
    positive = f.emit(binary.CompareOp(ComparisonDirection.GT, x, f.value(0), ComparisonTypeAttr(ComparisonType.FLOAT)))
    low = f.unary(unary.ExponentialMinusOneOp, f(binary.MinimumOp, x, 0))
    return f.emit(binary.SelectOp(positive, x, low))


FORMULAS: dict[Activation, Callable[[Formula, SSAValue], SSAValue]] = {
    Activation.GELU: gelu,
    Activation.GELU_APPROX: gelu_approx,
    Activation.SILU: lambda f, x: f(binary.MultiplyOp, x, f.unary(unary.LogisticOp, x)),
    Activation.RELU: lambda f, x: f(binary.MaximumOp, x, 0),
    Activation.ABS: lambda f, x: f.magnitude(x),
    Activation.ATAN: lambda f, x: f(binary.Atan2Op, x, 1),
    Activation.RECIP: lambda f, x: f(binary.DivideOp, 1, x),
    Activation.SOFTPLUS: softplus,
    Activation.ELU: elu,
    Activation.HARD_SWISH: lambda f, x: f(
        binary.DivideOp, f(binary.MultiplyOp, x, f.clamp(0, f(binary.AddOp, x, 3), 6)), 6
    ),
    Activation.HARD_SIGMOID: lambda f, x: f.clamp(0, f(binary.AddOp, f(binary.DivideOp, x, 6), 0.5), 1),
    Activation.MISH: lambda f, x: f(binary.MultiplyOp, x, f.unary(unary.TanhOp, softplus(f, x))),
    Activation.SOFTSIGN: lambda f, x: f(binary.DivideOp, x, f(binary.AddOp, f.magnitude(x), 1)),
    Activation.LOG_SIGMOID: lambda f, x: f(binary.SubtractOp, f(binary.MinimumOp, x, 0), log_of_small(f, x)),
}
"""Activations that are more than one op. Formulas are those of `rlx_dialect.reference.elementwise`."""


def _activation(op: ActivationOp, emit: Emitter) -> SSAValue:
    """A formula is computed in f32 for narrower floats, and rounded once."""
    kind, element = op.activation, shaped(op.input).element
    if is_unsigned(element) and kind is Activation.ABS:
        return op.input
    if is_unsigned(element) and kind is Activation.SIGN:
        return Formula(emit, op.input)(binary.MinimumOp, op.input, 1)
    if kind in SINGLE:
        return emit(SINGLE[kind](op.input))
    narrow = isinstance(element, AnyFloat) and element.bitwidth < 32
    value = cast_to(emit, op.input, F32) if narrow else op.input
    return cast_to(emit, FORMULAS[kind](Formula(emit, value), value), element)


def _binary(op: BinaryOp, emit: Emitter) -> SSAValue:
    lhs, rhs = broadcast_together(emit, op.lhs, op.rhs)
    return emit(binary_op(op.binary, shaped(lhs).element)(lhs, rhs))


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


def _compare(op: CompareOp, emit: Emitter) -> SSAValue:
    lhs, rhs = broadcast_together(emit, op.lhs, op.rhs)
    direction = ComparisonDirection(op.comparison.value.upper())
    return emit(binary.CompareOp(direction, lhs, rhs, comparison_type(shaped(lhs).element)))


def _where(op: WhereOp, emit: Emitter) -> SSAValue:
    return emit(binary.SelectOp(*broadcast_together(emit, op.condition, op.on_true, op.on_false)))


def _cast(op: CastOp, emit: Emitter) -> SSAValue:
    return cast_to(emit, op.input, shaped(op.result).element)


def _is_finite(op: IsFiniteOp, emit: Emitter) -> SSAValue:
    return emit(unary.IsFiniteOp(op.input, Shaped(shaped(op.input).dims, i1).type))


def _single(kind: type[unary.UnaryOp]) -> Rule:
    def rule(op: ErfcOp | Expm1Op | Log1pOp | LogicalNotOp, emit: Emitter) -> SSAValue:
        return emit(kind(op.input))

    return rule


RULES: Rules = {
    ActivationOp: _activation,
    BinaryOp: _binary,
    CastOp: _cast,
    CompareOp: _compare,
    ErfcOp: _single(chlo.ErfcOp),
    Expm1Op: _single(unary.ExponentialMinusOneOp),
    IsFiniteOp: _is_finite,
    Log1pOp: _single(unary.LogPlusOneOp),
    LogicalNotOp: _single(unary.NotOp),
    WhereOp: _where,
}
