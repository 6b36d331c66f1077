"""Elementwise ops of one operand."""

from xdsl.irdl import irdl_op_definition

from rlx_passes.frontend.stablehlo.base import PartOp, UnaryOp


@irdl_op_definition
class AbsOp(PartOp):
    """The magnitude; of a complex value it is real."""

    name = "stablehlo.abs"


@irdl_op_definition
class CbrtOp(UnaryOp):
    """The cube root."""

    name = "stablehlo.cbrt"


@irdl_op_definition
class CeilOp(UnaryOp):
    """The next integer towards plus infinity."""

    name = "stablehlo.ceil"


@irdl_op_definition
class ConvertOp(PartOp):
    """Each element converted to another element type."""

    name = "stablehlo.convert"


@irdl_op_definition
class CosineOp(UnaryOp):
    """The cosine."""

    name = "stablehlo.cosine"


@irdl_op_definition
class CountLeadingZerosOp(UnaryOp):
    """How many leading bits are zero."""

    name = "stablehlo.count_leading_zeros"


@irdl_op_definition
class ExponentialOp(UnaryOp):
    """e to the operand."""

    name = "stablehlo.exponential"


@irdl_op_definition
class ExponentialMinusOneOp(UnaryOp):
    """e to the operand, less one, exact near zero."""

    name = "stablehlo.exponential_minus_one"


@irdl_op_definition
class FloorOp(UnaryOp):
    """The next integer towards minus infinity."""

    name = "stablehlo.floor"


@irdl_op_definition
class ImagOp(PartOp):
    """The imaginary part."""

    name = "stablehlo.imag"


@irdl_op_definition
class IsFiniteOp(PartOp):
    """Whether the element is neither infinite nor NaN, as i1."""

    name = "stablehlo.is_finite"


@irdl_op_definition
class LogOp(UnaryOp):
    """The natural logarithm."""

    name = "stablehlo.log"


@irdl_op_definition
class LogPlusOneOp(UnaryOp):
    """The natural logarithm of one plus the operand, exact near zero."""

    name = "stablehlo.log_plus_one"


@irdl_op_definition
class LogisticOp(UnaryOp):
    """`1 / (1 + e^-x)`"""

    name = "stablehlo.logistic"


@irdl_op_definition
class NegateOp(UnaryOp):
    """The operand with the other sign."""

    name = "stablehlo.negate"


@irdl_op_definition
class NotOp(UnaryOp):
    """All bits flipped; of i1 the other truth value."""

    name = "stablehlo.not"


@irdl_op_definition
class PopulationCountOp(UnaryOp):
    """How many bits are set."""

    name = "stablehlo.popcnt"


@irdl_op_definition
class RealOp(PartOp):
    """The real part."""

    name = "stablehlo.real"


@irdl_op_definition
class RoundNearestAwayFromZeroOp(UnaryOp):
    """The nearest integer, halves away from zero."""

    name = "stablehlo.round_nearest_afz"


@irdl_op_definition
class RoundNearestEvenOp(UnaryOp):
    """The nearest integer, halves to the even one."""

    name = "stablehlo.round_nearest_even"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """One over the square root."""

    name = "stablehlo.rsqrt"


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1."""

    name = "stablehlo.sign"


@irdl_op_definition
class SineOp(UnaryOp):
    """The sine."""

    name = "stablehlo.sine"


@irdl_op_definition
class SqrtOp(UnaryOp):
    """The square root."""

    name = "stablehlo.sqrt"


@irdl_op_definition
class TanOp(UnaryOp):
    """The tangent."""

    name = "stablehlo.tan"


@irdl_op_definition
class TanhOp(UnaryOp):
    """The hyperbolic tangent."""

    name = "stablehlo.tanh"


ALL_OPS = (
    AbsOp,
    CbrtOp,
    CeilOp,
    ConvertOp,
    CosineOp,
    CountLeadingZerosOp,
    ExponentialMinusOneOp,
    ExponentialOp,
    FloorOp,
    ImagOp,
    IsFiniteOp,
    LogOp,
    LogPlusOneOp,
    LogisticOp,
    NegateOp,
    NotOp,
    PopulationCountOp,
    RealOp,
    RoundNearestAwayFromZeroOp,
    RoundNearestEvenOp,
    RsqrtOp,
    SignOp,
    SineOp,
    SqrtOp,
    TanOp,
    TanhOp,
)
