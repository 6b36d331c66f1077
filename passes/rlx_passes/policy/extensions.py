"""
What other packages add: passes and where the fusion list runs them, op kinds, targets, reasons for a missed fusion.

A package says so in an `Extension`, and offers that under the entry point group `rlx_dialect.extensions` or hands it to
`register`. Entry points are read once, when something first asks for the fusion list, a claim, a target or a reason.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rlx_passes.core.errors import ExtensionError
from rlx_passes.policy.conditions import Row

if TYPE_CHECKING:
    from xdsl.universe import Universe

    from rlx_passes.rewriting.miss import CodedReason

GROUP = "rlx_dialect.extensions"


@dataclass(frozen=True)
class Extension:
    """
    What a package adds.

    `universe` has its passes and dialects, the one that it offers to every xDSL tool; `rows` say when its fusions run,
    each `before` or `after` a named pass. `kinds` maps the op kinds that a target may claim to the ops they name;
    reports and fusion locks count these. `targets` are TOML files, each called as its target. The codes of `reasons`
    have a prefix of the package's own.
    """

    name: str
    universe: "Universe"
    rows: tuple[Row, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    targets: tuple[Path, ...] = ()
    reasons: "tuple[type[CodedReason], ...]" = ()


_registered: list[Extension] = []


def installed() -> tuple[Extension, ...]:
    """Every extension: entry points by name, then registered ones. Raises `ExtensionError` for a broken one."""
    return (*discovered(), *_registered)


def register(extension: Extension) -> None:
    """Add an extension to those of the entry points. Raises `ExtensionError` where it claims what belongs to others."""
    if extension not in installed():
        _admit(extension)
        _registered.append(extension)


@contextmanager
def registered(extension: Extension) -> Generator[None]:
    """`register` for the length of a `with` block, as in a test."""
    register(extension)
    try:
        yield
    finally:
        forget(extension)


def forget(extension: Extension) -> None:
    """Take back what `register` added."""
    from rlx_dialect.kinds import forget_kind

    if extension in _registered:
        _registered.remove(extension)
    for kind in extension.kinds.keys() - foreign_kinds().keys():
        forget_kind(kind)


@cache
def discovered() -> tuple[Extension, ...]:
    """The extensions of entry points by name, each admitted once."""
    from importlib.metadata import entry_points

    found: list[Extension] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if point.group != GROUP:
            continue
        where = f"extension '{point.name}'" + (f" of package '{point.dist.name}'" if point.dist else "")
        try:
            extension = point.load()
        except Exception as fault:
            cause = " ".join(str(fault).split())
            raise ExtensionError(f"{where} cannot be loaded: {type(fault).__name__}: {cause}") from fault
        if not isinstance(extension, Extension):
            raise ExtensionError(f"{where}: {point.value} is no Extension")
        _admit(extension)
        found.append(extension)
    return tuple(found)


def _admit(extension: Extension) -> None:
    """Make the kinds known. Raises `ExtensionError` for a row without a place, or a kind or code owned by another."""
    for row in extension.rows:
        if bool(row.before) == bool(row.after):
            raise fault(extension, f"'{row.name}' must say before= or after= which pass it runs")
    for reasons in extension.reasons:
        for reason in reasons:
            if reason.code.startswith("RLX-"):
                raise fault(extension, f"the code {reason.code} of '{reason.title}' needs a prefix of its own")
    if extension.kinds:
        from rlx_dialect.kinds import KINDS, register_kind

        for kind, op in extension.kinds.items():
            if kind in KINDS and KINDS[kind].op != op:
                raise fault(extension, f"the op kind '{kind}' is '{KINDS[kind].op}', not '{op}'")
        for kind, op in extension.kinds.items():
            register_kind(kind, op, extension.name)


def fault(extension: Extension, problem: str) -> ExtensionError:
    """The error for something that is wrong with an extension."""
    return ExtensionError(f"extension '{extension.name}': {problem}")


def foreign_kinds() -> Mapping[str, str]:
    """The op kinds of all extensions, and their ops."""
    return {kind: op for extension in installed() for kind, op in extension.kinds.items()}


def every_reason() -> "Iterator[CodedReason]":
    """Every reason for a missed fusion, those of extensions last."""
    from rlx_passes.rewriting.miss import Reason

    yield from Reason
    for extension in installed():
        for reasons in extension.reasons:
            yield from reasons
