"""`rlx-fuse-matmul-residual`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, FusedMatMulResidualOp, MatMulOp
from rlx_dialect.shapes import show
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.options import check_dtypes
from rlx_passes.rewriting.legality import (
    NO_FUSE,
    dims_of,
    neither_stretches,
    only_reader,
    optional_reader,
    other_operand,
    require,
    require_dtype,
    require_kind,
)
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_passes.switches.original import restored


@dataclass(frozen=True)
class MatMulResidual(FusionPattern[MatMulOp]):
    """
    %0 = rlx.matmul %x, %w
    %1 = rlx.binary add %0, %r    =>    %1 = rlx.fused_matmul_residual %x, %w, %r

    `%r` has the dims of the product. Of two products in one sum the left one is fused, and the other is its residual.
    """

    title = "matmul_residual"
    roots = (MatMulOp,)

    dtypes: Collection[str] = DTYPES

    def match(self, matmul: MatMulOp, /) -> Fusion:
        product = matmul.result
        add = only_reader(product, BinaryOp)
        require_kind(add, BinaryKind.ADD)
        require_dtype(product, self.dtypes)
        residual = other_operand(add, product)
        dims, size = dims_of(product), dims_of(residual)
        equal = neither_stretches(size, dims)
        require(equal, Reason.RESIDUAL_BROADCASTS, add, detail=lambda: f"{show(size)} and {show(dims)}")
        left = residual is add.lhs and takes_sum(residual, add)
        require(not left, Reason.OTHER_CHAIN, residual, detail="the left product takes the sum")
        return Fusion.of(
            (matmul, add), FusedMatMulResidualOp(matmul.lhs, matmul.rhs, residual, accumulate=matmul.accumulate)
        )


def takes_sum(value: SSAValue, add: BinaryOp) -> bool:
    """Whether `value` is a product that only `add` reads and that may be fused with it."""
    owner = value.owner
    return isinstance(owner, MatMulOp) and NO_FUSE not in owner.attributes and optional_reader(value, BinaryOp) is add


@dataclass(frozen=True)
class FuseMatMulResidualPass(PatternPass):
    """
    Fuse a matrix product with the tensor of its dims that is added to it.

    `dtypes` are the element types that may be fused; `compat-dtypes` restores f32 alone.
    """

    name = "rlx-fuse-matmul-residual"

    dtypes: tuple[str, ...] = DTYPES
    compat_dtypes: bool = False

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (MatMulResidual(restored(self).dtypes),))
