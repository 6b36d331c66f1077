"""How the sizes of a program have to be related, where that shows only when it runs."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from typing import Literal, NamedTuple, cast, get_args

from xdsl.dialects.builtin import DYNAMIC_INDEX

from rlx_dialect.dims import (
    Atom,
    Dim,
    Larger,
    Quotient,
    Size,
    Smaller,
    Symbol,
    Undecided,
    at_least,
    equal,
    larger,
    reckoned,
    smaller,
    substituted,
)

Written = int | str | list["Written"]
"""A size as data: a number, the name of one, or a list of an operator and what it is applied to."""

Kind = Literal["equal to", "at least", "at most", "a multiple of"]
_KINDS: tuple[Kind, ...] = get_args(Kind)


MOST = 2**48
"""The most elements of a tensor, far beyond any memory and far below what 64 bits reckon with."""

_LONG = 200
"""A relation that is longer is not written out in messages."""

_BEYOND = 2**63
"""No number in a relation is as large."""


class Relation(NamedTuple):
    """What holds of two sizes in each run without error: the left one is `kind` the right one."""

    left: Size
    kind: Kind
    right: Size

    def __str__(self) -> str:
        return f"{self.left} must be {self.kind} {self.right}"

    def holds(self) -> bool:
        """Whether it holds in all runs, or in none. Raises `Undecided` where runs differ."""
        match self.kind:
            case "equal to":
                return equal(self.left, self.right)
            case "at least":
                return at_least(self.left, self.right)
            case "at most":
                return at_least(self.right, self.left)
            case "a multiple of":
                return equal(self.left % self.right, 0)

    def substitute(self, sizes: Mapping[Atom, Size]) -> Relation:
        """The same with other sizes in place of some atoms."""
        return Relation(substituted(self.left, sizes), self.kind, substituted(self.right, sizes))

    def fault(self, sizes: Mapping[Atom, Size]) -> str:
        """What is wrong with sizes for all atoms; empty where the relation holds."""
        try:
            given = self.substitute(sizes)
            if given.holds():
                return ""
        except ArithmeticError as error:
            return f"{self.left} or {self.right} has no value: {error}"
        if len(str(self)) <= _LONG:
            return f"{self}, got {given.left} and {given.right}"
        atoms = (atom for size in (self.left, self.right) if isinstance(size, Dim) for atom in size.atoms())
        read = " and ".join(sorted({f"{atom} is {sizes[atom]}" for atom in atoms if atom in sizes}))
        return f"{read}, so that {given.left} must be {self.kind} {given.right}"

    def to_json(self, name: Callable[[Atom], str]) -> list[Written]:
        """Its parts in order, with `name` for each atom that is not made of others."""
        return [written(self.left, name), self.kind, written(self.right, name)]


class Noted(list[Relation]):
    """Relations that differ between runs, and the last one that was asked for and holds in none."""

    refuted: Relation | None = None


_noted: ContextVar[Noted | None] = ContextVar("rlx_noted_relations", default=None)


@contextmanager
def noted() -> Generator[Noted]:
    """Yields the list of what `can_be` finds inside the `with` block to differ between runs."""
    found = Noted()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def can_be(left: Size, kind: Kind, right: Size) -> bool:
    """
    Whether two sizes can be so related when the program runs; `?` can be anything.

    A rule that says no otherwise relies on it: what differs between runs is noted.
    """
    if DYNAMIC_INDEX in (left, right):
        return True
    relation, found = Relation(left, kind, right), _noted.get()
    try:
        holds = relation.holds()
    except Undecided:
        if found is not None:
            found.append(relation)
        return True
    if not holds and found is not None:
        found.refuted = relation
    return holds


# As data.


def size_name(role: str, name: str, axis: int) -> str:
    """What the size of an axis of an argument is called."""
    return f"dim {axis} of {role} '{name}'"


_OPERATORS: Mapping[str, Callable[[Size, Size], Size]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "max": larger,
    "min": smaller,
}


def written(size: Size, name: Callable[[Atom], str]) -> Written:
    """A size as data, with `name` for each atom that is not made of others."""

    def atom(each: Atom) -> Written:
        match each:
            case Quotient(dividend, divisor):
                return ["//", written(dividend, name), written(divisor, name)]
            case Larger(sizes) | Smaller(sizes):
                parts = sorted((written(part, name) for part in sizes), key=str)
                return ["max" if isinstance(each, Larger) else "min", *parts]
            case _:
                return name(each)

    def applied(operator: str, a: Written, b: Written) -> Written:
        # A long sum is one list, not lists in lists, which readers go into step by step.
        return [*a, b] if isinstance(a, list) and a[0] == operator else [operator, a, b]

    return size if isinstance(size, int) else reckoned(size, atom, applied)


def size_of_written(data: object, names: Container[str]) -> Size:
    """The size that `written` gave, its names as symbols. Raises `ValueError` for anything else."""
    if isinstance(data, int) and not isinstance(data, bool) and abs(data) < _BEYOND:
        return data
    if isinstance(data, str) and data in names:
        return Dim.of(Symbol(data))
    parts = cast("list[object]", data) if isinstance(data, list) else [None]
    if len(parts) < 3 or not isinstance(parts[0], str) or parts[0] not in _OPERATORS:
        raise ValueError(f"{data!r} is no size: a number, the name of one, or a list of an operator and sizes")
    try:
        return reduce(_OPERATORS[parts[0]], [size_of_written(part, names) for part in parts[1:]])
    except ArithmeticError as error:
        raise ValueError(str(error)) from error


def relations_of_json(data: object, names: Container[str]) -> tuple[Relation, ...]:
    """The relations that `to_json` gave, their names, which are among `names`, as symbols. Raises `ValueError`."""
    parts = cast("list[object]", data) if isinstance(data, list) else [data]
    try:
        return tuple(_relation(each, names) for each in parts)
    except RecursionError as error:
        raise ValueError("a size is nested too deeply to be read") from error


def _relation(data: object, names: Container[str]) -> Relation:
    parts = cast("list[object]", data) if isinstance(data, list) else []
    if len(parts) != 3 or parts[1] not in _KINDS:
        raise ValueError(f"{data!r} is no relation: a list of a size, one of {', '.join(_KINDS)}, and a size")
    return Relation(size_of_written(parts[0], names), parts[1], size_of_written(parts[2], names))
