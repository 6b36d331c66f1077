"""From text to a module whose ops know where they were written."""

import re
from bisect import bisect_right
from typing import TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseResourceAttr,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import UnresolvedOperand
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from rlx_dialect.fast import FastParser
from rlx_dialect.fast.places import place_in
from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes.core.collection import rare_collection
from rlx_passes.core.errors import InputError, RlxError, did_you_mean
from rlx_passes.reading.diagnostics import Diagnostic, DiagnosticError, Place, error, of_parse_error
from rlx_passes.reading.source import Source
from rlx_passes.switches.environment import flag

AttributeT = TypeVar("AttributeT", bound=Attribute)

_RESULTS = re.compile(r"(?:%[\w$.-]+(?::\d+)?\s*,?\s*)+=\s*")
_NOTHING = re.compile(r"(?:\s|//[^\n]*)*")
_ALIAS = re.compile(r"#[A-Za-z_][\w$.-]*")
_LATER = re.compile(r"^(#[A-Za-z_][\w$.-]*) *= *(loc\(.*\)) *$", re.MULTILINE)
_UNDEFINED = "values used but not defined"
_UNKNOWN_OP = re.compile(r"Operation (\S+) is not registered")


class LocatedParser(RlxParser):
    """A parser that gives each op the place of its name as location, as MLIR does, unless one is written."""

    def __init__(self, context: Context, source: Source):
        super().__init__(context, source.text, source.name)
        self.source = source
        self.file = StringAttr(source.name)
        self.first_uses: dict[str, Span] = {}
        self.later: set[str] = set()
        self.looked = False
        self.line_starts = [0, *(mark.end() for mark in re.finditer("\n", source.text))]

    def _parse_location(self) -> LocationAttr:
        token = self._current_token
        if token.kind is MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases and not self.looked:
            self._read_later_locations()
        return super()._parse_location()

    def _read_later_locations(self) -> None:
        """
        Names of locations that MLIR defines after the ops that have them mean the same before.

        Read at the first one: what their metadata names is defined before the ops.
        """
        self.looked = True
        text = self.source.text
        first = text.find("loc(#")
        pending = [] if first < 0 else list(_LATER.finditer(text, first))
        while pending:
            left = [each for each in pending if not self._read_location(*each.groups())]
            if len(left) == len(pending):
                break
            pending = left
        known = {*self.attribute_aliases, *(each[1] for each in pending)}
        for each in pending:
            for name in _ALIAS.finditer(text, *each.span(2)):
                if name[0] not in known:
                    self.raise_error(f"undefined symbol alias '{name[0]}'", *name.span())

    def _parse_alias_def(self) -> None:
        name = self._current_token.text
        if name in self.later:
            self.later.remove(name)
            del self.attribute_aliases[name]
        super()._parse_alias_def()

    def _read_location(self, name: str, written: str) -> bool:
        parser = RlxParser(self.ctx, written)
        parser.attribute_aliases = self.attribute_aliases
        try:
            location = parser.parse_optional_location()
        except ParseError:
            return False
        if location is not None:
            self.attribute_aliases[name] = location
            self.later.add(name)
        return location is not None

    def parse_operation(self) -> Operation:
        start = self.pos
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            results = _RESULTS.match(self.source.text, start)
            op.location = self.place_at(results.end() if results else start)
        return op

    def place_at(self, position: int) -> FileLineColLoc:
        """The location of an op whose name stands at `position` in the text."""
        line, column = self.line_and_column(position)
        return FileLineColLoc(self.file, IntAttr(line), IntAttr(column))

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        from rlx_passes.core.sidecar import REFERENCE

        if not REFERENCE.match(self.source.text, self.pos):
            return super()._parse_builtin_dense_resource_attr()
        self.parse_characters("<")
        start = self.pos
        name = self.parse_identifier()
        end = self.pos
        self.parse_characters(">")
        self.parse_characters(":")
        type = self.parse_type()
        if self.source.sidecar is None:
            self.raise_error("the constant is in a file of its own, which --sidecar=FILE names", start, end)
        try:
            constant = self.source.sidecar.constant(name, type)
        except InputError as problem:
            self.raise_error(str(problem), start, end)
        return cast(DenseResourceAttr, constant)  # the caller takes any attribute

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeT) -> SSAValue[AttributeT]:
        name = operand.operand_name
        if name not in self.ssa_values and name not in self.forward_ssa_references:
            self.first_uses[name] = operand.span
        return super().resolve_operand(operand, type)

    def undefined_values(self) -> list[Diagnostic]:
        """An error for each value used and never defined, at its first use; xDSL points at the end of the text."""
        names = [name for name in self.forward_ssa_references if name in self.first_uses]
        return [
            of_parse_error(ParseError(self.first_uses[name], f"value %{name} is used but not defined"))
            for name in names
        ]

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Line and column, from one, of a position in the text."""
        line = bisect_right(self.line_starts, position)
        return line, position - self.line_starts[line - 1] + 1


class FastLocatedParser(FastParser, LocatedParser):
    """The same, faster."""

    def location_at(self, position: int) -> LocationAttr:
        return place_in(self.source.name, *self.line_and_column(position))


def parse(context: Context, source: Source) -> ModuleOp:
    """The module in `source`, empty for an empty text. Raises DiagnosticError with the place of the fault."""
    if source.model is not None:
        from rlx_passes.frontends.onnx import from_onnx

        return from_onnx(source.name, dims=source.model.dims, values=source.model.values).module
    if _NOTHING.fullmatch(source.text):
        return ModuleOp([])
    parser: LocatedParser | None = None
    try:
        with rare_collection():
            parser = (LocatedParser if flag("RLX_STOCK_PARSER") else FastLocatedParser)(context, source)
            return parser.parse_module()
    except ParseError as found:
        undefined = parser.undefined_values() if parser and found.msg.startswith(_UNDEFINED) else []
        raise DiagnosticError(undefined or [_unknown_op(found, context, source) or of_parse_error(found)]) from found
    except RecursionError as found:
        raise error(f"{source.name}: the program is nested too deeply to be read") from found
    except Exception as found:
        # xDSL builds ops and attributes while it parses, and their constructors raise what they like.
        told = isinstance(found, DiagnosticException | ValueError | RlxError)
        message = str(found) if told else f"{type(found).__name__}: {found}"
        line, column = parser.line_and_column(parser.pos) if parser else (1, 1)
        raise error(_flat(message), Place(source.name, line, column)) from found


def _unknown_op(found: ParseError, context: Context, source: Source) -> Diagnostic | None:
    """xDSL places this error after the name; it belongs under it, with a guess at what was meant."""
    name = _UNKNOWN_OP.fullmatch(found.msg)
    at = source.text.rfind(name[1], 0, found.span.end) if name else -1
    if name is None or at < 0:
        return None
    known = [op.name for op in context.loaded_ops]
    message = f"unknown op '{name[1]}'{did_you_mean(name[1], known)}"
    if "." in name[1] and context.get_optional_dialect(dialect := name[1].split(".")[0]) is None:
        message = f"unknown op '{name[1]}': no dialect '{dialect}' (--allow-unregistered-dialect accepts it unread)"
    return Diagnostic("error", message, _place_at(source, at, len(name[1])))


def _place_at(source: Source, position: int, width: int) -> Place:
    before = source.text[:position]
    return Place(source.name, before.count("\n") + 1, position - before.rfind("\n"), width)


def _flat(message: str) -> str:
    return " ".join(message.split())
