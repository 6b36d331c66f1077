"""Reading a TOML table key by key; every error names the file, the key and the value."""

import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from rlx_passes.core.errors import TargetError, did_you_mean, one_line

ScalarT = TypeVar("ScalarT", str, bool, int)

_NAMES: dict[type, str] = {str: "a string", bool: "true or false", int: "an integer", dict: "a table", list: "a list"}


@dataclass(frozen=True)
class Table:
    """
    A TOML table, the file it came from, and the dotted path to it in that file (empty at the top).

    The first fault is raised; where `faults` is a list they are put into it, and reading goes on with the default.
    """

    source: str
    path: str
    entries: dict[str, object]
    faults: list[TargetError] | None = None

    @staticmethod
    def read(file: Path, faults: list[TargetError] | None = None) -> "Table":
        """Parse `file`; raises TargetError when it cannot be read or is no TOML."""
        try:
            return Table(str(file), "", tomllib.loads(file.read_text(encoding="utf-8")), faults)
        except OSError as error:
            raise TargetError(f"{file}: cannot read the target file: {error.strerror or error}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise TargetError(f"{file}: not a TOML file: {error}") from error
        except RecursionError as error:
            raise TargetError(f"{file}: not a TOML file of a target: too many brackets in each other") from error

    def key(self, name: str) -> str:
        """The dotted name of an entry, for messages."""
        return f"{self.path}.{name}" if self.path else name

    def wrong(self, name: str, problem: str) -> None:
        """Raise, or note, the fault of a bad entry."""
        self.fault(f"{self.key(name)} = {_show(self.entries.get(name))}: {problem}")

    def fault(self, text: str) -> None:
        """Raise, or note, a fault of the file."""
        error = TargetError(one_line(f"{self.source}: {text}"))
        if self.faults is None:
            raise error
        self.faults.append(error)

    def scalar(self, name: str, kind: type[ScalarT], default: ScalarT | None = None) -> ScalarT:
        """A string, bool or integer entry; required when there is no default."""
        fallback = kind() if default is None else default
        if name not in self.entries:
            if default is None:
                self.fault(f"{self.key(name)} is missing; it must be {_NAMES[kind]}")
            return fallback
        value = self.entries[name]
        if type(value) is not kind:
            self.wrong(name, f"must be {_NAMES[kind]}")
            return fallback
        return cast(ScalarT, value)

    def number(self, name: str, default: float) -> float:
        """A number that is not negative."""
        value = self.entries.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            self.wrong(name, "must be a number that is not negative")
            return default
        return float(value)

    def count(self, name: str, default: int, most: int) -> int:
        """An integer from 1 to `most`."""
        value = self.scalar(name, int, default)
        if 1 <= value <= most:
            return value
        self.wrong(name, "must be at least 1" if value < 1 else f"must be at most {most}")
        return default

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """A string out of `choices`."""
        value = self.scalar(name, str, default)
        if value in choices:
            return value
        self.wrong(name, "must be one of " + ", ".join(choices) + did_you_mean(value, choices))
        return default

    def words(self, name: str, known: Iterable[str] | None = None, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of strings, without repeats; each one of `known` where that is given."""
        value = self.entries.get(name, list(default))
        if not isinstance(value, list):
            self.wrong(name, "must be a list of strings")
            return default
        allowed = None if known is None else tuple(known)
        words: dict[str, None] = {}
        for word in cast(list[object], value):
            if not isinstance(word, str):
                self.wrong(name, f"must be a list of strings, and {_show(word)} is none")
            elif allowed is not None and word not in allowed:
                self.wrong(name, f"'{word}' is not known here{did_you_mean(word, allowed)}")
            else:
                words[word] = None
        return tuple(words)

    def table(self, name: str) -> "Table":
        """A nested table; an absent one reads as empty."""
        value = self.entries.get(name, {})
        if not isinstance(value, dict):
            self.wrong(name, "must be a table")
            value = {}
        return Table(self.source, self.key(name), cast(dict[str, object], value), self.faults)

    def options(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Every entry as the words of a pass option: scalars become one word, lists of scalars several."""
        return tuple((name, self._option(name)) for name in self.entries)

    def _option(self, name: str) -> tuple[str, ...]:
        value = self.entries[name]
        items = cast(list[object], value) if isinstance(value, list) else [value]
        if not all(isinstance(item, str | bool | int | float) for item in items):
            self.wrong(name, "must be a string, a number, true, false or a list of these")
            return ()
        return tuple(str(item).lower() if isinstance(item, bool) else str(item) for item in items)

    def only(self, *known: str) -> None:
        """Refuse entries that nobody reads: a misspelt key must not pass in silence."""
        for name in self.entries:
            if name not in known:
                self.wrong(name, f"no such key{did_you_mean(name, known)}")


def _show(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).lower() if isinstance(value, bool) else str(value)
