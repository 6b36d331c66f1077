"""Elementwise ops."""

from xdsl.dialects.builtin import f32, i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.dtypes import is_complex, is_float
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ComplexOp,
    ErfcOp,
    ExpandOp,
    Expm1Op,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    RealOp,
    WhereOp,
)
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import chlo
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.dialects.stablehlo.attributes import ComparisonType
from rlx_passes.frontends.stablehlo.vocabulary import real, splat
from rlx_passes.rewriting.conversion import Emitter, Rule, Rules
from rlx_passes.rewriting.vocabulary import splat_number

ACTIVATIONS: dict[type[unary.UnaryOp | unary.PartOp], Activation] = {
    unary.CeilOp: Activation.CEIL,
    unary.CosineOp: Activation.COS,
    unary.ExponentialOp: Activation.EXP,
    unary.FloorOp: Activation.FLOOR,
    unary.LogOp: Activation.LOG,
    unary.LogisticOp: Activation.SIGMOID,
    unary.NegateOp: Activation.NEG,
    unary.RoundNearestEvenOp: Activation.ROUND,
    unary.RsqrtOp: Activation.RSQRT,
    unary.SineOp: Activation.SIN,
    unary.SqrtOp: Activation.SQRT,
    unary.TanOp: Activation.TAN,
    unary.TanhOp: Activation.TANH,
    chlo.AtanOp: Activation.ATAN,
    chlo.ErfOp: Activation.ERF,
    chlo.TanOp: Activation.TAN,
}
BINARIES: dict[type[binary.BinaryOp], BinaryKind] = {
    binary.AddOp: BinaryKind.ADD,
    binary.AndOp: BinaryKind.BIT_AND,
    binary.Atan2Op: BinaryKind.ATAN2,
    binary.DivideOp: BinaryKind.DIV,
    binary.MaximumOp: BinaryKind.MAX,
    binary.MinimumOp: BinaryKind.MIN,
    binary.MultiplyOp: BinaryKind.MUL,
    binary.OrOp: BinaryKind.BIT_OR,
    binary.PowerOp: BinaryKind.POW,
    binary.RemainderOp: BinaryKind.MOD,
    binary.ShiftLeftOp: BinaryKind.SHL,
    binary.SubtractOp: BinaryKind.SUB,
    binary.XorOp: BinaryKind.BIT_XOR,
}
TRUTH = {
    BinaryKind.ADD: BinaryKind.BIT_OR,
    BinaryKind.MAX: BinaryKind.BIT_OR,
    BinaryKind.MUL: BinaryKind.BIT_AND,
    BinaryKind.MIN: BinaryKind.BIT_AND,
}
"""What arithmetic on i1 means in StableHLO."""


def binary_kind(op: type[binary.BinaryOp], element: Attribute) -> BinaryKind:
    """The kind that a StableHLO op is on elements of a type. Raises `Refusal` where there is none."""
    kind = BINARIES.get(op)
    if kind is None:
        raise Refusal(f"has no RLX kind on {element}")
    return TRUTH.get(kind, kind) if element == i1 else kind


def _activation(kind: Activation) -> Rule:
    def rule(op: unary.UnaryOp | unary.PartOp, emit: Emitter) -> SSAValue:
        return emit(ActivationOp(kind, op.operand))

    return rule


def _binary(op: binary.BinaryOp, emit: Emitter) -> SSAValue:
    return emit(BinaryOp(binary_kind(type(op), shaped(op.lhs).element), op.lhs, op.rhs))


def _compare(op: binary.CompareOp, emit: Emitter) -> SSAValue:
    """
    The total order is that of numbers with all zeros and NaNs made alike, as JAX does: NaN is greater than all else.

        a < b  is  (a < b or b is NaN) and a is not NaN;    a == b  is  a == b or both are NaN
    """
    kind = CompareKind(op.comparison_direction.data.value.lower())
    element = shaped(op.lhs).element
    if op.compare_type is None or op.compare_type.data is not ComparisonType.TOTALORDER or not is_float(element):
        return emit(CompareOp(kind, op.lhs, op.rhs))
    if not (_is_canonical(op.lhs) and _is_canonical(op.rhs)):
        raise Refusal("compares in the total order of floats, which tells the two zeros and NaNs apart")
    a, b = (op.rhs, op.lhs) if kind in (CompareKind.GT, CompareKind.LE) else (op.lhs, op.rhs)
    nan_a, nan_b = (emit(CompareOp(CompareKind.NE, value, value)) for value in (a, b))
    if kind in (CompareKind.EQ, CompareKind.NE):
        both = emit(BinaryOp(BinaryKind.BIT_AND, nan_a, nan_b))
        found = emit(BinaryOp(BinaryKind.BIT_OR, emit(CompareOp(CompareKind.EQ, a, b)), both))
    else:
        below = emit(BinaryOp(BinaryKind.BIT_OR, emit(CompareOp(CompareKind.LT, a, b)), nan_b))
        found = emit(BinaryOp(BinaryKind.BIT_AND, below, emit(LogicalNotOp(nan_a))))
    negated = kind in (CompareKind.NE, CompareKind.LE, CompareKind.GE)
    return emit(LogicalNotOp(found)) if negated else found


