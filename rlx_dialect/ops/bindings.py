"""The text of ops whose regions name their operands: `(%a = %x, %b = %y)`."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.utils import parse_assignment, print_assignment
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


class Binding(NamedTuple):
    """A block argument as it is written, and the operand bound to it."""

    argument: Parser.UnresolvedArgument
    operand: UnresolvedOperand


def parse_bindings(parser: Parser) -> list[Binding]:
    """`(%a = %x, %b = %y)`, or `()`."""
    return [
        Binding(*pair)
        for pair in parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_assignment(parser))
    ]


def unzip(bindings: Sequence[Binding]) -> tuple[list[Parser.UnresolvedArgument], list[UnresolvedOperand]]:
    """The arguments and the operands."""
    return [binding.argument for binding in bindings], [binding.operand for binding in bindings]


def print_bindings(printer: Printer, pairs: Iterable[tuple[BlockArgument, SSAValue]]) -> None:
    """The inverse of `parse_bindings`."""
    with printer.in_parens():
        printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))


def parse_optional_bindings(parser: Parser, keyword: str) -> list[Binding]:
    """The bindings after `keyword`; none where it is absent."""
    return parse_bindings(parser) if parser.parse_optional_keyword(keyword) is not None else []


def print_optional_bindings(printer: Printer, keyword: str, pairs: Sequence[tuple[BlockArgument, SSAValue]]) -> None:
    """The inverse of `parse_optional_bindings`."""
    if pairs:
        printer.print_string(f" {keyword}")
        print_bindings(printer, pairs)


def parse_optional_group(parser: Parser, keyword: str) -> int | None:
    """The integer of `keyword(3)`; None where it is absent."""
    if parser.parse_optional_keyword(keyword) is None:
        return None
    with parser.in_parens():
        return parser.parse_integer(allow_boolean=False)


def parse_signature(parser: Parser, count: int) -> FunctionType:
    """`: (operand types) -> result types` of an op with `count` operands."""
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_function_type()
    if len(type.inputs) != count:
        parser.raise_error(f"{count} operands need as many types, got {len(type.inputs)}", start, parser.pos)
    return type


def print_signature(printer: Printer, op: Operation) -> None:
    """The inverse of `parse_signature`."""
    printer.print_string(" : ")
    printer.print_function_type(op.operand_types, op.result_types)  # a location comes after the op


def parse_attributes(parser: Parser) -> dict[str, Attribute]:
    """`attributes {rlx.no_fuse}`, or nothing."""
    written = parser.parse_optional_attr_dict_with_keyword()
    return {} if written is None else dict(written.data)


def print_attributes(printer: Printer, op: Operation) -> None:
    """The inverse of `parse_attributes`."""
    printer.print_op_attributes(op.attributes, print_keyword=True)


def resolve(parser: Parser, operands: Sequence[UnresolvedOperand], types: Sequence[Attribute]) -> list[SSAValue]:
    """The values that `operands` stand for."""
    return [parser.resolve_operand(operand, type) for operand, type in zip(operands, types, strict=True)]
