"""Claim tables: the op kinds that a target says it can lower."""

from rlx_dialect.kinds import KINDS

CLAIMABLE: tuple[str, ...] = tuple(
    KINDS[name].name
    for name in (
        *("MatMul", "DotGeneral", "ElementwiseRegion", "TransformRegion", "BatchElementwiseRegion", "FusedSwiGLU"),
        *("FusedMatMulBiasAct", "FusedConvBiasAct", "FusedResidualLN", "FusedResidualRmsNorm", "AdaLayerNorm"),
        *("GatedResidual", "FusedAttentionBlock", "FusedTransformerLayer", "FusedMatMulResidual"),
        *("AttentionBackwardAll", "Fft", "WelchPeaks"),
    )
)
"""The kinds on which the selection policy depends; no other claim would change anything."""


def supports_op(table: frozenset[str], kind: str) -> bool:
    """Whether a claim table holds `kind`. An empty table claims everything."""
    return not table or kind in table
