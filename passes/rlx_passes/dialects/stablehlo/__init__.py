"""
StableHLO and CHLO for xDSL, in the text that JAX and StableHLO's tools print, and in generic form.

Chapters are those of the StableHLO specification. An op that no chapter defines is read with
`--allow-unregistered-dialect` and carried through.
"""

from xdsl.ir import Dialect

from rlx_passes.dialects.stablehlo import (
    accuracy,
    contraction,
    control_flow,
    data_movement,
    distribution,
    dynamism,
    elementwise_binary,
    elementwise_unary,
    indexing,
    legacy,
    normalization,
    random,
    reduction,
)
from rlx_passes.dialects.stablehlo.attributes import ALL_ATTRIBUTES
from rlx_passes.dialects.stablehlo.chlo import CHLO

STABLEHLO = Dialect(
    "stablehlo",
    [
        *elementwise_unary.ALL_OPS,
        *elementwise_binary.ALL_OPS,
        *data_movement.ALL_OPS,
        *indexing.ALL_OPS,
        *contraction.ALL_OPS,
        *reduction.ALL_OPS,
        *control_flow.ALL_OPS,
        *random.ALL_OPS,
        *normalization.ALL_OPS,
        *legacy.ALL_OPS,
        *dynamism.ALL_OPS,
        *distribution.ALL_OPS,
    ],
    [*ALL_ATTRIBUTES, *accuracy.ALL_ATTRIBUTES, *distribution.ALL_ATTRIBUTES, *random.ALL_ATTRIBUTES],
)
"""The dialect object, for `Context.load_dialect`."""

__all__ = ["CHLO", "STABLEHLO"]
