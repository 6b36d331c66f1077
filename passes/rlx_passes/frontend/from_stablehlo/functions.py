"""
Functions of one number that RLX has no kind for, by formulas that are exact to a few units in the last place.

Floats narrower than f32 are computed in f32, as StableHLO's own expansions do.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import AnyFloat, f32, f64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.dtypes import dtype_of, element_type
from rlx_dialect.ops import CastOp, ExpandOp, Expm1Op, IsFiniteOp, Log1pOp
from rlx_dialect.shapes import shaped
from rlx_passes.conversion import Emitter, Rule, Rules
from rlx_passes.errors import Refusal
from rlx_passes.frontend.from_stablehlo.vocabulary import Arithmetic, real, require_static, splat, splat_number
from rlx_passes.frontend.stablehlo import chlo
from rlx_passes.frontend.stablehlo import elementwise_unary as unary

ABS, EXP, FLOOR, LOG, NEG, SQRT = (
    Activation.ABS,
    Activation.EXP,
    Activation.FLOOR,
    Activation.LOG,
    Activation.NEG,
    Activation.SQRT,
)
ADD, ATAN2, DIV, MUL, POW, SUB = (
    BinaryKind.ADD,
    BinaryKind.ATAN2,
    BinaryKind.DIV,
    BinaryKind.MUL,
    BinaryKind.POW,
    BinaryKind.SUB,
)
EQ, GE, GT, LT = CompareKind.EQ, CompareKind.GE, CompareKind.GT, CompareKind.LT
LN2 = 0.6931471805599453
LARGE = 1e9
"""From here on `x^2 + 1` is `x^2` in every float type, whose own square is still finite."""
Formula = Callable[[Arithmetic, SSAValue], SSAValue]


def _formula(formula: Formula) -> Rule:
    def rule(op: chlo.UnaryOp | unary.UnaryOp, emit: Emitter) -> SSAValue:
        element = real(op.operand).element
        if not isinstance(element, AnyFloat):
            raise Refusal(f"needs floats, has {element}")
        if element.bitwidth >= 32:
            return formula(Arithmetic(emit, element), op.operand)
        return emit(CastOp(formula(Arithmetic(emit, f32), emit(CastOp(op.operand, f32))), element))

    return rule


def signed_like(of: Arithmetic, magnitude: SSAValue, x: SSAValue) -> SSAValue:
    """`magnitude` with the sign of `x`; a zero stays the zero it is."""
    return of.where(of(EQ, x, 0.0), x, of.where(of(LT, x, 0.0), of(NEG, magnitude), magnitude))


def _square_root_of_one_less(of: Arithmetic, x: SSAValue) -> SSAValue:
    """`sqrt(1 - x^2)`, factored so that nothing cancels near 1."""
    return of(SQRT, of(MUL, of(SUB, 1.0, x), of(ADD, 1.0, x)))


def _asin(of: Arithmetic, x: SSAValue) -> SSAValue:
    """The angle of the point whose height is x on the unit circle."""
    return of(ATAN2, x, _square_root_of_one_less(of, x))


def _acos(of: Arithmetic, x: SSAValue) -> SSAValue:
    """The angle of the point whose width is x on the unit circle."""
    return of(ATAN2, _square_root_of_one_less(of, x), x)


def _sinh(of: Arithmetic, x: SSAValue) -> SSAValue:
    """By `e^|x| - 1`, which is exact near 0; far out `e^-|x|` is nothing, and `e^(|x| / 2)` squared overflows last."""
    size = of(ABS, x)
    less = of.emit(Expm1Op(size))
    near = of(MUL, 0.5, of(ADD, less, of(DIV, less, of(ADD, less, 1.0))))
    root = of(EXP, of(MUL, 0.5, size))
    return signed_like(of, of.where(of(GT, size, 20.0), of(MUL, of(MUL, 0.5, root), root), near), x)


def _cosh(of: Arithmetic, x: SSAValue) -> SSAValue:
    root = of(EXP, of(MUL, 0.5, of(ABS, x)))
    return of(ADD, of(MUL, of(MUL, 0.5, root), root), of(DIV, of(DIV, 0.5, root), root))


def _asinh(of: Arithmetic, x: SSAValue) -> SSAValue:
    """`log(a + sqrt(a^2 + 1))` of `a = |x|`, by log1p so that it is exact near 0."""
    size = of(ABS, x)
    square = of(MUL, size, size)
    beyond = of(DIV, square, of(ADD, 1.0, of(SQRT, of(ADD, square, 1.0))))
    near = of.emit(Log1pOp(of(ADD, size, beyond)))
    return signed_like(of, of.where(of(GT, size, LARGE), of(ADD, of(LOG, size), LN2), near), x)


def _acosh(of: Arithmetic, x: SSAValue) -> SSAValue:
    """`log(x + sqrt(x^2 - 1))`, by what x exceeds 1; NaN below 1."""
    over = of(SUB, x, 1.0)
    near = of.emit(Log1pOp(of(ADD, over, of(SQRT, of(MUL, over, of(ADD, x, 1.0))))))
    far = of.where(of(GT, x, LARGE), of(ADD, of(LOG, x), LN2), near)
    return of.where(of(LT, x, 1.0), float("nan"), far)


def _atanh(of: Arithmetic, x: SSAValue) -> SSAValue:
    return of(MUL, 0.5, of(SUB, of.emit(Log1pOp(x)), of.emit(Log1pOp(of(NEG, x)))))


def _cbrt(of: Arithmetic, x: SSAValue) -> SSAValue:
    """A power, and one step of Newton's method for the digits that a third rounded loses; zeros and infinities are their own roots."""
    size = of(ABS, x)
    root = of(POW, size, 1 / 3)
    better = of(SUB, root, of(DIV, of(SUB, root, of(DIV, size, of(MUL, root, root))), 3.0))
    kept = of.where(of.emit(IsFiniteOp(x)), signed_like(of, better, x), x)
    return kept


