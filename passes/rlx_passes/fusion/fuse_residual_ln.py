"""`rlx-fuse-residual-ln`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, FusedResidualLNOp, LayerNormOp
from rlx_dialect.shapes import show
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.later_fusion import ADA_LAYER_NORM, GATED_RESIDUAL, LATER, feeds_ada_layer_norm, gated_product
from rlx_passes.fusion.options import check_dtypes, check_words
from rlx_passes.legality import (
    dims_of,
    neither_stretches,
    producer,
    require,
    require_dtype,
    require_last_axis,
    sole_use,
)
from rlx_passes.miss import Miss, Reason
from rlx_passes.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class ResidualLN(FusionPattern[LayerNormOp]):
    """
    %0 = rlx.binary add %x, %r
    %1 = rlx.layer_norm %0, %g, %b    =>    %1, %0 = rlx.fused_residual_ln %x, %r, %g, %b

    The sum is a result where something else reads it (a tee); the fused op then stands where the sum stood.
    """

    title = "residual_ln"
    roots = (LayerNormOp,)

    dtypes: Collection[str] = DTYPES
    tee: bool = True
    yield_to: Collection[str] = ()

    def match(self, norm: LayerNormOp, /) -> Fusion:
        add = producer(norm.input, BinaryOp)
        require(add.kind.data == BinaryKind.ADD.value, Reason.NOT_PRODUCED_BY, add)
        require_dtype(norm.input, self.dtypes)
        require_last_axis(norm.axis.value.data, len(dims_of(norm.input)), norm)
        lhs, rhs = dims_of(add.lhs), dims_of(add.rhs)
        equal = neither_stretches(lhs, rhs)
        require(equal, Reason.RESIDUAL_BROADCASTS, add, detail=lambda: f"{show(lhs)} and {show(rhs)}")

        tee = self.tees(norm, add)
        fused = FusedResidualLNOp(
            add.lhs,
            add.rhs,
            norm.gamma,
            norm.beta,
            epsilon=norm.epsilon.value.data,
            tee=tee,
            accumulate=norm.accumulate,
        )
        if fused.sum is None:
            return Fusion.of((add, norm), fused)
        return Fusion((add, norm), (fused,), {norm.result: fused.result, add.result: fused.sum}, at=add)

    def tees(self, norm: LayerNormOp, add: BinaryOp) -> bool:
        """Whether the sum is read elsewhere. Raises `Miss` where that keeps it from being fused."""
        try:
            sole_use(add.result)
        except Miss:
            if not self.tee:
                raise
            self.yield_to_later(norm, add)
            return True
        return False

    def yield_to_later(self, norm: LayerNormOp, add: BinaryOp) -> None:
        """Raises `Miss` where a later pass takes the norm or an addend."""
        if ADA_LAYER_NORM in self.yield_to:
            require(not feeds_ada_layer_norm(norm), Reason.LATER_FUSION, norm, detail=ADA_LAYER_NORM)
        if GATED_RESIDUAL in self.yield_to:
            product = gated_product(add)
            if product is not None:
                raise Miss(Reason.LATER_FUSION, product, detail=GATED_RESIDUAL)


@dataclass(frozen=True)
class FuseResidualLNPass(ModulePass):
    """
    Fuse a layer norm with the residual sum that it normalises.

    A sum that is read elsewhere becomes the second result, unless `tee` is off or `compat-tee` on, or a pass named in `yield-to`
    (`ada_layer_norm`, `gated_residual`) makes more of it later. `dtypes` are the element types that may be fused.
    """

    name = "rlx-fuse-residual-ln"

    tee: bool = True
    yield_to: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = DTYPES
    compat_tee: bool = False

    def __post_init__(self) -> None:
        check_words(self.name, "yield-to", self.yield_to, LATER)
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (ResidualLN(self.dtypes, self.tee and not self.compat_tee, self.yield_to),))
