"""`rlx-fuse-region-prologue`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.ops import ElementwiseRegionOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.prologue import READERS, Reader, prologue_of, resizes
from rlx_passes.fusion.steps import body_of, copied_body
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class RegionWithPrologue(FusionPattern[Reader]):
    """
    %0 = rlx.resize_nearest2x %x
    %1 = rlx.elementwise_region(%p = %a, %q = %0) {..}
      =>   %1 = rlx.elementwise_region(%q = %x, %p = %a) prologue(resize_nearest2x) {..}

    The resized operand changes places with the first. An activation of a resize becomes a region of one step.
    """

    title = "region_prologue"
    roots = READERS

    def considers(self, root: Reader, /) -> bool:
        return resizes(root)

    def match(self, root: Reader, /) -> Fusion:
        prologue = prologue_of(root)
        resize, place = prologue.resize, prologue.place
        inputs = list(root.operands)
        if isinstance(root, ElementwiseRegionOp):
            order = list(range(len(inputs)))
            order[0], order[place] = order[place], order[0]
            body = copied_body(root, order)
            inputs[0], inputs[place] = inputs[place], inputs[0]
        else:
            body = body_of([root], inputs, {})
        inputs[0] = resize.input
        return Fusion.of((resize, root), ElementwiseRegionOp(inputs, body, RegionPrologue.RESIZE_NEAREST2X))


@dataclass(frozen=True)
class FuseRegionProloguePass(PatternPass):
    """Let elementwise regions read the first operand that is a nearest 2x resize at half its size."""

    name = "rlx-fuse-region-prologue"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (RegionWithPrologue(),))
