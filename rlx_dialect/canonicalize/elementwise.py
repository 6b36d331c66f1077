"""Elementwise ops that give back an operand, or undo the one before."""

import math

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.canonicalize.rule import Rules
from rlx_dialect.constants import is_dtype, scalar
from rlx_dialect.ops.elementwise import ActivationOp, BinaryOp, CastOp, LogicalNotOp, WhereOp
from rlx_dialect.shapes import shaped

IDEMPOTENT = frozenset(
    {Activation.ABS, Activation.RELU, Activation.ROUND, Activation.FLOOR, Activation.CEIL, Activation.SIGN}
)
"""Kinds that change nothing the second time."""

EXACT = {
    "f16": ("f32", "f64"),
    "bf16": ("f32", "f64"),
    "f32": ("f64",),
    "i1": ("i8", "i16", "i32", "i64", "ui8", "ui32", "f16", "bf16", "f32", "f64"),
    "i8": ("i16", "i32", "i64", "f32", "f64"),
    "i16": ("i32", "i64", "f32", "f64"),
    "i32": ("i64", "f64"),
    "ui8": ("i16", "i32", "i64", "ui32", "f32", "f64"),
    "ui32": ("i64", "f64"),
}
"""The types that hold every number of another."""


def kept_operand(op: BinaryOp) -> SSAValue | None:
    """The operand that `op` always gives back, -0.0 and NaN included. `x + 0.0` is none: it turns -0.0 into 0.0."""
    left, right = scalar(op.lhs), scalar(op.rhs)
    if left is None and right is None:
        return None
    match op.binary:
        case BinaryKind.MUL:
            return op.lhs if right == 1 else op.rhs if left == 1 else None
        case BinaryKind.DIV | BinaryKind.POW:
            return op.lhs if right == 1 else None
        case BinaryKind.SUB:
            return op.lhs if right == 0 and not _negative(right) else None
        case BinaryKind.ADD:
            return op.lhs if _adds_nothing(op, right) else op.rhs if _adds_nothing(op, left) else None
        case BinaryKind.MAX:
            return op.lhs if right == -math.inf else op.rhs if left == -math.inf else None
        case BinaryKind.MIN:
            return op.lhs if right == math.inf else op.rhs if left == math.inf else None
        case BinaryKind.BIT_AND if shaped(op.result).element == i1:
            return op.lhs if right else op.rhs if left else None
        case BinaryKind.BIT_OR | BinaryKind.BIT_XOR:
            return op.lhs if right == 0 else op.rhs if left == 0 else None
        case BinaryKind.SHL | BinaryKind.SHR:
            return op.lhs if right == 0 else None
        case _:
            return None


def _negative(number: float) -> bool:
    return math.copysign(1.0, number) < 0


def _adds_nothing(op: BinaryOp, number: float | None) -> bool:
    return number == 0 and (_negative(number) or isinstance(shaped(op.result).element, IntegerType))


def chosen(op: WhereOp) -> SSAValue | None:
    """The operand that a constant condition chooses everywhere, or that both are."""
    if op.on_true is op.on_false:
        return op.on_true
    condition = scalar(op.condition)
    return None if condition is None else op.on_true if condition else op.on_false


def undone_activation(op: ActivationOp) -> SSAValue | Operation | None:
    """`-(-x)` is x, `|-x|` is `|x|`, and what changes nothing the second time is done once."""
    inner = op.input.owner
    if not isinstance(inner, ActivationOp):
        return None
    match op.activation, inner.activation:
        case Activation.NEG, Activation.NEG:
            return inner.input
        case Activation.ABS, Activation.NEG:
            return ActivationOp(Activation.ABS, inner.input)
        case outer, before if outer is before and outer in IDEMPOTENT:
            return op.input
        case _:
            return None


def undone_cast(op: CastOp) -> SSAValue | None:
    """A cast to the type that is there, or back from a type that holds every number of it."""
    if op.input.type == op.result.type:
        return op.input
    inner = op.input.owner
    if not isinstance(inner, CastOp) or inner.input.type != op.result.type:
        return None
    narrow, wide = shaped(inner.input).element, shaped(inner.result).element
    exact = is_dtype(narrow) and is_dtype(wide) and str(wide) in EXACT.get(str(narrow), ())
    return inner.input if exact else None


def undone_not(op: LogicalNotOp) -> SSAValue | None:
    inner = op.input.owner
    return inner.input if isinstance(inner, LogicalNotOp) else None


RULES: Rules = {
    ActivationOp: (undone_activation,),
    BinaryOp: (kept_operand,),
    CastOp: (undone_cast,),
    LogicalNotOp: (undone_not,),
    WhereOp: (chosen,),
}
