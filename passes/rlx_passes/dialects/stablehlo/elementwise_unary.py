"""Elementwise ops of one operand."""

import re
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from rlx_passes.dialects.stablehlo.base import PartOp, T, UnaryOp
from rlx_passes.dialects.stablehlo.syntax import Head, HeadedOp, parse_keyword


@irdl_op_definition
class AbsOp(PartOp):
    """The magnitude; of a complex value it is real."""

    name = "stablehlo.abs"


@irdl_op_definition
class BitcastConvertOp(HeadedOp):
    """The same bits as elements of another type; a last dim appears or goes where their widths differ."""

    name = "stablehlo.bitcast_convert"
    ONE_TYPE: ClassVar[bool] = True

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())


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
class ReducePrecisionOp(HeadedOp):
    """The nearest number that fits into fewer bits."""

    name = "stablehlo.reduce_precision"
    ONE_TYPE: ClassVar[bool] = True
    SHOWN: ClassVar[tuple[str, ...]] = ("exponent_bits", "mantissa_bits")

    operand = operand_def(T)
    exponent_bits = prop_def(IntegerAttr.constr(i32))
    mantissa_bits = prop_def(IntegerAttr.constr(i32))
    result = result_def(T)

    traits = traits_def(Pure())

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """`%x, format = e5m10`"""
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parse_keyword(parser, "format")
        start = parser.pos
        word = parser.parse_identifier()
        match = re.fullmatch(r"e(\d+)m(\d+)", word)
        if match is None:
            parser.raise_error(f"expected a format like e5m10, got {word}", start)
        exponent, mantissa = (IntegerAttr(int(bits), i32) for bits in match.groups())
        return Head([operand], {"exponent_bits": exponent, "mantissa_bits": mantissa})

    def print_head(self, printer: Printer) -> None:
        printer.print_ssa_value(self.operand)
        printer.print_string(f", format = e{self.exponent_bits.value.data}m{self.mantissa_bits.value.data}")


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
    BitcastConvertOp,
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
    ReducePrecisionOp,
    RoundNearestAwayFromZeroOp,
    RoundNearestEvenOp,
    RsqrtOp,
    SignOp,
    SineOp,
    SqrtOp,
    TanOp,
    TanhOp,
)
