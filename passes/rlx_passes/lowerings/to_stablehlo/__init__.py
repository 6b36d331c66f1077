"""Rules from RLX to StableHLO and CHLO, one file per chapter."""

from rlx_passes.dialects.stablehlo.attributes import Precision
from rlx_passes.lowerings.to_stablehlo import (
    attention,
    contraction,
    control_flow,
    convolution,
    elementwise,
    gradients,
    indexing,
    movement,
    normalization,
    reduction,
    shape,
)
from rlx_passes.rewriting.conversion import Rules


def rules(precision: Precision) -> Rules:
    """By op class, for every op that is not fused; products are made with `precision`."""
    return {
        **elementwise.RULES,
        **contraction.rules(precision),
        **convolution.rules(precision),
        **normalization.RULES,
        **attention.rules(precision),
        **reduction.RULES,
        **gradients.RULES,
        **shape.RULES,
        **movement.RULES,
        **indexing.RULES,
        **control_flow.RULES,
    }


__all__ = ["rules"]
