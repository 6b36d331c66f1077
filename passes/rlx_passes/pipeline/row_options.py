"""What stands in the braces of each pass of the policy: target data, the options in force, and a user's own wishes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rlx_passes.pipeline.policy import Facts, Row
from rlx_passes.pipeline.spec import PassSpec

Words = tuple[str, ...]

COMPATS = ("attention-block", "epilogues", "conv", "dtypes", "tee", "signatures")
"""The parts of the original's behaviour that can be asked for."""


@dataclass(frozen=True)
class Tuning:
    """What a user wrote beside the policy: restored behaviour, options that beat every other source, passes left out."""

    pack_attention: bool = False
    compat: frozenset[str] = frozenset()
    overrides: Mapping[str, Words] = field(default_factory=lambda: MappingProxyType[str, Words]({}))
    without: frozenset[str] = frozenset()


DEFAULT_TUNING = Tuning()

Source = Callable[["Asked"], Words | None]


@dataclass(frozen=True)
class Asked:
    """One row and all that can bear on its options. `present` names the passes of the list that run."""

    row: Row
    facts: Facts
    present: frozenset[str]
    tuning: Tuning

    def compat(self, part: str) -> bool:
        """Whether the user asked for a part of the original's behaviour."""
        return part in self.tuning.compat


def row_spec(row: Row, facts: Facts, present: frozenset[str], tuning: Tuning) -> PassSpec:
    """The pass of a row with its options. A user's word beats the claim's own data, which beats the target's."""
    asked = Asked(row, facts, present, tuning)
    of_claim = facts.target.claim_options.get(row.claim, {})
    found = {
        key: tuning.overrides.get(key) or _compat(asked, key) or of_claim.get(key) or SOURCES[key](asked)
        for key in row.options
    }
    return PassSpec(row.name, tuple((key, words) for key, words in found.items() if words is not None))


def _compat(asked: Asked, key: str) -> Words | None:
    """The original's value of an option, where the user asked for it."""
    epilogues = ORIGINAL_EPILOGUES.get(asked.row.name, ("gelu", "silu"))
    original: dict[str, tuple[str, Words]] = {
        "epilogues": ("epilogues", epilogues),
        "dtypes": ("dtypes", ("f32",)),
        "tee": ("tee", ("false",)),
        "kernel-min": ("conv", ("2",)),
        "max-groups": ("conv", ("1",)),
    }
    part, words = original.get(key, ("", ()))
    return words if part and asked.compat(part) else None


ORIGINAL_EPILOGUES: dict[str, Words] = {
    "rlx-fuse-conv-bias-act": ("relu",),
    "rlx-fuse-conv-affine-act": ("relu",),
}


YIELDS: dict[str, Words] = {
    "rlx-fuse-residual-ln": ("ada_layer_norm", "gated_residual"),
    "rlx-fuse-residual-rms-norm": ("ada_layer_norm", "gated_residual"),
    "rlx-fuse-shared-input-matmul": ("attention_block",),
}
"""What a pass leaves alone for the sake of others."""


def _yield_to(asked: Asked) -> Words:
    """Those of `YIELDS` whose passes are really in the list."""
    return tuple(kind for kind in YIELDS[asked.row.name] if _pass_of(kind) in asked.present)


def _pass_of(kind: str) -> str:
    return "rlx-fuse-" + kind.replace("_", "-")


def _enabled(asked: Asked) -> Words:
    environment = asked.facts.environment
    if asked.row.claim == "AttentionBackwardAll":
        return _bool(environment.process_exactly_one("RLX_CPU_ATTN_BWD_FUSE"))
    off = asked.facts.options.no_io_peaks_output or environment.flag("RLX_NO_IO_PEAKS_OUTPUT")
    return _bool(asked.facts.target.select_peaks_only and not off)


def _bool(value: bool) -> Words:
    return ("true" if value else "false",)


def _number(value: float) -> Words:
    return (str(int(value)) if value == int(value) else repr(value),)


SOURCES: dict[str, Source] = {
    "epilogues": lambda asked: asked.facts.target.epilogues,
    "dtypes": lambda asked: asked.facts.target.dtypes,
    "tee": lambda asked: _bool(asked.facts.target.tee),
    "yield-to": _yield_to,
    "max-tokens": lambda asked: (str(asked.facts.environment.integer("RLX_FUSE_ATTN_THRESHOLD", 64)),),
    "compat-attention-block": lambda asked: _bool(True) if asked.compat("attention-block") else None,
    "compat-conv": lambda asked: _bool(True) if asked.compat("conv") else None,
    "compat-epilogues": lambda asked: _bool(True) if asked.compat("epilogues") else None,
    "compat-signatures": lambda asked: _bool(True) if asked.compat("signatures") else None,
    "enabled": _enabled,
    "keep-prologue": lambda asked: _bool(asked.facts.target.keep_prologue),
    "max-elementwise-steps": lambda asked: (str(asked.facts.options.fusion_limits.max_elementwise_steps),),
    "max-elementwise-inputs": lambda asked: (str(asked.facts.options.fusion_limits.max_elementwise_inputs),),
    "kernel-min": lambda asked: None,
    "max-groups": lambda asked: None,
    "dispatch-ns": lambda asked: _number(asked.facts.target.io.dispatch_ns),
    "roundtrip-ns": lambda asked: _number(asked.facts.target.io.roundtrip_ns),
    "memory-bw": lambda asked: _number(asked.facts.target.io.memory_bw),
    "readback-bw": lambda asked: _number(asked.facts.target.io.host_readback_bw),
    "unified": lambda asked: _bool(asked.facts.target.io.unified_memory),
    "host-penalty-ns": lambda asked: _number(asked.facts.target.io.host_thunk_penalty_ns),
    "min-gain-ns": lambda asked: _number(asked.facts.target.io.min_gain_ns),
}
"""Where each option comes from when nobody says otherwise. None leaves it at the pass's default."""