def _is_canonical(value: SSAValue) -> bool:
    """Whether the zeros of `value` are all positive and its NaNs one: `where(x != x, nan, where(x == 0, 0, x))`."""
    outer = value.owner
    if not isinstance(outer, WhereOp) or not isinstance(outer.on_false.owner, WhereOp):
        return False
    inner, nan, zero = outer.on_false.owner, splat_number(outer.on_true), splat_number(outer.on_false.owner.on_true)
    is_nan, is_zero, x = outer.condition.owner, inner.condition.owner, inner.on_false
    return (
        isinstance(is_nan, CompareOp)
        and isinstance(is_zero, CompareOp)
        and isinstance(nan, float)
        and nan != nan
        and str(zero) == "0.0"
        and (is_nan.comparison, is_nan.lhs, is_nan.rhs) == (CompareKind.NE, x, x)
        and (is_zero.comparison, is_zero.lhs, splat_number(is_zero.rhs)) == (CompareKind.EQ, x, 0)
    )


def _select(op: binary.SelectOp, emit: Emitter) -> SSAValue:
    return emit(WhereOp(op.pred, op.on_true, op.on_false))


def _clamp(op: binary.ClampOp, emit: Emitter) -> SSAValue:
    """`min(max(operand, lower), upper)`: the upper bound wins where the bounds cross, as StableHLO has it."""
    raised = emit(BinaryOp(BinaryKind.MAX, op.operand, op.min))
    return emit(BinaryOp(BinaryKind.MIN, raised, op.max))


def _convert(op: unary.ConvertOp, emit: Emitter) -> SSAValue:
    """A real number becomes a complex one without imaginary part, a complex number its real part."""
    before, after = shaped(op.operand).element, shaped(op.result).element
    if before == after:
        return op.operand
    if is_complex(after):
        part = op.operand if before == f32 else emit(CastOp(op.operand, f32))
        return emit(ComplexOp(part, emit(ExpandOp(splat(emit, f32, 0), shaped(op.operand).dims))))
    if is_complex(before) and after != i1:
        part = emit(RealOp(op.operand))
        return part if after == f32 else emit(CastOp(part, after))
    return emit(CastOp(op.operand, after))


def _sign(op: unary.SignOp, emit: Emitter) -> SSAValue:
    """StableHLO's sign of a zero is that zero, RLX's is the positive one."""
    element = real(op.operand).element
    sign = emit(ActivationOp(Activation.SIGN, op.operand))
    if not is_float(element):
        return sign
    return emit(WhereOp(emit(CompareOp(CompareKind.EQ, op.operand, splat(emit, element, 0))), op.operand, sign))


def _plain(kind: type[ErfcOp | Expm1Op | IsFiniteOp | Log1pOp]) -> Rule:
    def rule(op: unary.UnaryOp | unary.PartOp, emit: Emitter) -> SSAValue:
        return emit(kind(op.operand))

    return rule


RULES: Rules = {
    **{op: _activation(kind) for op, kind in ACTIVATIONS.items()},
    **dict.fromkeys(BINARIES, _binary),
    binary.ClampOp: _clamp,
    binary.CompareOp: _compare,
    binary.SelectOp: _select,
    chlo.ErfcOp: _plain(ErfcOp),
    unary.ConvertOp: _convert,
    unary.ExponentialMinusOneOp: _plain(Expm1Op),
    unary.IsFiniteOp: _plain(IsFiniteOp),
    unary.LogPlusOneOp: _plain(Log1pOp),
    unary.SignOp: _sign,
}
