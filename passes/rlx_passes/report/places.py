"""Where an op was written: one place for each op, however many it was made of."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from xdsl.ir import Attribute


@dataclass(frozen=True)
class Origin:
    """
    A position in a file, or the name that a frontend gave (without a file); `python` is the line of Python source where
    that is known.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    name: str = ""
    python: str = ""

    @staticmethod
    def of(location: Attribute) -> "Origin":
        """The first place in a location of several; a line of Python is told wherever it stands in it."""
        file, line, column, name, python = "", 0, 0, "", ""
        for part in _parts(location):
            if isinstance(part, NameLoc):
                name = name or part.desc.data
                continue
            if not file:
                file, line, column = part.filename.data, part.line.data, part.column.data
            if not python and part.filename.data.endswith(".py"):
                python = f"{part.filename.data}:{part.line.data}"
        return Origin(file, line, column, name, python)

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}:{self.column}" if self.file else ""
        name = f'"{self.name}"' if self.name and not text else ""
        python = f"({self.python})" if self.python and not text.startswith(f"{self.python}:") else ""
        return " ".join(filter(None, (text, name, python)))

    def to_json(self) -> dict[str, object]:
        return dict(vars(self))


def _parts(location: Attribute) -> Iterator[FileLineColLoc | NameLoc]:
    pending = [location]
    while pending:
        match each := pending.pop():
            case FileLineColLoc():
                yield each
            case NameLoc():
                yield each
                pending.append(each.location)
            case CallSiteLoc():
                pending += [each.caller, each.callee]
            case FusedLoc():
                pending += reversed(cast("ArrayAttr[Attribute]", each.locations).data)
            case _:
                pass
