"""The part of CHLO, StableHLO's companion for client-level functions, that JAX prints."""

from abc import ABC
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import BaseAttr, IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from rlx_passes.dialects.stablehlo import base, chlo_broadcast
from rlx_passes.dialects.stablehlo.syntax import parse_keyword


class UnaryOp(base.UnaryOp, ABC):
    """An elementwise op of one operand, which CHLO prints with both types."""

    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"


class TruthOp(IRDLOperation, ABC):
    """Whether each element is of some kind, as i1."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"


class BinaryOp(IRDLOperation, ABC):
    """An elementwise op of two operands of one type, which CHLO prints with every type."""

    lhs = operand_def(base.T)
    rhs = operand_def(base.T)
    result = result_def(base.T)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"


@irdl_op_definition
class AcosOp(UnaryOp):
    """The inverse cosine."""

    name = "chlo.acos"


@irdl_op_definition
class AcoshOp(UnaryOp):
    """The inverse hyperbolic cosine."""

    name = "chlo.acosh"


@irdl_op_definition
class AsinOp(UnaryOp):
    """The inverse sine."""

    name = "chlo.asin"


@irdl_op_definition
class AsinhOp(UnaryOp):
    """The inverse hyperbolic sine."""

    name = "chlo.asinh"


@irdl_op_definition
class AtanOp(UnaryOp):
    """The inverse tangent."""

    name = "chlo.atan"


@irdl_op_definition
class AtanhOp(UnaryOp):
    """The inverse hyperbolic tangent."""

    name = "chlo.atanh"


@irdl_op_definition
class BesselI1eOp(UnaryOp):
    """The modified Bessel function of order 1, scaled by `e^-|x|`."""

    name = "chlo.bessel_i1e"


@irdl_op_definition
class ConjOp(UnaryOp):
    """The complex conjugate."""

    name = "chlo.conj"


@irdl_op_definition
class CoshOp(UnaryOp):
    """The hyperbolic cosine."""

    name = "chlo.cosh"


@irdl_op_definition
class DigammaOp(UnaryOp):
    """The logarithmic derivative of the gamma function."""

    name = "chlo.digamma"


@irdl_op_definition
class ErfOp(UnaryOp):
    """The error function."""

    name = "chlo.erf"


@irdl_op_definition
class ErfInvOp(UnaryOp):
    """The inverse of the error function."""

    name = "chlo.erf_inv"


@irdl_op_definition
class ErfcOp(UnaryOp):
    """One minus the error function, without the cancellation."""

    name = "chlo.erfc"


@irdl_op_definition
class IsInfOp(TruthOp):
    """Whether the element is infinite."""

    name = "chlo.is_inf"


@irdl_op_definition
class IsNegInfOp(TruthOp):
    """Whether the element is minus infinity."""

    name = "chlo.is_neg_inf"


@irdl_op_definition
class IsPosInfOp(TruthOp):
    """Whether the element is plus infinity."""

    name = "chlo.is_pos_inf"


@irdl_op_definition
class LgammaOp(UnaryOp):
    """The logarithm of the absolute value of the gamma function."""

    name = "chlo.lgamma"


@irdl_op_definition
class MulhiOp(BinaryOp):
    """The upper half of the product of integers."""

    name = "chlo.mulhi"


@irdl_op_definition
class NextAfterOp(BinaryOp):
    """The number after `lhs` towards `rhs`."""

    name = "chlo.next_after"


@irdl_op_definition
class PolygammaOp(BinaryOp):
    """The derivative of order `lhs` of the digamma function."""

    name = "chlo.polygamma"


@irdl_op_definition
class SinhOp(UnaryOp):
    """The hyperbolic sine."""

    name = "chlo.sinh"


@irdl_op_definition
class SquareOp(UnaryOp):
    """The operand times itself."""

    name = "chlo.square"


@irdl_op_definition
class TanOp(UnaryOp):
    """The tangent."""

    name = "chlo.tan"


@irdl_op_definition
class ZetaOp(BinaryOp):
    """The Hurwitz zeta function of `lhs` and `rhs`."""

    name = "chlo.zeta"


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """The tensor `value`."""

    name = "chlo.constant"

    value = prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    output = result_def(TensorType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "ConstantOp":
        """`dense<1.0> : tensor<4xf32>`"""
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error(f"expected a dense constant, got {value}")
        dense = cast("DenseIntOrFPElementsAttr[Any]", value)
        type: Attribute = dense.type
        return ConstantOp.create(properties={"value": dense}, attributes=attributes, result_types=[type])

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)


@irdl_op_definition
class ConstantLikeOp(IRDLOperation):
    """One number in the dims of the operand."""

    name = "chlo.constant_like"

    operand = operand_def(TensorType)
    value = prop_def()
    result = result_def(TensorType)

    traits = traits_def(Pure())


@irdl_op_definition
class TopKOp(IRDLOperation):
    """The `k` largest elements of the last dim, greatest first, and where they stood; ties to the lower index."""

    name = "chlo.top_k"

    operand = operand_def(TensorType)
    k = prop_def(IntegerAttr.constr(i64))
    values = result_def(TensorType)
    indices = result_def(TensorType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "TopKOp":
        """`(%x, k = 2) : T -> (U, V)`"""
        with parser.in_parens():
            unresolved = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            parse_keyword(parser, "k")
            k = IntegerAttr(parser.parse_integer(), i64)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(unresolved, parser.parse_type())
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        return TopKOp.create(operands=[operand], properties={"k": k}, attributes=attributes, result_types=types)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_ssa_value(self.operand)
            printer.print_string(f", k = {self.k.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list([value.type for value in self.results], printer.print_attribute)


ALL_OPS = (
    AcosOp,
    AcoshOp,
    AsinOp,
    AsinhOp,
    AtanOp,
    AtanhOp,
    BesselI1eOp,
    ConjOp,
    ConstantLikeOp,
    ConstantOp,
    CoshOp,
    DigammaOp,
    ErfInvOp,
    ErfOp,
    ErfcOp,
    IsInfOp,
    IsNegInfOp,
    IsPosInfOp,
    LgammaOp,
    MulhiOp,
    NextAfterOp,
    PolygammaOp,
    SinhOp,
    SquareOp,
    TanOp,
    TopKOp,
    ZetaOp,
)

CHLO = Dialect("chlo", [*ALL_OPS, *chlo_broadcast.ALL_OPS], [*chlo_broadcast.ALL_ATTRIBUTES])
"""The dialect object, for `Context.load_dialect`."""
