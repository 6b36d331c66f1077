"""`rlx-unfuse-elementwise-regions`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.ops import ElementwiseRegionOp
from rlx_passes.core.index import PatternPass
from rlx_passes.expansion.unfuse import taken_apart
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class UnfuseElementwiseRegion(FusionPattern[ElementwiseRegionOp]):
    """A region becomes the resize of its prologue, if any, and its steps; `keep_prologue` skips those with one."""

    title = "unfuse_elementwise_region"
    roots = (ElementwiseRegionOp,)

    keep_prologue: bool = False

    def considers(self, root: ElementwiseRegionOp, /) -> bool:
        return root.before is RegionPrologue.NONE or not self.keep_prologue

    def match(self, root: ElementwiseRegionOp, /) -> Fusion:
        return taken_apart(root)


@dataclass(frozen=True)
class UnfuseElementwiseRegionsPass(PatternPass):
    """Replace every elementwise region by its steps; with `keep-prologue` only those without a prologue."""

    name = "rlx-unfuse-elementwise-regions"

    keep_prologue: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (UnfuseElementwiseRegion(self.keep_prologue),))