def _round_away(of: Arithmetic, x: SSAValue) -> SSAValue:
    """A half goes up in magnitude; a number without a fraction stays, the largest ones included."""
    size = of(ABS, x)
    whole = of(FLOOR, size)
    return signed_like(of, of.where(of(GE, of(SUB, size, whole), 0.5), of(ADD, whole, 1.0), whole), x)


NEAR = (
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
)
FAR = (
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
)
"""Coefficients of M. Giles, "Approximating the erfinv function" (2010), for f32, the highest power first."""


def _polynomial(of: Arithmetic, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
    """Horner's scheme."""
    total = of(ADD, of(MUL, x, coefficients[0]), coefficients[1])
    for coefficient in coefficients[2:]:
        total = of(ADD, of(MUL, total, x), coefficient)
    return total


def _erf_inv(of: Arithmetic, x: SSAValue) -> SSAValue:
    """Two polynomials in `w = -log(1 - x^2)`, times x; infinite at the ends."""
    if dtype_of(of.element).name != "f32":
        raise Refusal(f"inverts erf in {of.element}, for which there is no polynomial")
    w = of(NEG, of.emit(Log1pOp(of(NEG, of(MUL, x, x)))))
    near = _polynomial(of, of(SUB, w, 2.5), NEAR)
    far = _polynomial(of, of(SUB, of(SQRT, w), 3.0), FAR)
    inside = of(MUL, of.where(of(LT, w, 5.0), near, far), x)
    return of.where(of(EQ, of(ABS, x), 1.0), of(MUL, x, float("inf")), inside)


def _is_inf(op: chlo.TruthOp, emit: Emitter) -> SSAValue:
    of = Arithmetic(emit, real(op.operand).element)
    if isinstance(op, chlo.IsInfOp):
        return of(EQ, of(ABS, op.operand), float("inf"))
    return of(EQ, op.operand, float("-inf") if isinstance(op, chlo.IsNegInfOp) else float("inf"))


def _next_after(op: chlo.NextAfterOp, emit: Emitter) -> SSAValue:
    """The next number of a known one is known."""
    import numpy as np

    result, start, towards = require_static(op.result), splat_number(op.lhs), splat_number(op.rhs)
    if not isinstance(start, float) or not isinstance(towards, float) or result.element not in (f32, f64):
        raise Refusal("steps to the next number of one that is not known")
    kind = np.float32 if result.element == f32 else np.float64
    return emit(ExpandOp(splat(emit, result.element, float(np.nextafter(kind(start), kind(towards)))), result.dims))


def _reduce_precision(op: unary.ReducePrecisionOp, emit: Emitter) -> SSAValue:
    """A cast there and back, where a type has that format and its small numbers are those of the operand's type."""
    element = shaped(op.operand).element
    wanted = (op.exponent_bits.value.data, op.mantissa_bits.value.data)
    own = FORMATS.get(dtype_of(element).name)
    if own is None:
        raise Refusal(f"reduces the precision of {element}")
    if wanted[0] >= own[0] and wanted[1] >= own[1]:
        return op.operand
    if wanted != FORMATS["bf16"] or own[0] != wanted[0]:
        raise Refusal(f"rounds to the format e{wanted[0]}m{wanted[1]}, which no cast of {element} gives")
    return emit(CastOp(emit(CastOp(op.operand, element_type("bf16"))), element))


FORMATS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}
"""Bits of exponent and fraction."""

RULES: Rules = {
    chlo.AcosOp: _formula(_acos),
    chlo.AcoshOp: _formula(_acosh),
    chlo.AsinOp: _formula(_asin),
    chlo.AsinhOp: _formula(_asinh),
    chlo.AtanhOp: _formula(_atanh),
    chlo.CoshOp: _formula(_cosh),
    chlo.ErfInvOp: _formula(_erf_inv),
    chlo.IsInfOp: _is_inf,
    chlo.IsNegInfOp: _is_inf,
    chlo.IsPosInfOp: _is_inf,
    chlo.NextAfterOp: _next_after,
    chlo.SinhOp: _formula(_sinh),
    unary.CbrtOp: _formula(_cbrt),
    unary.ReducePrecisionOp: _reduce_precision,
    unary.RoundNearestAwayFromZeroOp: _formula(_round_away),
}
