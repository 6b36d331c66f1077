"""
The selection policy: every pass of the fusion pipeline in order, when it runs, and which of its options are set.

Nothing here names a target. The rows of other packages go where they ask to (`extensions.py`).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlx_passes.core.errors import did_you_mean
from rlx_passes.core.spec import options_of
from rlx_passes.policy.conditions import (
    Row,
    always,
    claims,
    exactly_one,
    flag,
    of_target,
    option,
    process_exactly_one,
)
from rlx_passes.policy.extensions import Extension, fault, foreign_kinds, installed, loaded_pass

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

marks = claims("ElementwiseRegion") & ~option("unfuse_elementwise_regions")
native = option("native_fk_regions") & claims("TransformRegion", "BatchElementwiseRegion")


LOWERINGS: tuple[Row, ...] = (
    Row("rlx-lower-control-flow"),
    Row("rlx-lower-dot-general", claim="DotGeneral"),
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
    Row(
        "rlx-fuse-attention-backward-all",
        claims("AttentionBackwardAll"),
        "AttentionBackwardAll",
        ("enabled",),
        enabled=process_exactly_one("RLX_CPU_ATTN_BWD_FUSE"),
    ),
    Row(
        "rlx-fuse-residual-ln",
        claims("FusedResidualLN") & ~exactly_one("RLX_DISABLE_RESIDUAL_LN_FUSION"),
        "FusedResidualLN",
        ("tee", "yield-to", "dtypes"),
        yields=("ada_layer_norm", "gated_residual"),
    ),
    Row(
        "rlx-fuse-residual-rms-norm",
        claims("FusedResidualRmsNorm"),
        "FusedResidualRmsNorm",
        ("tee", "yield-to", "dtypes"),
        yields=("ada_layer_norm", "gated_residual"),
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
        yields=("attention_block",),
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
"""What follows the elementwise regions; does not depend on claims but for the last, which undoes the others."""

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
        enabled=of_target("select_peaks_only") & ~option("no_io_peaks_output") & ~flag("RLX_NO_IO_PEAKS_OUTPUT"),
    ),
)

CLEANUP: tuple[Row, ...] = (Row("rlx-dead-code-elimination", always, "", ("compat-signatures",)),)

POLICY: tuple[Row, ...] = (*LOWERINGS, *FUSIONS, *REGIONS, *UNFUSE, *OUTPUTS, *CLEANUP)
"""Every row, in order."""

PACK_ATTENTION = Row("rlx-pack-attention-projections")
"""Stands before the attention block where it is asked for."""

CHECK = Row("rlx-check-must-fuse")
"""Ends every list that fuses; like the packing it is no row of the policy."""


def placed(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """
    `rows` with those of extensions where they ask to stand, in whatever order they come; one whose neighbour is not
    among them stays away.
    """
    listed = list(rows)
    waiting = [(extension, row) for extension in installed() for row in extension.rows]
    while waiting:
        names = [each.name for each in listed]
        if known := next((each for each in waiting if each[1].name in names), None):
            raise fault(known[0], f"there is a pass '{known[1].name}' in the list already")
        found = next((each for each in waiting if (each[1].before or each[1].after) in names), None)
        if found is None:
            break
        waiting.remove(found)
        row = found[1]
        listed.insert(names.index(row.before or row.after) + (not row.before), row)
    return tuple(listed)


def all_rows() -> tuple[Row, ...]:
    """The policy, the rows of extensions included. Raises `ExtensionError` for one that names what is not there."""
    rows = placed(POLICY)
    for extension in installed():
        for row in extension.rows:
            for problem in _problems(extension, row, rows):
                raise fault(extension, problem)
    return rows


def _problems(extension: Extension, row: Row, rows: tuple[Row, ...]) -> Iterator[str]:
    """What a row of an extension names and nobody has: a place, an op kind, a fusion to yield to, an option."""
    from rlx_dialect.kinds import KINDS

    listed = [each.name for each in rows]
    if row not in rows:
        anchor = row.before or row.after
        close = did_you_mean(anchor, listed)
        yield f"'{row.name}' is to run beside '{anchor}', which is no pass of the list{close}"
    for kind in filter(None, (row.claim, *row.when.kinds, *row.enabled.kinds)):
        if kind not in KINDS:
            own = f" (its kinds: {', '.join(extension.kinds) or 'none'})"
            yield f"'{row.name}' is about '{kind}', which is no op kind{did_you_mean(kind, KINDS)}{own}"
    for fusion, pass_ in row.yields_to.items():
        if pass_ not in listed:
            close = did_you_mean(pass_, listed)
            yield f"'{row.name}' yields to '{fusion}', and '{pass_}' is no pass of the list{close}"
    if load := extension.universe.all_passes.get(row.name):
        yield from problems_of_options(row, loaded_pass(extension, row.name, load))


def problems_of_options(row: Row, cls: "type[ModulePass]") -> Iterator[str]:
    """The options of a row that its pass does not have."""
    known = options_of(cls)
    for key in row.options:
        if key not in known:
            close = did_you_mean(key, known)
            yield f"the pass '{row.name}' has no option '{key}'{close} (its options: {', '.join(known) or 'none'})"


def claimable() -> tuple[str, ...]:
    """The op kinds on which the policy depends, and those of extensions; no other claim would change anything."""
    rows = all_rows()
    named = (kind for row in rows for kind in (row.claim, *row.when.kinds) if kind)
    return tuple(dict.fromkeys((*named, *foreign_kinds())))


def fusions() -> tuple[Row, ...]:
    """The rows that fuse ops of a claimed kind; they run before elementwise regions are marked, which hides ops."""
    rows = all_rows()
    marking = next(index for index, row in enumerate(rows) if row.claim == "ElementwiseRegion")
    return tuple(row for row in rows[:marking] if row not in LOWERINGS)


def options_of_claim(kind: str) -> tuple[str, ...]:
    """The pass options that a target file may set for one claim."""
    return tuple(dict.fromkeys(option for row in all_rows() if row.claim == kind for option in row.options))
