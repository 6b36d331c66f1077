"""
The selection policy: every pass of the fusion pipeline in order, when it runs, and which of its options are set.

A condition is a value that can be asked and printed. Nothing here names a target.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rlx_passes.pipeline.claims import supports_op
from rlx_passes.pipeline.environment import Environment

if TYPE_CHECKING:
    from rlx_passes.pipeline.options import FusionOptions
    from rlx_passes.pipeline.target import FusionTarget


@dataclass(frozen=True)
class Facts:
    """What a condition looks at: the claim table, the options after native defaults, the target, the environment."""

    table: frozenset[str]
    options: "FusionOptions"
    target: "FusionTarget"
    environment: Environment


@dataclass(frozen=True)
class Condition:
    """A named truth about the facts; `&`, `|` and `~` combine."""

    text: str
    holds: Callable[[Facts], bool]

    def __and__(self, other: "Condition") -> "Condition":
        return Condition(f"{self.text} and {other.text}", lambda facts: self.holds(facts) and other.holds(facts))

    def __or__(self, other: "Condition") -> "Condition":
        return Condition(f"({self.text} or {other.text})", lambda facts: self.holds(facts) or other.holds(facts))

    def __invert__(self) -> "Condition":
        return Condition(f"not ({self.text})", lambda facts: not self.holds(facts))

    def __str__(self) -> str:
        return self.text


def claims(*kinds: str) -> Condition:
    """Every one of `kinds` is claimed."""
    return Condition("claims " + " and ".join(kinds), lambda f: all(supports_op(f.table, kind) for kind in kinds))


def option(field: str) -> Condition:
    """A field of the options is true."""
    return Condition(field, lambda facts: bool(getattr(facts.options, field)))


def flag(variable: str) -> Condition:
    """An environment variable is true."""
    return Condition(variable, lambda facts: facts.environment.flag(variable))


def exactly_one(variable: str) -> Condition:
    """An environment variable is exactly `1`."""
    return Condition(f"{variable} is exactly 1", lambda facts: facts.environment.exactly_one(variable))


always = Condition("always", lambda facts: True)
marks = claims("ElementwiseRegion") & ~option("unfuse_elementwise_regions")
native = option("native_fk_regions") & claims("TransformRegion", "BatchElementwiseRegion")


@dataclass(frozen=True)
class Row:
    """One pass of the pipeline. `claim` is the op kind whose per-claim target data it takes, if any."""

    name: str
    when: Condition = always
    claim: str = ""
    options: tuple[str, ...] = ()

    @property
    def reference_name(self) -> str:
        """The pass's name in the reference's lists."""
        short = self.name.removeprefix("rlx-")
        return "LowerControlFlow" if short == "lower-control-flow" else short.replace("-", "_")


LOWERINGS: tuple[Row, ...] = (
    Row("rlx-lower-control-flow"),
    Row("rlx-lower-dot-general"),
)
"""What always runs, `skip_fusion` or not."""

WEIGHT_CONCAT_OFF = flag("RLX_NO_WEIGHT_CONCAT_FUSION")
CONV = claims("FusedConvBiasAct") & ~option("disable_conv_bias_act_fusion")
CONV_OPTIONS = ("epilogues", "dtypes", "kernel-min", "max-groups", "compat-conv", "compat-epilogues")
ATTENTION_OPTIONS = ("max-tokens", "dtypes", "compat-attention-block")

FUSIONS: tuple[Row, ...] = (
    Row(
        "rlx-fuse-matmul-bias-act",
        claims("FusedMatMulBiasAct") & ~exactly_one("RLX_DISABLE_MATMUL_BIAS_FUSION"),
        "FusedMatMulBiasAct",
        ("epilogues", "dtypes"),
    ),
    Row("rlx-fuse-conv-bias-act", CONV, "FusedConvBiasAct", CONV_OPTIONS),
    Row("rlx-fuse-conv-affine-act", CONV, "FusedConvBiasAct", CONV_OPTIONS),
    Row("rlx-fuse-attention-block", claims("FusedAttentionBlock"), "FusedAttentionBlock", ATTENTION_OPTIONS),
    Row("rlx-fuse-attention-backward-all", claims("AttentionBackwardAll"), "AttentionBackwardAll", ("enabled",)),
    Row(
        "rlx-fuse-residual-ln",
        claims("FusedResidualLN") & ~exactly_one("RLX_DISABLE_RESIDUAL_LN_FUSION"),
        "FusedResidualLN",
        ("tee", "yield-to", "dtypes"),
    ),
    Row(
        "rlx-fuse-residual-rms-norm",
        claims("FusedResidualRmsNorm"),
        "FusedResidualRmsNorm",
        ("tee", "yield-to", "dtypes"),
    ),
    Row("rlx-fuse-ada-layer-norm", claims("AdaLayerNorm"), "AdaLayerNorm", ("dtypes",)),
    Row(
        "rlx-fuse-gated-residual",
        claims("GatedResidual") & ~exactly_one("RLX_DISABLE_GATED_RESIDUAL_FUSION"),
        "GatedResidual",
        ("dtypes",),
    ),
    Row("rlx-fuse-rms-norm-reshape"),
    Row(
        "rlx-fuse-transformer-layer",
        flag("RLX_ENABLE_FUSE_TRANSFORMER_LAYER") & claims("FusedTransformerLayer", "FusedAttentionBlock"),
        "FusedTransformerLayer",
        ("epilogues", *ATTENTION_OPTIONS),
    ),
    Row("rlx-fuse-swiglu-dual-matmul", claims("FusedSwiGLU") & ~WEIGHT_CONCAT_OFF, "FusedSwiGLU", ("dtypes",)),
    Row("rlx-fuse-matmul-residual", claims("FusedMatMulResidual"), "FusedMatMulResidual", ("dtypes",)),
    Row(
        "rlx-fuse-shared-input-matmul",
        claims("MatMul") & ~flag("RLX_NO_SHARED_INPUT_MATMUL") & ~WEIGHT_CONCAT_OFF,
        "MatMul",
        ("dtypes", "yield-to", "max-tokens"),
    ),
    Row("rlx-fuse-swiglu", claims("FusedSwiGLU"), "FusedSwiGLU", ("dtypes",)),
    Row(
        "rlx-mark-elementwise-regions",
        marks,
        "ElementwiseRegion",
        ("max-elementwise-steps", "max-elementwise-inputs"),
    ),
)
"""The fusions that the claims decide on, and the marking of elementwise regions."""

REGIONS: tuple[Row, ...] = (
    Row("rlx-mark-batch-slice-regions", option("fk_fusion")),
    Row("rlx-mark-transform-regions", option("fk_fusion")),
    Row("rlx-fuse-region-prologue", option("fk_fusion") & option("fuse_region_prologue")),
    Row("rlx-fuse-batch-preprocess", option("fk_fusion") & option("fuse_batch_preprocess")),
    Row("rlx-decompose-fusion-regions", option("decompose_fusion_regions") | ~native),
)
"""What stands after the elementwise regions; does not depend on claims but for the last, which undoes the others."""

UNFUSE: tuple[Row, ...] = (Row("rlx-unfuse-elementwise-regions", ~marks, "", ("keep-prologue",)),)

OUTPUTS: tuple[Row, ...] = (
    Row(
        "rlx-select-peaks-only-outputs",
        claims("Fft", "WelchPeaks"),
        "WelchPeaks",
        (
            *("enabled", "dispatch-ns", "roundtrip-ns", "memory-bw", "readback-bw", "unified"),
            *("host-penalty-ns", "min-gain-ns", "compat-signatures"),
        ),
    ),
)

CLEANUP: tuple[Row, ...] = (Row("rlx-dead-code-elimination", always, "", ("compat-signatures",)),)

POLICY: tuple[Row, ...] = (*LOWERINGS, *FUSIONS, *REGIONS, *UNFUSE, *OUTPUTS, *CLEANUP)
"""All 26 rows, in order."""


def options_of_claim(kind: str) -> tuple[str, ...]:
    """The pass options that a target file may set for one claim."""
    return tuple(dict.fromkeys(option for row in POLICY if row.claim == kind for option in row.options))
