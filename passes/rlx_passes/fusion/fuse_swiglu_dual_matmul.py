"""`rlx-fuse-swiglu-dual-matmul`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ActivationOp, ConcatOp, FusedSwiGLUOp, MatMulOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.gated_linear import gated_by, opens_gate
from rlx_passes.fusion.joined_weights import require_joinable
from rlx_passes.fusion.options import check_dtypes
from rlx_passes.rewriting.legality import dims_of, require, require_dtype
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class SwiGLUDualMatMul(FusionPattern[ActivationOp]):
    """
    %u = rlx.matmul %x, %wu           %w = rlx.concat %wu, %wg axis(1)
    %g = rlx.matmul %x, %wg     =>    %c = rlx.matmul %x, %w
    %0 = rlx.activation silu %g       %1 = rlx.fused_swiglu %c
    %1 = rlx.binary mul %u, %0

    The weights are matrices of equal known dims; the one of `%u` comes first, whatever the order in the program. Any
    other activation is the `act` of the result.
    """

    title = "swiglu_dual_matmul"
    roots = (ActivationOp,)

    dtypes: Collection[str] = DTYPES

    def considers(self, root: ActivationOp, /) -> bool:
        return opens_gate(root, MatMulOp)

    def match(self, act: ActivationOp, /) -> Fusion:
        gate, up, product = gated_by(act, MatMulOp)
        require(up.lhs is gate.lhs, Reason.NOT_PRODUCED_BY, up, detail="products of different values")
        require_dtype(product.result, self.dtypes)
        require_joinable((up, gate))
        equal = dims_of(up.rhs)[1] == dims_of(gate.rhs)[1]
        require(equal, Reason.DIMS_NOT_KNOWN_EQUAL, up, gate, detail="one product is wider than the other")

        weight = ConcatOp((up.rhs, gate.rhs), axis=1)
        packed = MatMulOp(up.lhs, weight.result, accumulate=up.accumulate)
        return Fusion.of((up, gate, act, product), weight, packed, FusedSwiGLUOp(packed.result, act.activation))


@dataclass(frozen=True)
class FuseSwiGLUDualMatMulPass(PatternPass):
    """Join the products of a gated linear unit into one, and fuse what reads it. `dtypes` are the types allowed."""

    name = "rlx-fuse-swiglu-dual-matmul"

    dtypes: tuple[str, ...] = DTYPES

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (SwiGLUDualMatMul(self.dtypes),))
