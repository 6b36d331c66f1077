"""Elementwise ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

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
from rlx_dialect.reference.numeric import Array, check_meeting, erf, erfc, rounded, wide


def softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


ACTIVATIONS: dict[Activation, Callable[[Array], Array]] = {
    Activation.GELU: lambda x: 0.5 * x * erfc(-x / math.sqrt(2)),
    Activation.GELU_APPROX: lambda x: x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)),
    Activation.SILU: lambda x: x * sigmoid(x),
    Activation.RELU: lambda x: np.maximum(x, 0),
    Activation.SIGMOID: sigmoid,
    Activation.TANH: np.tanh,
    Activation.EXP: np.exp,
    Activation.LOG: np.log,
    Activation.SQRT: np.sqrt,
    Activation.RSQRT: lambda x: 1 / np.sqrt(x),
    Activation.NEG: np.negative,
    Activation.ABS: np.abs,
    Activation.SIN: np.sin,
    Activation.COS: np.cos,
    Activation.TAN: np.tan,
    Activation.ATAN: np.arctan,
    Activation.RECIP: lambda x: 1 / x,
    Activation.ROUND: np.rint,
    Activation.FLOOR: np.floor,
    Activation.CEIL: np.ceil,
    Activation.SIGN: np.sign,
    Activation.SOFTPLUS: softplus,
    Activation.ELU: lambda x: np.where(x > 0, x, np.expm1(np.where(x > 0, 0, x))),
    Activation.ERF: erf,
    Activation.HARD_SWISH: lambda x: x * (np.clip(x + 3, 0, 6) / 6),
    Activation.HARD_SIGMOID: lambda x: np.clip(x + 3, 0, 6) / 6,
    Activation.MISH: lambda x: x * np.tanh(softplus(x)),
    Activation.SOFTSIGN: lambda x: x / (1 + np.abs(x)),
    Activation.LOG_SIGMOID: lambda x: -softplus(-x),
    Activation.QUICK_GELU: lambda x: x * sigmoid(1.702 * x),
}

COMPARISONS: dict[CompareKind, Callable[[Array, Array], Array]] = {
    CompareKind.EQ: np.equal,
    CompareKind.NE: np.not_equal,
    CompareKind.LT: np.less,
    CompareKind.LE: np.less_equal,
    CompareKind.GT: np.greater,
    CompareKind.GE: np.greater_equal,
}


def divide(a: Array, b: Array) -> Array:
    """Integers are divided towards zero; a zero divisor gives 0, which compiled code need not."""
    if a.dtype.kind not in "iub":
        return a / b
    safe = np.where(b == 0, 1, b)
    floor = a // safe
    return np.where(b == 0, 0, np.where((a % safe != 0) & ((a < 0) != (safe < 0)), floor + 1, floor))


def power(a: Array, b: Array) -> Array:
    """An integer to a negative power is 0, but for bases 1 and -1."""
    if a.dtype.kind != "i":
        return np.power(a, b)
    positive = np.power(a, np.maximum(b, 0))
    inverse = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2 == 0, 1, -1), 0))
    return np.where(b >= 0, positive, inverse)


def remainder(a: Array, b: Array) -> Array:
    return np.fmod(a, np.where(b == 0, 1, b)) if a.dtype.kind in "iub" else np.fmod(a, b)


def shifted(left: bool) -> Callable[[Array, Array], Array]:
    """A shift by at least the width gives 0, or the sign where it is arithmetic."""

    def shift(a: Array, b: Array) -> Array:
        bits = 1 if a.dtype.kind == "b" else a.dtype.itemsize * 8
        inside = (b >= 0) & (b < bits)
        by = np.where(inside, b, 0)
        moved = np.left_shift(a, by) if left else np.right_shift(a, by)
        beyond = np.zeros_like(moved) if left or a.dtype.kind != "i" else np.where(a < 0, -1, 0)
        return np.where(inside, moved, beyond).astype(a.dtype)

    return shift


BINARIES: dict[BinaryKind, Callable[[Array, Array], Array]] = {
    BinaryKind.ADD: np.add,
    BinaryKind.SUB: lambda a, b: a ^ b if a.dtype.kind == "b" else a - b,
    BinaryKind.MUL: np.multiply,
    BinaryKind.DIV: divide,
    BinaryKind.MAX: np.maximum,
    BinaryKind.MIN: np.minimum,
    BinaryKind.POW: power,
    BinaryKind.MOD: remainder,
    BinaryKind.BIT_AND: np.bitwise_and,
    BinaryKind.BIT_OR: np.bitwise_or,
    BinaryKind.BIT_XOR: np.bitwise_xor,
    BinaryKind.SHL: shifted(left=True),
    BinaryKind.SHR: shifted(left=False),
    BinaryKind.ATAN2: np.arctan2,
}


@register_impls
class ElementwiseFunctions(InterpreterFunctions):
    """Floats are computed in float64 and rounded once."""

    @impl(ActivationOp)
    def activation(self, interpreter: Interpreter, op: ActivationOp, args: tuple[Any, ...]):
        return (rounded(ACTIVATIONS[op.activation](wide(args[0])), op.result),)

    @impl(CastOp)
    def cast(self, interpreter: Interpreter, op: CastOp, args: tuple[Any, ...]):
        return (rounded(args[0], op.result),)

    @impl(BinaryOp)
    def binary(self, interpreter: Interpreter, op: BinaryOp, args: tuple[Any, ...]):
        check_meeting(op, args)
        return (rounded(BINARIES[op.binary](wide(args[0]), wide(args[1])), op.result),)

    @impl(CompareOp)
    def compare(self, interpreter: Interpreter, op: CompareOp, args: tuple[Any, ...]):
        check_meeting(op, args)
        return (rounded(COMPARISONS[op.comparison](args[0], args[1]), op.result),)

    @impl(WhereOp)
    def where(self, interpreter: Interpreter, op: WhereOp, args: tuple[Any, ...]):
        check_meeting(op, args)
        condition, on_true, on_false = cast(tuple[Array, Array, Array], args)
        return (rounded(np.where(condition, on_true, on_false), op.result),)

    @impl(ErfcOp)
    def erfc(self, interpreter: Interpreter, op: ErfcOp, args: tuple[Any, ...]):
        return (rounded(erfc(wide(args[0])), op.result),)

    @impl(Log1pOp)
    def log1p(self, interpreter: Interpreter, op: Log1pOp, args: tuple[Any, ...]):
        return (rounded(np.log1p(wide(args[0])), op.result),)

    @impl(Expm1Op)
    def expm1(self, interpreter: Interpreter, op: Expm1Op, args: tuple[Any, ...]):
        return (rounded(np.expm1(wide(args[0])), op.result),)

    @impl(LogicalNotOp)
    def logical_not(self, interpreter: Interpreter, op: LogicalNotOp, args: tuple[Any, ...]):
        return (np.logical_not(args[0]),)

    @impl(IsFiniteOp)
    def is_finite(self, interpreter: Interpreter, op: IsFiniteOp, args: tuple[Any, ...]):
        return (np.isfinite(wide(args[0])),)
