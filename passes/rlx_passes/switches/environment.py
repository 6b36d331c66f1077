"""
The `RLX_*` environment: a scoped override map before the process environment, and three ways to read a variable.

Nothing else reads these variables; `variables.py` lists them. What they say of fusion is read while options and pass
lists are built, so a pass never reads one. The override map is a context variable, one for each thread and task.
"""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType

PREFIX = "RLX_"
FALSE_WORDS = frozenset({"", "0", "false", "off", "no"})

_NOTHING: Mapping[str, str] = MappingProxyType({})
_overrides: ContextVar[Mapping[str, str]] = ContextVar("rlx_environment_overrides", default=_NOTHING)


def full_name(key: str) -> str:
    """`key` with the `RLX_` prefix put in front where it is missing."""
    return key if key.startswith(PREFIX) else PREFIX + key


def is_true(text: str) -> bool:
    """
    The truth of a flag's text: after trimming, nothing, `0`, `false`, `off` and `no` in any case are false.

    All else is true, so `00` and `2` are, and so is a word nobody foresaw.
    """
    return text.strip().lower() not in FALSE_WORDS


@dataclass(frozen=True)
class Environment:
    """What the variables were at one moment: the overrides in force, and the process's own variables beneath them."""

    process: Mapping[str, str]
    overrides: Mapping[str, str]

    def var(self, key: str) -> str | None:
        """The raw text, untrimmed, or None when the variable is not set. An empty text counts as set."""
        key = full_name(key)
        return self.overrides[key] if key in self.overrides else self.process.get(key)

    def is_unset(self, key: str) -> bool:
        """Whether the variable is absent."""
        return self.var(key) is None

    def flag(self, key: str) -> bool:
        """The truth of the variable's text (`is_true`); false when it is not set."""
        text = self.var(key)
        return text is not None and is_true(text)

    def exactly_one(self, key: str) -> bool:
        """Whether the text is exactly `1`: the ablation switches take neither `true` nor ` 1`."""
        return self.var(key) == "1"

    def process_exactly_one(self, key: str) -> bool:
        """`exactly_one` of the process environment alone, past the overrides."""
        return self.process.get(full_name(key)) == "1"

    def integer(self, key: str, default: int) -> int:
        """The variable as a decimal integer that is not negative; `default` when it is unset or no such number."""
        text = (self.var(key) or "").strip()
        return int(text) if text.isascii() and text.isdigit() else default


def current() -> Environment:
    """A snapshot of the environment as it is now."""
    process = {key: value for key, value in os.environ.items() if key.startswith(PREFIX)}
    return Environment(MappingProxyType(process), _overrides.get())


def var(key: str) -> str | None:
    """`Environment.var` of the current environment."""
    return current().var(key)


def is_unset(key: str) -> bool:
    """`Environment.is_unset` of the current environment."""
    return current().is_unset(key)


def flag(key: str) -> bool:
    """`Environment.flag` of the current environment."""
    return current().flag(key)


def set_override(key: str, value: str) -> None:
    """Let `key` read as `value` in this context from now on, whatever the process environment says."""
    _overrides.set(MappingProxyType({**_overrides.get(), full_name(key): value}))


def unset_override(key: str) -> None:
    """Drop the override of `key`; the process environment shows through again."""
    name = full_name(key)
    _overrides.set(MappingProxyType({k: v for k, v in _overrides.get().items() if k != name}))


def clear_overrides() -> None:
    """Drop every override of this context."""
    _overrides.set(_NOTHING)


@contextmanager
def overriding(variables: Mapping[str, str] | None = None, **more: str) -> Generator[None]:
    """Override variables inside a `with` block; what was in force before is restored, after an exception too."""
    added = {full_name(key): value for key, value in {**(variables or {}), **more}.items()}
    token = _overrides.set(MappingProxyType({**_overrides.get(), **added}))
    try:
        yield
    finally:
        _overrides.reset(token)
