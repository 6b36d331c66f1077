"""`rlx-fuse-residual-ln`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_dialect.ops import FusedResidualLNOp, LayerNormOp
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.later_fusion import LATER
from rlx_passes.fusion.options import check_dtypes, check_words
from rlx_passes.fusion.residual_norm import ResidualNorm
from rlx_passes.patterns import run_patterns


@dataclass(frozen=True)
class ResidualLN(ResidualNorm[LayerNormOp]):
    """
    %0 = rlx.binary add %x, %r
    %1 = rlx.layer_norm %0, %g, %b    =>    %1, %0 = rlx.fused_residual_ln %x, %r, %g, %b

    The second result is there where something else reads the sum.
    """

    title = "residual_ln"
    roots = (LayerNormOp,)
    fused = FusedResidualLNOp


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
