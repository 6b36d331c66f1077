"""`rlx-mark-transform-regions`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ResizeNearest2xOp, TransformRegionOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.prologue import becomes_prologue
from rlx_passes.fusion.steps import body_of
from rlx_passes.rewriting.legality import NO_FUSE, optional_reader, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class MarkTransformRegion(FusionPattern[ResizeNearest2xOp]):
    """
    %0 = rlx.resize_nearest2x %x           %1 = rlx.transform_region(%p = %x) {
    %1 = rlx.resize_nearest2x %0     =>      ..both on %p..
                                           }

    As many resizes as follow one another, each alone reading the one before it; one is enough. The root is the first of
    them, and a resize that becomes the prologue of a region is left to that.
    """

    title = "transform_region"
    roots = (ResizeNearest2xOp,)

    def match(self, root: ResizeNearest2xOp, /) -> Fusion:
        require(not becomes_prologue(root), Reason.LATER_FUSION, root)
        chain = [root]
        while (step := optional_reader(chain[-1].result, ResizeNearest2xOp)) is not None:
            if NO_FUSE in step.attributes or becomes_prologue(step):
                break
            chain.append(step)
        return Fusion.of(chain, TransformRegionOp(root.input, body_of(chain, [root.input], {})))


@dataclass(frozen=True)
class MarkTransformRegionsPass(PatternPass):
    """Put chains of nearest 2x resizes into `rlx.transform_region`, save those left to be an elementwise prologue."""

    name = "rlx-mark-transform-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (MarkTransformRegion(),))
