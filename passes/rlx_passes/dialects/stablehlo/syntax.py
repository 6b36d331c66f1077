"""
The text of ops that no declarative format describes: `OP HEAD {attributes} : TYPES`.

A class says how its head is read and printed. Properties that the head does not show stand among the attributes; types
are those of all operands and results, or the one type that all of them have.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


@dataclass
class Head:
    """What comes before the attributes and types of an op."""

    operands: list[UnresolvedOperand] = field(default_factory=list[UnresolvedOperand])
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])


class HeadedOp(IRDLOperation, ABC):
    """
    An op with a head of its own. `SHOWN` names the properties that the head shows; with `ONE_TYPE` one type is printed
    where operands and results all have it.
    """

    SHOWN: ClassVar[tuple[str, ...]] = ()
    ONE_TYPE: ClassVar[bool] = False

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """Operands separated by commas."""
        return Head(parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand))

    def print_head(self, printer: Printer) -> None:
        """What `parse_head` reads."""
        print_values(printer, self.operands)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        head = cls.parse_head(parser)
        attributes = parser.parse_optional_attr_dict()
        position = parser.pos
        parser.parse_punctuation(":")
        inputs, outputs = parse_types(parser, len(head.operands))
        operands = parser.resolve_operands(head.operands, inputs, position)
        names = cls.get_irdl_definition().properties
        properties = {key: value for key, value in attributes.items() if key in names}
        return cls.create(
            operands=operands,
            result_types=outputs,
            properties=head.properties | properties,
            attributes={key: value for key, value in attributes.items() if key not in properties},
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_head(printer)
        hidden = {key: value for key, value in self.properties.items() if key not in self.SHOWN}
        printer.print_op_attributes(hidden | self.attributes)
        printer.print_string(" : ")
        inputs, outputs = [value.type for value in self.operands], [value.type for value in self.results]
        if self.ONE_TYPE and len({*inputs, *outputs}) == 1:
            printer.print_attribute(outputs[0])
        else:
            printer.print_function_type(inputs, outputs)


def print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    """`%a, %b`"""
    printer.print_list(values, printer.print_ssa_value)


def parse_argument(parser: Parser) -> Parser.Argument:
    """`%a: T loc("a")`: an argument of a region with the location that a printer may have given it."""
    argument = parser.parse_argument()
    argument.location = parser.parse_optional_location()
    return argument


def parse_types(parser: Parser, count: int) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """`(inputs) -> outputs`, or the one type of all `count` operands and of the result."""
    type = parser.parse_type()
    if isinstance(type, FunctionType):
        return type.inputs.data, type.outputs.data
    return [type] * count, [type]


def parse_keyword(parser: Parser, keyword: str) -> None:
    """`keyword =`"""
    parser.parse_keyword(keyword)
    parser.parse_punctuation("=")


def parse_ints(parser: Parser) -> tuple[int, ...]:
    """`[1, 2]`"""
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


def show_ints(values: DenseArrayBase[IntegerType] | Sequence[int]) -> str:
    """What `parse_ints` reads."""
    return str(list(values.get_values() if isinstance(values, DenseArrayBase) else values))


def parse_operands_until(parser: Parser, keyword: str) -> list[UnresolvedOperand]:
    """`%a, %b, keyword =`; an empty list of further operands is nothing between two commas."""
    operands = [parser.parse_unresolved_operand()]
    while True:
        parser.parse_punctuation(",")
        if parser.parse_optional_keyword(keyword) is not None:
            parser.parse_punctuation("=")
            return operands
        operand = parser.parse_optional_unresolved_operand()
        if operand is not None:
            operands.append(operand)
        elif len(operands) != 1:
            parser.raise_error(f"expected an operand or {keyword}")
