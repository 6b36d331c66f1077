"""Attributes that say how exactly an op computes, and the sizes that a dynamic dim may have."""

from typing import Any, NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from rlx_passes.dialects.stablehlo.attributes import parse_struct, print_struct


class ResultAccuracyMode(StrEnum):
    """How exact a function of one number is: as the backend has it, as exact as it can be, or within given bounds."""

    DEFAULT = "DEFAULT"
    HIGHEST = "HIGHEST"
    TOLERANCE = "TOLERANCE"


class ResultAccuracy(NamedTuple):
    """The bounds of `TOLERANCE`: the error is within any of them that is not zero."""

    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0
    mode: ResultAccuracyMode = ResultAccuracyMode.DEFAULT


@irdl_attr_definition
class ResultAccuracyAttr(Data[ResultAccuracy]):
    """`#stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>`"""

    name = "stablehlo.result_accuracy"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ResultAccuracy:
        values: dict[str, Any] = {}

        def field() -> None:
            start = parser.pos
            key = parser.parse_identifier()
            if key not in ResultAccuracy._fields or key in values:
                parser.raise_error(f"expected each of {', '.join(ResultAccuracy._fields)} once, got {key}", start)
            parser.parse_punctuation("=")
            values[key] = _mode(parser) if key == "mode" else parser.parse_number(allow_boolean=False)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        return ResultAccuracy(**values)

    def print_parameter(self, printer: Printer) -> None:
        atol, rtol, ulps, mode = self.data
        bounds = [f"{key} = {value:e}" for key, value in (("atol", atol), ("rtol", rtol)) if value]
        bounds += [f"ulps = {ulps}"] if ulps else []
        printer.print_string(f"<{', '.join([*bounds, f'mode = #stablehlo.result_accuracy_mode<{mode.value}>'])}>")


def _mode(parser: AttrParser) -> ResultAccuracyMode:
    """`#stablehlo.result_accuracy_mode<TOLERANCE>`"""
    parser.parse_characters("#stablehlo.result_accuracy_mode")
    with parser.in_angle_brackets():
        return parser.parse_str_enum(ResultAccuracyMode)


class DotAlgorithm(NamedTuple):
    """In which types a product is computed, and of how many products of parts it is made."""

    lhs_precision_type: Attribute
    rhs_precision_type: Attribute
    accumulation_type: Attribute
    lhs_component_count: int
    rhs_component_count: int
    num_primitive_operations: int
    allow_imprecise_accumulation: bool


@irdl_attr_definition
class DotAlgorithmAttr(Data[DotAlgorithm]):
    """`#stablehlo.dot_algorithm<lhs_precision_type = tf32, ...>`"""

    name = "stablehlo.dot_algorithm"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> DotAlgorithm:
        values: dict[str, Any] = {}

        def field() -> None:
            start = parser.pos
            key = parser.parse_identifier()
            if key not in DotAlgorithm._fields or key in values:
                parser.raise_error(f"expected each of {', '.join(DotAlgorithm._fields)} once, got {key}", start)
            parser.parse_punctuation("=")
            if key.endswith("_type"):
                values[key] = parser.parse_type()
            elif key.startswith("allow"):
                values[key] = parser.parse_boolean()
            else:
                values[key] = parser.parse_integer()

        start = parser.pos
        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        missing = [key for key in DotAlgorithm._fields if key not in values]
        if missing:
            parser.raise_error(f"an algorithm needs {', '.join(missing)}", start)
        return DotAlgorithm(**values)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for i, (key, value) in enumerate(self.data._asdict().items()):
                printer.print_string(f"{', ' if i else ''}{key} = ")
                if isinstance(value, Attribute):
                    printer.print_attribute(value)
                else:
                    printer.print_string(str(value).lower())


class OutputOperandAlias(NamedTuple):
    """Which part of a result may lie where which part of an operand lies."""

    output_tuple_indices: tuple[int, ...]
    operand_index: int
    operand_tuple_indices: tuple[int, ...]


@irdl_attr_definition
class OutputOperandAliasAttr(Data[OutputOperandAlias]):
    """`#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>`"""

    name = "stablehlo.output_operand_alias"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> OutputOperandAlias:
        return parse_struct(parser, OutputOperandAlias, OutputOperandAlias((), 0, ())._asdict())

    def print_parameter(self, printer: Printer) -> None:
        print_struct(printer, self.data._asdict(), OutputOperandAlias._fields)


@irdl_attr_definition
class BoundsAttr(Data[tuple[int, ...]]):
    """`#stablehlo.bounds<4, ?>`: the largest size of each dynamic dim; `?` for a dim that has none."""

    name = "stablehlo.bounds"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        def bound() -> int:
            return DYNAMIC_INDEX if parser.parse_optional_punctuation("?") else parser.parse_integer()

        return tuple(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, bound))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(", ".join("?" if size == DYNAMIC_INDEX else str(size) for size in self.data))


ALL_ATTRIBUTES = (BoundsAttr, DotAlgorithmAttr, OutputOperandAliasAttr, ResultAccuracyAttr)
