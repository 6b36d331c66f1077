"""`rlx-fuse-residual-ln`"""

from dataclasses import dataclass

from rlx_dialect.ops import FusedResidualLNOp, LayerNormOp
from rlx_passes.fusion.residual_norm import ResidualNorm, ResidualNormPass


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
class FuseResidualLNPass(ResidualNormPass):
    """
    Fuse a layer norm with the residual sum that it normalises.

    A sum that is read elsewhere becomes the second result, unless `tee` is off or `compat-tee` on. `yield-to` names
    passes that make more of the ops later: `ada_layer_norm` of the norm, `gated_residual` of a sum that is read
    elsewhere; without tees only the shift of an adaptive norm is left. `dtypes` are the types that may be fused.
    """

    name = "rlx-fuse-residual-ln"
    pattern = ResidualLN
