"""Fusions that were nearly made, as the guards of the patterns report them."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class MissedFusion:
    """One miss: the pattern that looked, the op it looked at and where that was written, and the reason it declined."""

    pattern: str
    op: str
    place: str
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        hint = f" → {self.hint}" if self.hint else ""
        return f"{self.pattern} @ {self.op}{where} — {self.reason}{hint}"


@contextmanager
def collecting() -> Generator[list[MissedFusion]]:
    """The misses inside a `with` block, in order."""
    yield []
