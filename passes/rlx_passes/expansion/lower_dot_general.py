"""`rlx-lower-dot-general`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import DotGeneralOp, MatMulOp
from rlx_dialect.shapes import normalize_axes, show
from rlx_passes.core.index import PatternPass
from rlx_passes.rewriting.legality import dims_of, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class PlainDotGeneral(FusionPattern[DotGeneralOp]):
    """
    %0 = rlx.dot_general %x, %w contracting([1] x [0])    =>    %0 = rlx.matmul %x, %w

    Both sides of rank 2, no batch dims. What else is a product up to transposes is for `rlx-raise-dot-general`.
    """

    title = "dot_general"
    fuses = False
    roots = (DotGeneralOp,)

    def match(self, product: DotGeneralOp, /) -> Fusion:
        lhs, rhs = len(dims_of(product.lhs)), len(dims_of(product.rhs))
        require((lhs, rhs) == (2, 2), Reason.RANK, product, detail=f"ranks {lhs} and {rhs}, 2 and 2 wanted")

        axes = (
            normalize_axes(product.lhs_contracting.get_values(), 2),
            normalize_axes(product.rhs_contracting.get_values(), 2),
        )
        wanted = axes == ((1,), (0,)) and not product.lhs_batch.get_values()
        require(wanted, Reason.AXIS, product, detail=lambda: f"contracts {show(axes[0])} with {show(axes[1])}")
        return Fusion.of((product,), MatMulOp(product.lhs, product.rhs, accumulate=product.accumulate))


@dataclass(frozen=True)
class LowerDotGeneralPass(PatternPass):
    """Turn every `rlx.dot_general` that is written like a matrix product into `rlx.matmul`."""

    name = "rlx-lower-dot-general"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (PlainDotGeneral(),))
