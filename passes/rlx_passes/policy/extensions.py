"""
What other packages add: passes and where the fusion list runs them, op kinds, targets, reasons for a missed fusion.

A package says so in an `Extension`, and offers that under the entry point group `rlx_dialect.extensions` or hands it to
`register`. Entry points are read once, when something first asks for the fusion list, a claim, a target or a reason.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rlx_passes.core.entry_points import entry_points_of
from rlx_passes.core.errors import ExtensionError, one_line
from rlx_passes.policy.admission import problems
from rlx_passes.policy.conditions import Row

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass
    from xdsl.universe import Universe

    from rlx_passes.rewriting.miss import CodedReason

T = TypeVar("T")

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
    """Add an extension. Raises `ExtensionError` for one that is broken or claims what belongs to others."""
    if extension not in (others := installed()):
        _registered.append(_admit(extension, others))


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
    found: list[Extension] = []
    for point in sorted(entry_points_of(GROUP), key=lambda point: point.name):
        if point.group == GROUP:
            extension = loaded(_title(point, "extension"), point.load)
            if not isinstance(extension, Extension):
                raise ExtensionError(f"{_title(point, 'extension')}: {point.value} is no Extension")
            found.append(_admit(extension, found))
    return tuple(found)


@cache
def multiverse() -> "Universe":
    """
    What packages offer to every xDSL tool, searched once. Raises `ExtensionError` for an entry point that cannot be
    loaded.
    """
    from importlib.metadata import entry_points

    from xdsl.universe import Universe

    try:
        return Universe.get_multiverse()
    except Exception:
        for point in entry_points(group="xdsl.universe"):
            loaded(_title(point, "universe"), point.load)
        return loaded("the universes of this environment", Universe.get_multiverse)


def _title(point: "EntryPoint", what: str) -> str:
    return f"{what} '{point.name}'" + (f" of package '{point.dist.name}'" if point.dist else "")


def loaded(what: str, load: Callable[[], T]) -> T:
    """What `load` gives. Whatever it raises becomes an `ExtensionError` of one line."""
    try:
        return load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # As are exits, and panics of packages in Rust.
        cause = " ".join(str(error).split())
        raise ExtensionError(one_line(f"{what} cannot be loaded: {type(error).__name__}: {cause}")) from error


def loaded_pass(extension: Extension, name: str, load: Callable[[], object]) -> "type[ModulePass]":
    """A pass of an extension's universe. Raises `ExtensionError` if no pass of that name is loaded."""
    from xdsl.passes import ModulePass

    cls = loaded(f"extension '{extension.name}': the pass '{name}'", load)
    if not isinstance(cls, type) or not issubclass(cls, ModulePass) or cls.name != name:
        raise fault(extension, f"what is loaded as the pass '{name}' is no pass of that name")
    return cls


def loaded_dialect(extension: Extension, name: str, load: Callable[[], object]) -> "Dialect":
    """`loaded_pass` for a dialect."""
    from xdsl.ir import Dialect

    dialect = loaded(f"extension '{extension.name}': the dialect '{name}'", load)
    if not isinstance(dialect, Dialect) or dialect.name != name:
        raise fault(extension, f"what is loaded as the dialect '{name}' is no dialect of that name")
    return dialect


def _admit(extension: object, others: Iterable[Extension]) -> Extension:
    """
    Make the kinds known. Raises `ExtensionError` for what is no extension, for parts that are none of one, and for
    a kind or code that is not the extension's to give.
    """
    if not isinstance(extension, Extension):
        raise ExtensionError(one_line(f"{extension!r} is no Extension"))
    for problem in problems(vars(extension)):
        raise fault(extension, problem)
    _check_codes(extension, others)
    if extension.kinds:
        from rlx_dialect.kinds import KINDS, register_kind

        for kind, op in extension.kinds.items():
            if kind in KINDS and KINDS[kind].op != op:
                raise fault(extension, f"the op kind '{kind}' is '{KINDS[kind].op}', not '{op}'")
        for kind, op in extension.kinds.items():
            register_kind(kind, op, extension.name)
    return extension


def _check_codes(extension: Extension, others: Iterable[Extension]) -> None:
    """Each code stands for one reason: saved reports name reasons by it."""
    taken = {reason.code: reason for other in others for reasons in other.reasons for reason in reasons}
    for reasons in extension.reasons:
        for title, reason in reasons.__members__.items():
            first = taken.setdefault(reason.code, reason)
            if first is not reason or title != reason.name:
                raise fault(extension, f"the code {reason.code} of '{reason.title}' is that of '{first.title}' already")


def fault(extension: Extension, problem: str) -> ExtensionError:
    """The error for something that is wrong with an extension."""
    return ExtensionError(one_line(f"extension '{extension.name}': {problem}"))


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
