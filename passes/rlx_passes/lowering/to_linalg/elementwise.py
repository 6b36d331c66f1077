"""Elementwise ops: one parallel linalg op each; the formulas are those of `rlx_dialect.reference.elementwise`."""

import math as reals
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from xdsl.dialects import arith, complex, math
from xdsl.dialects.builtin import ComplexType, i1
from xdsl.ir import Operation

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
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
from rlx_passes.lowering.to_linalg import special
from rlx_passes.lowering.to_linalg.builder import LinalgBuilder, Lowerings, Tensor
from rlx_passes.lowering.to_linalg.scalars import Scalar, bits

Unary = Callable[[Scalar], Scalar]
Binary = Callable[[Scalar, Scalar], Scalar]


def _gelu(x: Scalar) -> Scalar:
    """`0.5 x erfc(-x / sqrt 2)`: the tail for very negative x keeps its relative precision."""
    return 0.5 * x * special.erfc(x * -reals.sqrt(0.5))


def _gelu_approx(x: Scalar) -> Scalar:
    return 0.5 * x * (1.0 + special.tanh(reals.sqrt(2.0 / reals.pi) * (x + 0.044715 * x * x * x)))


def _sigmoid(x: Scalar) -> Scalar:
    return 1.0 / (1.0 + (-x).exp())


def _relu(x: Scalar) -> Scalar:
    return x.maximum(0)


def _sign(x: Scalar) -> Scalar:
    if x.is_float:
        one = x.constant(1.0).with_sign_of(x)
        return (x.equals(0.0) | x.is_nan()).where(x, one)
    return (x > 0).where(1, (x < 0).where(x.constant(-1), x.constant(0)))


def _elu(x: Scalar) -> Scalar:
    return (x > 0.0).where(x, x.math(math.ExpM1Op))


def _hard_sigmoid(x: Scalar) -> Scalar:
    return (x / 6.0 + 0.5).maximum(0.0).minimum(1.0)


def _math(op: Callable[..., Operation]) -> Unary:
    return lambda x: x.math(op)


ACTIVATIONS: Mapping[Activation, Unary] = {
    Activation.GELU: _gelu,
    Activation.GELU_APPROX: _gelu_approx,
    Activation.SILU: lambda x: x / (1.0 + (-x).exp()),
    Activation.RELU: _relu,
    Activation.SIGMOID: _sigmoid,
    Activation.TANH: special.tanh,
    Activation.EXP: Scalar.exp,
    Activation.LOG: _math(math.LogOp),
    Activation.SQRT: _math(math.SqrtOp),
    Activation.RSQRT: lambda x: 1.0 / x.math(math.SqrtOp),
    Activation.NEG: lambda x: -x,
    Activation.ABS: Scalar.abs,
    Activation.SIN: special.sin,
    Activation.COS: special.cos,
    Activation.TAN: special.tan,
    Activation.ATAN: special.atan,
    Activation.RECIP: lambda x: 1.0 / x,
    Activation.ROUND: _math(math.RoundEvenOp),
    Activation.FLOOR: _math(math.FloorOp),
    Activation.CEIL: _math(math.CeilOp),
    Activation.SIGN: _sign,
    Activation.SOFTPLUS: special.softplus,
    Activation.ELU: _elu,
    Activation.ERF: special.erf,
    Activation.HARD_SWISH: lambda x: x * (x + 3.0).maximum(0.0).minimum(6.0) / 6.0,
    Activation.HARD_SIGMOID: _hard_sigmoid,
    Activation.MISH: lambda x: x * special.tanh(special.softplus(x)),
    Activation.SOFTSIGN: lambda x: x / (1.0 + x.abs()),
    Activation.LOG_SIGMOID: lambda x: x.minimum(0.0) - special.log1p((-x.abs()).exp()),
}
"""What each activation does with one element."""


def _power(a: Scalar, b: Scalar) -> Scalar:
    if isinstance(a.type, ComplexType):
        return a.build(complex.PowOp(a.value, b.value))
    return a.build(math.PowFOp(a.value, b.value)) if a.is_float else special.integer_power(a, b)


def _remainder(a: Scalar, b: Scalar) -> Scalar:
    if a.is_float:
        return special.fmod(a, b)
    return a.build((arith.RemUIOp if a.unsigned else arith.RemSIOp)(a.value, b.value))


def _shift_left(a: Scalar, b: Scalar) -> Scalar:
    """Past the width nothing is left."""
    return _in_range(b).where(a.build(arith.ShLIOp(a.value, b.value)), 0)


def _shift_right(a: Scalar, b: Scalar) -> Scalar:
    """Past the width nothing but the sign is left."""
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
    BinaryKind.ATAN2: special.atan2,
}
"""What each binary kind does with two elements."""


def _activation(op: ActivationOp, b: LinalgBuilder) -> Sequence[Tensor]:
    x = b.tensor(op.input)
    return [b.elementwise([x], x.element, ACTIVATIONS[op.activation])]


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


def _is_finite(op: IsFiniteOp, b: LinalgBuilder) -> Sequence[Tensor]:
    """Below infinity in size, which NaN is not. (`x - x == 0` would do as well, were shader compilers not to fold it.)"""
    return [b.elementwise([b.tensor(op.input)], i1, lambda x: x.abs() < reals.inf)]


def _unary(function: Unary, op: ErfcOp | Log1pOp | Expm1Op | LogicalNotOp, b: LinalgBuilder) -> Sequence[Tensor]:
    x = b.tensor(op.input)
    return [b.elementwise([x], x.element, function)]


LOWERINGS: Lowerings = {
    ActivationOp: _activation,
    BinaryOp: _binary,
    CastOp: _cast,
    CompareOp: _compare,
    ErfcOp: partial(_unary, special.erfc),
    Expm1Op: partial(_unary, _math(math.ExpM1Op)),
    IsFiniteOp: _is_finite,
    Log1pOp: partial(_unary, special.log1p),
    LogicalNotOp: partial(_unary, Scalar.__invert__),
    WhereOp: _where,
}
