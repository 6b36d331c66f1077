"""How the pretty form writes attributes: bare words, numbers in the fewest digits."""

import math
from abc import ABC

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, f64, i64
from xdsl.irdl import IRDLOperation, VerificationContext
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.attributes import Activation, WordOf
from rlx_dialect.xdsl_repairs import parsed64


class AttributeDirective(CustomDirective, ABC):
    """The text form of one attribute, which may be optional."""

    attribute: AttributeVariable

    def is_present(self, op: IRDLOperation) -> bool:
        return self.attribute.is_present(op)

    def is_anchorable(self) -> bool:
        return self.attribute.is_anchorable()

    def set_empty(self, state: ParsingState) -> None:
        """An absent attribute leaves nothing."""


@irdl_custom_directive
class Word(AttributeDirective):
    """A `StringAttr` as a bare word: `gelu` for `"gelu"`. Text that is no bare word keeps its quotes."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        word = parser.parse_optional_identifier()
        self.attribute.set(state, StringAttr(parser.parse_str_literal() if word is None else word))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attribute.get(op)
        if not isinstance(attr, StringAttr):
            return
        state.print_whitespace(printer)
        text = attr.data
        if text.isascii() and text.isidentifier():
            printer.print_string(text)
        else:
            printer.print_string_literal(text)


@irdl_custom_directive
class ActivationWord(Word):
    """The word of an activation. Checked at once, so that the message points at the word."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        word = parser.parse_identifier()
        try:
            WordOf(Activation).verify(StringAttr(word), VerificationContext())
        except VerifyException as error:
            parser.raise_error(str(error), start, start + len(word))
        self.attribute.set(state, StringAttr(word))


@irdl_custom_directive
class IntOrWord(AttributeDirective):
    """An integer, or a bare word for a `StringAttr`: `5`, `-1`, `end`."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        number = parser.parse_optional_integer(allow_boolean=False)
        if number is None:
            self.attribute.set(state, StringAttr(parser.parse_identifier()))
        else:
            self.attribute.set(state, IntegerAttr(parsed64(parser, number, start), i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attribute.get(op)
        if not isinstance(attr, IntegerAttr | StringAttr):
            return
        state.print_whitespace(printer)
        printer.print_string(attr.data if isinstance(attr, StringAttr) else str(attr.value.data))


SPECIAL_REALS = {"inf": math.inf, "neg_inf": -math.inf, "nan": math.nan}


@irdl_custom_directive
class Real(AttributeDirective):
    """
    An f64 `FloatAttr` in the fewest digits that read back as the same number: `1.0e-12`, `0.5`.

    Numbers that have no digits are the words `inf`, `neg_inf` and `nan`.
    """

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        word = parser.parse_optional_identifier()
        if word is None:
            value = float(parser.parse_number(allow_boolean=False))
        elif word in SPECIAL_REALS:
            value = SPECIAL_REALS[word]
        else:
            parser.raise_error(f"expected a number or one of {', '.join(SPECIAL_REALS)}, got {word}")
        self.attribute.set(state, FloatAttr(value, f64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attribute.get(op)
        if not isinstance(attr, FloatAttr):
            return
        state.print_whitespace(printer)
        printer.print_string(real_text(attr.value.data))


@irdl_custom_directive
class Reals(AttributeDirective):
    """A dense f64 array as a list of numbers in square brackets, each as `Real` prints it."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        values = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: float(parser.parse_number(allow_boolean=False))
        )
        self.attribute.set(state, DenseArrayBase.from_list(f64, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attribute.get(op)
        if not isinstance(attr, DenseArrayBase):
            return
        state.print_whitespace(printer)
        printer.print_string("[" + ", ".join(map(real_text, attr.get_values())) + "]")


def real_text(value: float) -> str:
    """`value` as `Real` prints it."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "neg_inf"
    mantissa, exponent, power = repr(value).partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + exponent + power


@irdl_custom_directive
class Number(AttributeDirective):
    """An i64 `IntegerAttr` or an f64 `FloatAttr`, told apart as in Python: `1` and `1.0`, or a word of `Real`."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        word = parser.parse_optional_identifier()
        value = parser.parse_number(allow_boolean=False) if word is None else SPECIAL_REALS.get(word)
        if value is None:
            parser.raise_error(f"expected a number or one of {', '.join(SPECIAL_REALS)}, got {word}")
        if isinstance(value, int):
            parsed64(parser, value, start)
        self.attribute.set(state, IntegerAttr(value, i64) if isinstance(value, int) else FloatAttr(value, f64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attribute.get(op)
        if not isinstance(attr, IntegerAttr | FloatAttr):
            return
        state.print_whitespace(printer)
        printer.print_string(str(attr.value.data) if isinstance(attr, IntegerAttr) else real_text(attr.value.data))


@irdl_custom_directive
class FurtherTypes(CustomDirective):
    """
    The types of two optional operands at the end of a list, each if its operand was read before: `, T, U` or `, U`.

    `functional-type` and groups of types take one optional operand alone: from two they cannot tell whose type it is.
    """

    first: TypeDirective
    second: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        for each in (self.first, self.second):
            operand = each.inner
            if isinstance(operand, OptionalOperandVariable) and state.operands[operand.index]:
                parser.parse_punctuation(",")
                operand.parse_single_type(parser, state)
            else:
                each.set(state, ())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for each in (self.first, self.second):
            for type in each.get(op):
                printer.print_string(", ")
                printer.print_attribute(type)
