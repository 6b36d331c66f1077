"""Elementwise ops: one parallel linalg op each; functions of floats are those of `rlx_dialect.formulas`."""

import math as reals
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from xdsl.dialects import arith, complex
from xdsl.dialects.builtin import f32, i1

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.formulas.precise import product_and_sum, sum_to_odd
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ComplexOp,
    ErfcOp,
    Expm1Op,
    FmaOp,
    ImagOp,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    RealOp,
    WhereOp,
)
from rlx_dialect.ops.complex import C64
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Tensor
from rlx_passes.lowerings.to_linalg.scalars import Scalar, bits

Unary = Callable[[Scalar], Scalar]
Binary = Callable[[Scalar, Scalar], Scalar]


def _sign(x: Scalar) -> Scalar:
    return (x > 0).where(1, (x < 0).where(x.constant(-1), x.constant(0)))


def _complex_exp(x: Scalar) -> Scalar:
    """By halves of the real part, since a power too large times a small sine need not be; of 0 whatever the angle."""
    angle, half = x.imaginary(), activation(Activation.EXP, x.real() * 0.5)

    def scaled(turn: str) -> Scalar:
        return half.equals(0).where(half, half * angle.function(turn) * half)

    real, imaginary = scaled("cos"), angle.equals(0).where(angle, scaled("sin"))
    return real.build(complex.CreateOp(real.value, imaginary.value, C64), x.type)


ON_OTHERS: Mapping[Activation, Unary] = {
    Activation.ABS: lambda x: x if x.unsigned else x.maximum(-x),
    Activation.EXP: _complex_exp,
    Activation.NEG: lambda x: -x,
    Activation.RELU: lambda x: x.maximum(0),
    Activation.SIGN: _sign,
}
"""The activations of integers and complex numbers."""


def _exp(x: Scalar) -> Scalar:
    """IREE's function of f32 is off by up to 4.7 units where the result is nearly infinite: there it is e times one."""
    far = x > 88.0
    return (x - far.where(1.0, x.constant(0.0))).exp() * far.where(reals.e, x.constant(1.0))


def activation(kind: Activation, x: Scalar) -> Scalar:
    """What an activation does with one element."""
    if kind is Activation.EXP and x.type == f32 and x.natives.strict:
        return _exp(x)
    return x.function(kind.value) if x.is_float else ON_OTHERS[kind](x)


def _power(a: Scalar, b: Scalar) -> Scalar:
    return a.function("pow", b) if a.is_float else integer_power(a, b)


def integer_power(a: Scalar, b: Scalar) -> Scalar:
    """
    `a` to the power `b`, wrapped, by one squaring for each bit of b.

    To a negative power 1 stays 1, -1 alternates, and all else is 0.
    """
    if a.type == i1:
        return a | ~b
    width = bits(a.type) if a.unsigned else bits(a.type) - 1
    zero, one = a.constant(0), a.constant(1)
    result, square = one, a
    for bit in range(width):
        wanted = (b & a.constant(1 << bit)).differs(zero)
        result = wanted.where(result * square, result)
        if bit < width - 1:
            square = square * square
    if a.unsigned:
        return result
    odd = (b & one).differs(zero)
    alternating = odd.where(a, one)
    inverse = (a.equals(1) | a.equals(-1)).where(alternating, zero)
    return (b < 0).where(inverse, result)


def _remainder(a: Scalar, b: Scalar) -> Scalar:
    if a.is_float:
        return a.function("mod", b)
    return a.remainder(b)


def _shift_left(a: Scalar, b: Scalar) -> Scalar:
    """Past the width nothing is left."""
    if a.type == i1:
        return a & ~b
    return _in_range(b).where(a.build(arith.ShLIOp(a.value, b.value)), 0)


def _shift_right(a: Scalar, b: Scalar) -> Scalar:
    """Past the width nothing but the sign is left."""
    if a.type == i1:
        return a & ~b
    if a.unsigned:
        return _in_range(b).where(a.build(arith.ShRUIOp(a.value, b.value)), 0)
    most = _in_range(b).where(b, bits(a.type) - 1)
    return a.build(arith.ShRSIOp(a.value, most.value))


def _in_range(amount: Scalar) -> Scalar:
    """Whether a shift by `amount` is one that the machine defines; a negative amount is none."""
    limit = amount.constant(bits(amount.type))
    return amount.build(arith.CmpiOp(amount.value, limit.value, "ult"), i1)


