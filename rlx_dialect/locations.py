"""The locations that xDSL does not read: ranges in files, lines without a column, fused ones with metadata."""

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, FusedLoc, IntAttr, LocationAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

# pyright: reportPrivateUsage=false


class _Open:
    """Stands before an attribute whose class xDSL closes to further ones."""

    def __init_subclass__(cls) -> None:
        pass


@irdl_attr_definition
class FileLineColRange(_Open, FileLineColLoc):
    """
    `loc("a.py":3:1 to 4:7)`: from a line and column to another. The end of a range in one line is `to :7`.

    A place for whoever asks for one, since xDSL takes no location of another class inside fused and named ones.
    """

    name = "file_line_range"

    end_line: IntAttr = param_def()
    end_column: IntAttr = param_def()

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            super().print_builtin(printer)
            printer.print_string(" to ")
            if self.end_line != self.line:
                printer.print_int(self.end_line.data)
            printer.print_string(":")
            printer.print_int(self.end_column.data)


class LocationParser(Parser):
    """Reads every location that MLIR's builtin dialect has."""

    def _parse_location(self) -> LocationAttr:
        if self._current_token.kind is MLIRTokenKind.STRING_LIT:
            start = self.pos
            file = self.parse_str_literal()
            if self.parse_optional_punctuation(":") is not None:
                return self._parse_place(StringAttr(file))
            self._resume_from(start)
        elif self.parse_optional_keyword("fused") is not None:
            return self._parse_fused()
        return super()._parse_location()

    def _parse_place(self, file: StringAttr) -> FileLineColLoc:
        line, column = self._parse_number(), IntAttr(0)
        if self.parse_optional_punctuation(":") is not None:
            column = self._parse_number()
            if self.parse_optional_keyword("to") is not None:
                end = line if self._current_token.kind is MLIRTokenKind.COLON else self._parse_number()
                self.parse_punctuation(":")
                return _place(file, line, column, end, self._parse_number())
        return FileLineColLoc(file, line, column)

    def _parse_fused(self) -> FusedLoc:
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<") is not None:
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(ArrayAttr[Attribute](parts), metadata)

    def _parse_number(self) -> IntAttr:
        return IntAttr(self.parse_integer(allow_boolean=False, allow_negative=False))


def _place(file: StringAttr, line: IntAttr, column: IntAttr, end_line: IntAttr, end_column: IntAttr) -> FileLineColLoc:
    if (end_line, end_column) == (line, column):
        return FileLineColLoc(file, line, column)
    return FileLineColRange(file, line, column, end_line, end_column)
