"""Rules from StableHLO and CHLO to RLX, one chapter a file."""

from typing import NoReturn

from xdsl.ir import Operation

from rlx_passes.conversion import Declined, Emitter, Rules
from rlx_passes.frontend.from_stablehlo import contraction, convolution, data_movement, elementwise, indexing, reduction
from rlx_passes.frontend.stablehlo import CHLO, STABLEHLO
from rlx_passes.frontend.stablehlo.reduction import ReturnOp


def _no_kind(op: Operation, emit: Emitter) -> NoReturn:
    raise Declined("has no RLX kind")


RULES: Rules = {
    **{op: _no_kind for op in (*STABLEHLO.operations, *CHLO.operations) if op is not ReturnOp},
    **elementwise.RULES,
    **data_movement.RULES,
    **indexing.RULES,
    **contraction.RULES,
    **convolution.RULES,
    **reduction.RULES,
}
"""By op class, for every op of both dialects."""

__all__ = ["RULES"]