BINARIES: Mapping[BinaryKind, Binary] = {
    BinaryKind.ADD: lambda a, b: a + b,
    BinaryKind.SUB: lambda a, b: a - b,
    BinaryKind.MUL: lambda a, b: a * b,
    BinaryKind.DIV: lambda a, b: a / b,
    BinaryKind.MAX: Scalar.maximum,
    BinaryKind.MIN: Scalar.minimum,
    BinaryKind.POW: _power,
    BinaryKind.MOD: _remainder,
    BinaryKind.BIT_AND: lambda a, b: a & b,
    BinaryKind.BIT_OR: lambda a, b: a | b,
    BinaryKind.BIT_XOR: lambda a, b: a ^ b,
    BinaryKind.SHL: _shift_left,
    BinaryKind.SHR: _shift_right,
    BinaryKind.ATAN2: lambda a, b: a.function("atan2", b),
}
"""What each binary kind does with two elements."""


def _activation(op: ActivationOp, b: LinalgBuilder) -> Sequence[Tensor]:
    x = b.tensor(op.input)
    return [b.elementwise([x], x.element, partial(activation, op.activation))]


def _binary(op: BinaryOp, b: LinalgBuilder) -> Sequence[Tensor]:
    lhs, rhs = b.tensor(op.lhs), b.tensor(op.rhs)
    return [b.elementwise([lhs, rhs], lhs.element, BINARIES[op.binary])]


def _compare(op: CompareOp, b: LinalgBuilder) -> Sequence[Tensor]:
    kind: CompareKind = op.comparison
    return [b.elementwise([b.tensor(op.lhs), b.tensor(op.rhs)], i1, lambda x, y: x.compare(kind, y))]


def _where(op: WhereOp, b: LinalgBuilder) -> Sequence[Tensor]:
    inputs = [b.tensor(op.condition), b.tensor(op.on_true), b.tensor(op.on_false)]
    return [b.elementwise(inputs, inputs[1].element, Scalar.where)]


def _cast(op: CastOp, b: LinalgBuilder) -> Sequence[Tensor]:
    return [b.cast(b.tensor(op.input), op.result.type.element_type)]


def _fma(op: FmaOp, b: LinalgBuilder) -> Sequence[Tensor]:
    """In f32 the product of two narrower floats is exact, and their sum to odd is rounded once."""
    inputs = [b.tensor(op.a), b.tensor(op.b), b.tensor(op.c)]
    element = inputs[0].element

    def combined(x: Scalar, y: Scalar, z: Scalar) -> Scalar:
        if x.type == element:
            return x.combined(product_and_sum, y, z)
        return (x * y).combined(sum_to_odd, z)

    return [b.elementwise(inputs, element, combined)]


def _is_finite(op: IsFiniteOp, b: LinalgBuilder) -> Sequence[Tensor]:
    """Finite; NaN is not. (`x - x == 0` would do as well, were shader compilers not to fold it.)"""
    return [b.elementwise([b.tensor(op.input)], i1, lambda x: x.function("abs") < reals.inf)]


def _complex(op: ComplexOp, b: LinalgBuilder) -> Sequence[Tensor]:
    element = op.result.type.element_type

    def made(real: Scalar, imaginary: Scalar) -> Scalar:
        return real.build(complex.CreateOp(real.value, imaginary.value, C64), element)

    return [b.elementwise([b.tensor(op.real), b.tensor(op.imag)], element, made)]


def _part(function: Unary, op: RealOp | ImagOp, b: LinalgBuilder) -> Sequence[Tensor]:
    return [b.elementwise([b.tensor(op.input)], op.result.type.element_type, function)]


def _unary(function: Unary, op: ErfcOp | Log1pOp | Expm1Op | LogicalNotOp, b: LinalgBuilder) -> Sequence[Tensor]:
    x = b.tensor(op.input)
    return [b.elementwise([x], x.element, function)]


LOWERINGS: Lowerings = {
    ActivationOp: _activation,
    BinaryOp: _binary,
    CastOp: _cast,
    CompareOp: _compare,
    ComplexOp: _complex,
    ErfcOp: partial(_unary, lambda x: x.function("erfc")),
    Expm1Op: partial(_unary, lambda x: x.function("expm1")),
    ImagOp: partial(_part, Scalar.imaginary),
    FmaOp: _fma,
    IsFiniteOp: _is_finite,
    Log1pOp: partial(_unary, lambda x: x.function("log1p")),
    LogicalNotOp: partial(_unary, Scalar.__invert__),
    RealOp: partial(_part, Scalar.real),
    WhereOp: _where,
}
