"""Messages about a program, placed in its source: `file:line:col: error: text`, the source line and a caret."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, cast

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import ParseError

from rlx_passes.core.errors import RlxError

Severity = Literal["error", "warning", "remark", "note"]

LONGEST, WIDEST = 4000, 200
"""The most characters shown of a message and a source line: generated programs may be one line of megabytes."""


@dataclass(frozen=True)
class Place:
    """A position in a file, lines and columns from one; `width` characters are meant."""

    file: str
    line: int
    column: int
    width: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """One message. Without a place it is about the whole run, or about an op nobody knows the origin of."""

    severity: Severity
    message: str
    place: Place | None = None

    def render(self, source_line: Callable[[Place], str | None]) -> str:
        """The text for a terminal; `source_line` gives the line at a place, or None where it is not at hand."""
        head = f"{self.place}: " if self.place else ""
        message = self.message if len(self.message) <= LONGEST else f"{self.message[:LONGEST]} ..."
        text = f"{head}{self.severity}: {message}"
        line = source_line(self.place) if self.place else None
        if line is None or self.place is None:
            return text
        start = max(0, self.place.column - 1 - WIDEST // 2) if len(line) > WIDEST else 0
        line = line[start : start + WIDEST]
        before = line[: self.place.column - 1 - start]
        margin = "".join(char if char == "\t" else " " for char in before)
        width = max(1, min(self.place.width, len(line) - len(before)))
        return f"{text}\n{line}\n{margin}{'^' * width}"


class DiagnosticError(RlxError):
    """Work on a program that ended in diagnostics."""

    def __init__(self, diagnostics: Iterable[Diagnostic]):
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(diagnostic.message for diagnostic in self.diagnostics))


def error(message: str, place: Place | None = None) -> DiagnosticError:
    """A single error, to be raised."""
    return DiagnosticError([Diagnostic("error", message, place)])


def of_error(fault: RlxError) -> tuple[Diagnostic, ...]:
    """
    The diagnostics of an error; one about an op (its attribute `op`) is placed where that op was written.

    An error about several ops has them with their messages in `faults`.
    """
    if isinstance(fault, DiagnosticError):
        return fault.diagnostics
    if faults := cast(Iterable[tuple[Operation, str]], getattr(fault, "faults", ())):
        return tuple(Diagnostic("error", text, place_of(op)) for op, text in faults)
    op = getattr(fault, "op", None)
    return (Diagnostic("error", str(fault), place_of(op) if isinstance(op, Operation) else None),)


def of_parse_error(found: ParseError) -> Diagnostic:
    """The diagnostic of an error of xDSL's parser."""
    where = found.span.get_location()
    text = " ".join(line.strip() for line in found.msg.splitlines() if line.strip())
    first_line = found.span.text.split("\n", 1)[0]
    return Diagnostic("error", text, Place(where.file, where.line, where.col, max(1, len(first_line))))


def place_of(op: Operation) -> Place | None:
    """Where an op was written, as far as its location says; the first known place of a fused one."""
    return _place(op.location)


def _place(location: Attribute) -> Place | None:
    match location:
        case FileLineColLoc():
            return Place(location.filename.data, location.line.data, location.column.data)
        case NameLoc():
            return _place(location.location)
        case CallSiteLoc():
            return _place(location.callee) or _place(location.caller)
        case FusedLoc():
            parts = cast(ArrayAttr[Attribute], location.locations)
            return next((place for part in parts if (place := _place(part))), None)
        case _:
            return None
