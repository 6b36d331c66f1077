"""Ops that print alike are printed by template, from the second one on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import IO, Any

from xdsl.ir import Operation, SSAValue
from xdsl.printer import Printer

from rlx_dialect.fast.identities import Identities

_AS_IT_IS = re.compile(r"[ !#-\[\]-~]*").fullmatch
"""What a string holds that is printed without an escape."""


@dataclass(frozen=True)
class _Template:
    """
    What follows the result, as a format of the operands' names; `order` is the place of each among the operands, None
    for their own order.
    """

    text: str
    order: Sequence[int] | None


class FastPrinter(Printer):
    """
    A `Printer` that writes the same text faster.

    What an op prints must follow from its class, types, properties and attributes, and from the names of its operands
    and result.
    """

    def __init__(self, stream: IO[str] | None = None, *args: Any, **kwargs: Any):
        super().__init__(stream, *args, **kwargs)
        self._identities = Identities()
        self._seen: set[tuple[int, ...]] = set()
        self._templates: dict[tuple[int, ...], _Template | None] = {}
        self._holes: list[tuple[SSAValue, int, int]] | None = None

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._current_column += len(text)
            self.stream.write(text)

    def print_bytes_literal(self, bytestring: bytes) -> None:
        text = bytestring.decode("latin-1")
        if _AS_IT_IS(text):
            self.print_string(f'"{text}"')
        else:
            super().print_bytes_literal(bytestring)

    def print_ssa_value(self, value: SSAValue) -> str:
        if self._holes is None:
            return super().print_ssa_value(value)
        start = self.stream.tell()
        name = super().print_ssa_value(value)
        self._holes.append((value, start, self.stream.tell()))
        return name

    def print_op(self, op: Operation) -> None:
        if (
            (op.regions or op.successor_uses or len(op.results) > 1)
            or self.print_debuginfo
            or self._holes is not None
            or self.diagnostic.op_messages
            or not (number := self._identities.key(op))
        ):
            super().print_op(op)
            return
        operands = tuple(op.operands)
        key = (number, self.print_generic_format, self.print_properties_as_attributes)
        if len(operands) > 1 and len(set(map(id, operands))) != len(operands):
            key += tuple(map(operands.index, operands))
        if key in self._templates:
            template = self._templates[key]
            if template is None or not self._replayed(op, operands, template):
                super().print_op(op)
        elif key in self._seen:
            self._templates[key] = self._recorded(op)
        else:
            self._seen.add(key)
            super().print_op(op)

    def _replayed(self, op: Operation, operands: Sequence[SSAValue], template: _Template) -> bool:
        try:
            written = tuple(map(self._ssa_values.__getitem__, operands))
        except KeyError:
            return False
        if template.order is not None:
            written = tuple(map(written.__getitem__, template.order))
        for result in op.results:
            self.print_ssa_value(result)
        text = template.text % written
        self._current_column += len(text)
        self.stream.write(text)
        return True

    def _recorded(self, op: Operation) -> _Template | None:
        """Print an op, and see where it names values."""
        stream, self.stream = self.stream, StringIO()
        self._holes = holes = list[tuple[SSAValue, int, int]]()
        try:
            super().print_op(op)
        finally:
            text = self.stream.getvalue()
            self.stream, self._holes = stream, None
            stream.write(text)
        return _template_of(op, text, holes)


def _template_of(op: Operation, text: str, holes: Sequence[tuple[SSAValue, int, int]]) -> _Template | None:
    """
    The template of what an op printed, or None where it names other values than one result, first of all, and its
    operands.
    """
    start, operands = 0, holes
    if op.results:
        if not holes or holes[0][0] is not op.results[0] or holes[0][1] != 0:
            return None
        start, operands = holes[0][2], holes[1:]
    places = {operand: at for at, operand in enumerate(op.operands)}
    if "\n" in text or {value for value, _, _ in operands} != places.keys():
        return None
    pieces: list[str] = []
    for _, before, after in operands:
        pieces += (text[start:before].replace("%", "%%"), "%%%s")
        start = after
    pieces.append(text[start:].replace("%", "%%"))
    order = [places[value] for value, _, _ in operands]
    return _Template("".join(pieces), None if order == list(range(len(places))) else order)
