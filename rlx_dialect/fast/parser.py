"""
Lines that were read before are read by template.

An op on one line is a function of the text between the names of values, of the types of those values, and of the
dialects around it. The first line of a kind is read by the stock parser; a later one by a regular expression, a table
and `create`. A template may refuse, never decide: what is odd about a line, and every error, is the stock parser's.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, NamedTuple

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation

from rlx_dialect.fast.attributes import LONGEST, RESOURCE, AttributeTables
from rlx_dialect.fast.lexer import NAME
from rlx_dialect.fast.places import place_in

_SPLIT = re.compile(f"%({NAME})").split
_RESULTS = rf"%{NAME}(?::[0-9]+)?(?:, ?%{NAME}(?::[0-9]+)?)*+ *="
_STARTS = rf'{_RESULTS}|"[^"\n]*+"\(|[a-zA-Z_][a-zA-Z0-9_$]*+\.[a-zA-Z0-9_$.]|return(?![a-zA-Z0-9_$.])|\}}'
_LINE = re.compile(rf'(?:%({NAME}) *= *)?(["a-zA-Z_][^\n]{{0,{LONGEST}}}+)\n[ \t\r\n]*+(?=({_STARTS}))').match
"""A line with one op, the name of its result apart, that is followed by an op or the end of the block."""

_PLACE = re.compile(r' loc\("([^"\\\n]*+)":([0-9]{1,9}):([0-9]{1,9})\)\Z')
_FIELDS = frozenset(field.name for field in fields(Operation)) | {"results"}
_PATIENCE = 64
"""After how many lines in a row without a template of use no more are made for an op."""


@dataclass(frozen=True)
class _Template:
    """
    What the stock parser made of a line: `order` is the place of each operand among the names, None for the same
    order.
    """

    op: type[Operation]
    order: Sequence[int] | None
    operand_types: list[Attribute]
    result_types: Sequence[Attribute]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    unregistered: bool


class _Cut(NamedTuple):
    """A line taken apart: `key` is the text without names, `place` a location at its end."""

    result: str | None
    body: str
    key: str
    names: list[str]
    place: LocationAttr | None
    start: int
    end: int


class FastParser(AttributeTables):
    """
    A `Parser` that reads what it has read before by template: the same ops, locations and errors, many times faster.

    To combine it with a parser of your own, derive from both, this one first.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._templates: dict[tuple[str, ...], dict[str, _Template]] = {}
        self._misses: dict[type[Operation], int] = {}

    def location_at(self, position: int) -> LocationAttr:
        """
        The location of an op without one in the text whose name stands at `position`, for parsers that give it one.
        """
        return UNKNOWN_LOC

    def _parse_block_body(self, block: Block) -> None:
        templates = self._templates.setdefault(tuple(self._parser_state.dialect_stack), {})
        text = self.lexer.input.content
        while True:
            pos = start = self.pos
            cut = None
            while (line := _LINE(text, pos)) is not None:
                cut = self._cut(line)
                op = self._replayed(cut, templates.get(cut.key))
                if op is None:
                    break
                block.add_op(op)
                pos = cut.end
                cut = None
            if pos != start:
                self._resume_from(pos)
            op = self.parse_optional_operation()
            if op is None:
                return
            block.add_op(op)
            if cut is not None and cut.end == self.pos:
                self._learn(cut, op, templates)

    def _cut(self, line: re.Match[str]) -> _Cut:
        result, body, follows = line.groups()
        place = None
        if body[-1] == ")" and (written := _PLACE.search(body)) is not None:
            place = place_in(written[1], int(written[2]), int(written[3]))
            body = body[: written.start()]
        pieces = _SPLIT(body)
        names = pieces[1::2]
        pieces[1::2] = "\n" * len(names)  # which no line has
        pieces.append(follows if follows == "return" else follows[0] if follows[0] in '%"}' else "a")
        if place is not None:
            pieces.append("loc")
        if len(set(names)) != len(names):
            pieces.append(",".join(str(names.index(name)) for name in names))
        return _Cut(result, body, "".join(pieces), names, place, line.start(2), line.end())

    def _replayed(self, cut: _Cut, template: _Template | None) -> Operation | None:
        values, result = self.ssa_values, cut.result
        if template is None or result in values or result in self.forward_ssa_references:
            return None
        try:
            operands = [values[name][0] for name in cut.names]
        except KeyError:
            return None
        if template.order is not None:
            operands = [operands[at] for at in template.order]
        if [operand.type for operand in operands] != template.operand_types:
            return None
        self._misses[template.op] = 0
        op = template.op.create(
            operands=operands,
            result_types=template.result_types,
            properties=template.properties,
            attributes=template.attributes,
            location=cut.place or self.location_at(cut.start),
        )
        if template.unregistered:
            op.attributes.update(template.attributes)  # with the one name that all of the kind share, not a new one
        if result is not None:
            values[result] = (op.results[0],)
            if not result.isdecimal():
                op.results[0].name_hint = result
        return op

    def _learn(self, cut: _Cut, op: Operation, templates: dict[str, _Template]) -> None:
        missed = self._misses[type(op)] = self._misses.get(type(op), 0) + 1
        values = self.ssa_values
        if (
            missed > _PATIENCE
            or _is_odd(cut.body)
            or (op.regions or op.successors)
            or len(op.results) != (cut.result is not None)
            or len(op.operands) != len(cut.names)
            or not vars(op).keys() <= _FIELDS
            or op.location != (cut.place or self.location_at(cut.start))
            or any(name not in values for name in cut.names)
        ):
            return
        named = {values[name][0]: at for at, name in enumerate(cut.names)}
        if named.keys() != set(op.operands):
            return
        order = [named[operand] for operand in op.operands]
        templates[cut.key] = _Template(
            type(op),
            None if all(a < b for a, b in pairwise(order)) else order,
            [operand.type for operand in op.operands],
            op.result_types,
            op.properties.copy(),
            op.attributes.copy(),
            isinstance(op, UnregisteredOp),
        )


def _is_odd(body: str) -> bool:
    """Whether a text may mean more than it shows: names in strings, comments, other locations, resources."""
    return (
        any(word in body for word in ("//", '\\"', "loc(", RESOURCE))
        or body.count('"') % 2 == 1
        or any("%" in string for string in body.split('"')[1::2])
    )
