"""Products."""

from xdsl.ir import SSAValue

from rlx_dialect.ops import CastOp, DotGeneralOp
from rlx_passes.conversion import Emitter, Rules
from rlx_passes.frontend.from_stablehlo.vocabulary import real
from rlx_passes.frontend.stablehlo import contraction as stable


def _dot_general(op: stable.DotGeneralOp, emit: Emitter) -> SSAValue:
    """
    A result wider than the operands becomes a product of widened operands, which is the same number.

    `precision_config` and `algorithm` only allow less exact products than RLX's, so nothing stands for them.
    """
    element = real(op.result).element
    lhs, rhs = (side if real(side).element == element else emit(CastOp(side, element)) for side in (op.lhs, op.rhs))
    numbers = op.dot_dimension_numbers.data
    return emit(
        DotGeneralOp(
            lhs,
            rhs,
            lhs_contracting=numbers.lhs_contracting_dimensions,
            rhs_contracting=numbers.rhs_contracting_dimensions,
            lhs_batch=numbers.lhs_batching_dimensions,
            rhs_batch=numbers.rhs_batching_dimensions,
        )
    )


RULES: Rules = {stable.DotGeneralOp: _dot_general}
