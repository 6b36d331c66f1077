"""Random numbers."""

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

from rlx_passes.dialects.stablehlo.syntax import parse_keyword, print_values


class RngDistribution(StrEnum):
    """`UNIFORM` over `[a, b)`, `NORMAL` of mean a and deviation b."""

    UNIFORM = "UNIFORM"
    NORMAL = "NORMAL"


class RngAlgorithm(StrEnum):
    """How bits follow from a state; `DEFAULT` is the backend's choice."""

    DEFAULT = "DEFAULT"
    THREE_FRY = "THREE_FRY"
    PHILOX = "PHILOX"


@irdl_attr_definition
class RngDistributionAttr(EnumAttribute[RngDistribution], SpacedOpaqueSyntaxAttribute):
    """`#stablehlo<rng_distribution UNIFORM>`"""

    name = "stablehlo.rng_distribution"


@irdl_attr_definition
class RngAlgorithmAttr(EnumAttribute[RngAlgorithm], SpacedOpaqueSyntaxAttribute):
    """`#stablehlo<rng_algorithm THREE_FRY>`"""

    name = "stablehlo.rng_algorithm"


@irdl_op_definition
class RngOp(IRDLOperation):
    """Random numbers that follow from nothing in the program."""

    name = "stablehlo.rng"

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    shape = operand_def(TensorType)
    rng_distribution = prop_def(RngDistributionAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:` functional-type(operands, results)"
    )


@irdl_op_definition
class RngBitGeneratorOp(IRDLOperation):
    """Random bits and the next state, both a function of a state."""

    name = "stablehlo.rng_bit_generator"

    initial_state = operand_def(TensorType)
    rng_algorithm = prop_def(RngAlgorithmAttr)
    output_state = result_def(TensorType)
    output = result_def(TensorType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "RngBitGeneratorOp":
        """`%state, algorithm = THREE_FRY : (T) -> (T, U)`"""
        unresolved = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parse_keyword(parser, "algorithm")
        algorithm = RngAlgorithmAttr(parser.parse_str_enum(RngAlgorithm))
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        parser.parse_punctuation(":")
        types = parser.parse_function_type()
        return RngBitGeneratorOp.create(
            operands=parser.resolve_operands([unresolved], types.inputs.data, start),
            properties={"rng_algorithm": algorithm},
            attributes=attributes,
            result_types=types.outputs.data,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_string(f", algorithm = {self.rng_algorithm.data.value}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type([self.initial_state.type], [value.type for value in self.results])


ALL_ATTRIBUTES = (RngAlgorithmAttr, RngDistributionAttr)
ALL_OPS = (RngBitGeneratorOp, RngOp)
