"""What goes into the braces of each pass of the policy: target data, the options in force, and a user's own wishes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rlx_passes.core.spec import PassSpec
from rlx_passes.policy.conditions import Facts, Row
from rlx_passes.switches.original import restored_words

Words = tuple[str, ...]


@dataclass(frozen=True)
class Tuning:
    """What a user wrote beside the policy: restored behaviour, options that beat all other sources, passes left out."""

    pack_attention: bool = False
    compat: frozenset[str] = frozenset()
    overrides: Mapping[str, Words] = field(default_factory=lambda: MappingProxyType[str, Words]({}))
    without: frozenset[str] = frozenset()


DEFAULT_TUNING = Tuning()

OptionSource = Callable[["Asked"], Words | None]


@dataclass(frozen=True)
class Asked:
    """One row and all that can bear on its options. `present` names the passes of the list that run."""

    row: Row
    facts: Facts
    present: frozenset[str]
    tuning: Tuning


def row_spec(row: Row, facts: Facts, present: frozenset[str], tuning: Tuning) -> PassSpec:
    """The pass of a row with its options. A user's word beats the claim's own data, which beats the target's."""
    asked = Asked(row, facts, present, tuning)
    of_claim = facts.target.claim_options.get(row.claim, {})
    found = {
        key: tuning.overrides.get(key)
        or restored_words(tuning.compat, row.name, key)
        or of_claim.get(key)
        or _source(asked, key)
        for key in row.options
    }
    return PassSpec(row.name, tuple((key, words) for key, words in found.items() if words is not None))


def _source(asked: Asked, key: str) -> Words | None:
    """What `SOURCES` says; a `compat-*` option is written where its part is asked for."""
    if key in SOURCES:
        return SOURCES[key](asked)
    asks = key.startswith("compat-") and key.removeprefix("compat-") in asked.tuning.compat
    return _bool(True) if asks else None


def _yield_to(asked: Asked) -> Words:
    """The fusions of the row's `yields` whose passes are really in the list."""
    return tuple(fusion for fusion, pass_ in asked.row.yields_to.items() if pass_ in asked.present)


def _bool(value: bool) -> Words:
    return ("true" if value else "false",)


def _number(value: float) -> Words:
    return (str(int(value)) if value == int(value) else repr(value),)


SOURCES: dict[str, OptionSource] = {
    "epilogues": lambda asked: asked.facts.target.epilogues,
    "dtypes": lambda asked: asked.facts.target.dtypes,
    "tee": lambda asked: _bool(asked.facts.target.tee),
    "yield-to": _yield_to,
    "max-tokens": lambda asked: (str(asked.facts.environment.integer("RLX_FUSE_ATTN_THRESHOLD", 64)),),
    "enabled": lambda asked: _bool(asked.row.is_enabled(asked.facts)),
    "keep-prologue": lambda asked: _bool(asked.facts.target.keep_prologue),
    "max-elementwise-steps": lambda asked: (str(asked.facts.options.fusion_limits.max_elementwise_steps),),
    "max-elementwise-inputs": lambda asked: (str(asked.facts.options.fusion_limits.max_elementwise_inputs),),
    "dispatch-ns": lambda asked: _number(asked.facts.target.io.dispatch_ns),
    "roundtrip-ns": lambda asked: _number(asked.facts.target.io.roundtrip_ns),
    "memory-bw": lambda asked: _number(asked.facts.target.io.memory_bw),
    "readback-bw": lambda asked: _number(asked.facts.target.io.host_readback_bw),
    "unified": lambda asked: _bool(asked.facts.target.io.unified_memory),
    "host-penalty-ns": lambda asked: _number(asked.facts.target.io.host_thunk_penalty_ns),
    "min-gain-ns": lambda asked: _number(asked.facts.target.io.min_gain_ns),
}
"""The default source of an option. One that is missing here, or None, is left at the pass's default."""
