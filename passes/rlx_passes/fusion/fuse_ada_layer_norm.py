"""`rlx-fuse-ada-layer-norm`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.ops import AdaLayerNormOp, LayerNormOp, NormOp, RmsNormOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.modulation import modulated_norm
from rlx_passes.fusion.options import check_dtypes
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns

KINDS: dict[type[NormOp], AdaNormKind] = {LayerNormOp: AdaNormKind.LAYER_NORM, RmsNormOp: AdaNormKind.RMS_NORM}


@dataclass(frozen=True)
class AdaLayerNorm(FusionPattern[NormOp]):
    """
    %0 = rlx.layer_norm %x, %ones, %zeros
    %1 = rlx.binary add %one, %scale         =>    %3 = rlx.ada_layer_norm %x, %scale, %shift
    %2 = rlx.binary mul %0, %1
    %3 = rlx.binary add %2, %shift

    Or `%0 + %0 * %scale` for `%2`; or `rlx.rms_norm`. Scale and shift broadcast to the dims of `%x`, often `[B, 1, D]`.
    """

    title = "ada_layer_norm"
    roots = tuple(KINDS)

    dtypes: Collection[str] = DTYPES

    def match(self, norm: NormOp, /) -> Fusion:
        parts = modulated_norm(norm, self.dtypes)
        fused = AdaLayerNormOp(
            norm.input,
            parts.scale,
            parts.shift,
            epsilon=norm.epsilon.value.data,
            norm=KINDS[type(norm)],
            accumulate=norm.accumulate,
        )
        return Fusion.of((norm, *parts.ops), fused)


@dataclass(frozen=True)
class FuseAdaLayerNormPass(PatternPass):
    """Fuse a norm without gain and shift of its own with the scale and shift that modulate it. `dtypes` limits it."""

    name = "rlx-fuse-ada-layer-norm"

    dtypes: tuple[str, ...] = DTYPES

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (AdaLayerNorm(self.dtypes),))
