"""
`--verify-diagnostics`: comments in a program that say which diagnostics it causes.

    // expected-error @+1 {{not found}}
    // expected-remark-re @below {{took [0-9]+ steps}}

The offset is `@+N`, `@-N`, `@above` (the nearest line above without such a comment), `@below`, `@unknown` (no place),
or nothing for the line of the comment. The text must occur in the message; with `-re` it is a regular expression in
which `{{...}}` pieces mean expressions, as in FileCheck.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rlx_passes.reading.diagnostics import Diagnostic, Place
from rlx_passes.reading.source import Source

_COMMENT = re.compile(
    r"expected-(?P<severity>error|warning|remark|note)(?P<regex>-re)?\s*"
    r"(?:@(?P<offset>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}\s*$"
)
_PIECE = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True)
class Expectation:
    """One comment: the diagnostic it asks for. `line` is 0 where the place is unknown."""

    severity: str
    line: int
    text: str
    regex: bool
    comment: Place

    def matches(self, found: Diagnostic) -> bool:
        """Whether `found` is what the comment asks for."""
        line = found.place.line if found.place and found.place.file == self.comment.file else 0
        if found.severity != self.severity or line != self.line:
            return False
        if not self.regex:
            return self.text in found.message
        return re.search(_expression(self.text), found.message) is not None


def _expression(text: str) -> str:
    """The expression of an `-re` text: literal but for its `{{...}}` pieces."""
    literals = _PIECE.split(text)
    return "".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(literals))


@dataclass
class Expectations:
    """The comments of one program, checked off as diagnostics arrive."""

    source: Source
    open: list[Expectation] = field(default_factory=list[Expectation])

    @staticmethod
    def of(source: Source) -> "Expectations":
        """Read the comments of a program."""
        lines = source.text.split("\n")
        found = [(number, _COMMENT.search(line)) for number, line in enumerate(lines, 1)]
        commented = {number for number, comment in found if comment}
        expected: list[Expectation] = []
        for number, comment in found:
            if comment is None:
                continue
            line = _line(number, comment["offset"], commented)
            place = Place(source.name, number, comment.start() + 1, comment.end() - comment.start())
            expected.append(Expectation(comment["severity"], line, comment["text"], bool(comment["regex"]), place))
        return Expectations(source, expected)

    def check(self, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """The complaints: every diagnostic that no comment asked for, every comment that came to nothing."""
        complaints: list[Diagnostic] = []
        for found in diagnostics:
            match = next((expected for expected in self.open if expected.matches(found)), None)
            if match:
                self.open.remove(match)
            elif found.severity in ("error", "warning"):
                complaints.append(Diagnostic("error", f"unexpected {found.severity}: {found.message}", found.place))
        for expected in self.open:
            text = f'expected {expected.severity} "{expected.text}" was not produced'
            complaints.append(Diagnostic("error", text, expected.comment))
        return complaints


def _line(number: int, offset: str | None, commented: set[int]) -> int:
    match offset:
        case None:
            return number
        case "unknown":
            return 0
        case "above" | "below":
            step = -1 if offset == "above" else 1
            while number in commented:
                number += step
            return number
        case _:
            return number + int(offset)
