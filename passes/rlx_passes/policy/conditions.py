"""
What a row of the selection policy is made of: the pass, when it runs, and which of its options are set.

A condition is a value that can be asked and printed. It says on which op kinds it depends: these can be claimed.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

from rlx_passes.core.errors import ExtensionError, RlxError, did_you_mean, one_line
from rlx_passes.policy.flags import FusionFlags
from rlx_passes.policy.fusion_target import FusionTarget, supports_op
from rlx_passes.switches.environment import Environment


@dataclass(frozen=True)
class Facts:
    """What a condition looks at: the claim table, the options after native defaults, the target, the environment."""

    table: frozenset[str]
    options: FusionFlags
    target: FusionTarget
    environment: Environment


@dataclass(frozen=True)
class Condition:
    """A named truth about the facts; `&`, `|` and `~` combine. `kinds` are the op kinds whose claims it looks at."""

    text: str
    holds: Callable[[Facts], bool]
    kinds: tuple[str, ...] = ()

    def __and__(self, other: "Condition") -> "Condition":
        return Condition(
            f"{self.text} and {other.text}",
            lambda facts: self.holds(facts) and other.holds(facts),
            self.kinds + other.kinds,
        )

    def __or__(self, other: "Condition") -> "Condition":
        return Condition(
            f"({self.text} or {other.text})",
            lambda facts: self.holds(facts) or other.holds(facts),
            self.kinds + other.kinds,
        )

    def __invert__(self) -> "Condition":
        return Condition(f"not ({self.text})", lambda facts: not self.holds(facts), self.kinds)

    def __str__(self) -> str:
        return self.text


def claims(*kinds: str) -> Condition:
    """Every one of `kinds` is claimed."""
    text = "claims " + " and ".join(kinds)
    return Condition(text, lambda f: all(supports_op(f.table, kind) for kind in kinds), kinds)


def option(field: str) -> Condition:
    """A field of the options is true. Raises `ExtensionError` where there is no such field."""
    _require_field(FusionFlags, field)
    return Condition(field, lambda facts: bool(getattr(facts.options, field)))


def of_target(field: str) -> Condition:
    """A field of the target is true. Raises `ExtensionError` where there is no such field."""
    _require_field(FusionTarget, field)
    return Condition(f"the target's {field}", lambda facts: bool(getattr(facts.target, field)))


def _require_field(of: type[FusionFlags] | type[FusionTarget], field: str) -> None:
    known = [each.name for each in fields(of)]
    if field not in known:
        raise ExtensionError(
            f"{of.__name__} has no field {field!r}{did_you_mean(str(field), known)}; known: {', '.join(known)}"
        )


def flag(variable: str) -> Condition:
    """An environment variable is true."""
    return Condition(variable, lambda facts: facts.environment.flag(variable))


def exactly_one(variable: str) -> Condition:
    """An environment variable is exactly `1`."""
    return Condition(f"{variable} is exactly 1", lambda facts: facts.environment.exactly_one(variable))


def process_exactly_one(variable: str) -> Condition:
    """A variable of the process environment is exactly `1`, whatever overrides say."""
    return Condition(f"{variable} is exactly 1", lambda facts: facts.environment.process_exactly_one(variable))


always = Condition("always", lambda facts: True)


@dataclass(frozen=True)
class Row:
    """
    One pass of the pipeline, and when it runs.

    `claim` is the op kind that the pass makes, or is about: a target file sets the `options` of the pass under
    `[claim.<kind>]`. `yields` are the fusions that it leaves ops to where their passes run (option `yield-to`),
    `enabled` is what its option of that name depends on. A row of another package goes `before` or `after` a pass.
    """

    name: str
    when: Condition = always
    claim: str = ""
    options: tuple[str, ...] = ()
    yields: tuple[str, ...] = ()
    enabled: Condition = always
    before: str = ""
    after: str = ""

    def runs(self, facts: Facts) -> bool:
        """Whether `when` holds. Raises `ExtensionError` where the condition of a package fails."""
        return self._holds(self.when, facts)

    def is_enabled(self, facts: Facts) -> bool:
        """`runs` for `enabled`."""
        return self._holds(self.enabled, facts)

    def _holds(self, condition: Condition, facts: Facts) -> bool:
        try:
            return bool(condition.holds(facts))
        except RlxError:
            raise
        except Exception as error:
            raise ExtensionError(
                one_line(f"the condition '{condition.text}' of '{self.name}' fails: {type(error).__name__}: {error}")
            ) from error

    @property
    def yields_to(self) -> dict[str, str]:
        """The pass of each fusion in `yields`."""
        return {fusion: "rlx-fuse-" + fusion.replace("_", "-") for fusion in self.yields}
