"""What the residual norms share: a norm of a sum as one op, the sum a second result if it is read elsewhere."""

from abc import ABC
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import TypeVar
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, FusedResidualNormOp, NormOp
from rlx_dialect.shapes import show
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.later_fusion import (
    ADA_LAYER_NORM,
    GATED_RESIDUAL,
    LATER,
    ends_ada_layer_norm,
    feeds_ada_layer_norm,
    gated_product,
)
from rlx_passes.fusion.options import check_dtypes, check_words
from rlx_passes.rewriting.legality import (
    dims_of,
    neither_stretches,
    producer,
    require,
    require_dtype,
    require_last_axis,
    sole_use,
)
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_passes.switches.original import restored

NormT = TypeVar("NormT", bound=NormOp)


@dataclass(frozen=True)
class ResidualNorm(FusionPattern[NormT], ABC):
    """
    A norm of a sum of two values of equal dims becomes `fused`.

    The sum is a result where something else reads it (a tee); the fused op then takes the sum's place. `yield_to`
    names the later passes to which ops are left: the norm and the shift of an adaptive norm always, the product of a
    gated residual where the sum would be a tee. Without tees the norm of a sum that it alone reads is fused as well.
    """

    fused: ClassVar[type[FusedResidualNormOp]]

    dtypes: Collection[str] = DTYPES
    tee: bool = True
    yield_to: Collection[str] = ()

    def match(self, norm: NormT, /) -> Fusion:
        add = producer(norm.input, BinaryOp)
        require(add.kind.data == BinaryKind.ADD.value, Reason.NOT_PRODUCED_BY, add)
        require(len(dims_of(norm.result)) == len(dims_of(norm.input)), Reason.RANK, norm, detail="the norm flattens")
        require_dtype(norm.input, self.dtypes)
        require_last_axis(norm.axis.value.data, len(dims_of(norm.input)), norm)
        lhs, rhs = dims_of(add.lhs), dims_of(add.rhs)
        equal = neither_stretches(lhs, rhs)
        require(equal, Reason.RESIDUAL_BROADCASTS, add, detail=lambda: f"{show(lhs)} and {show(rhs)}")

        if ADA_LAYER_NORM in self.yield_to:
            ends = ends_ada_layer_norm(add, self.dtypes, taken_before=not self.tee)
            require(not ends, Reason.LATER_FUSION, add, detail=ADA_LAYER_NORM)
            feeds = self.tee and feeds_ada_layer_norm(norm, self.dtypes)
            require(not feeds, Reason.LATER_FUSION, norm, detail=ADA_LAYER_NORM)

        tee = self.tees(add)
        fused = self.fused(
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

    def tees(self, add: BinaryOp) -> bool:
        """Whether the sum is read elsewhere. Raises `Miss` where that keeps it from being fused."""
        try:
            sole_use(add.result)
        except Miss:
            if not self.tee:
                raise
            product = gated_product(add, self.dtypes) if GATED_RESIDUAL in self.yield_to else None
            if product is not None:
                raise Miss(Reason.LATER_FUSION, product, detail=GATED_RESIDUAL) from None
            return True
        return False


@dataclass(frozen=True)
class ResidualNormPass(PatternPass):
    """What the passes of both norms share: the options, and the run of `pattern` with them."""

    pattern: ClassVar[type[ResidualNorm[Any]]]

    tee: bool = True
    yield_to: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = DTYPES
    compat_tee: bool = False

    def __post_init__(self) -> None:
        check_words(self.name, "yield-to", self.yield_to, LATER)
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (self.pattern(self.dtypes, restored(self).tee, self.yield_to),))
