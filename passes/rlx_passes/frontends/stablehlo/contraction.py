"""Products."""

from xdsl.ir import SSAValue

from rlx_dialect.ops import CastOp, DotGeneralOp
from rlx_dialect.shapes import shaped
from rlx_passes.dialects.stablehlo import contraction as stable
from rlx_passes.dialects.stablehlo import legacy
from rlx_passes.rewriting.conversion import Emitter, Rules


def _dot_general(op: stable.DotGeneralOp, emit: Emitter) -> SSAValue:
    """
    A result wider than the operands becomes a product of widened operands, which is the same number.

    `precision_config` and `algorithm` only allow less exact products than RLX's, so nothing becomes of them.
    """
    lhs, rhs = _widened(op, emit)
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


def _widened(op: stable.DotGeneralOp | legacy.DotOp, emit: Emitter) -> tuple[SSAValue, SSAValue]:
    """Both operands with the element type of the result."""
    element = shaped(op.result).element
    lhs, rhs = (side if shaped(side).element == element else emit(CastOp(side, element)) for side in (op.lhs, op.rhs))
    return lhs, rhs


def _dot(op: legacy.DotOp, emit: Emitter) -> SSAValue:
    lhs, rhs = _widened(op, emit)
    return emit(DotGeneralOp(lhs, rhs, lhs_contracting=(shaped(lhs).rank - 1,), rhs_contracting=(0,)))


RULES: Rules = {legacy.DotOp: _dot, stable.DotGeneralOp: _dot_general}
