"""`rlx-fuse-batch-preprocess`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import BatchElementwiseRegionOp, ConcatOp, ElementwiseRegionOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.slices import joins_a_batch, require_slices
from rlx_passes.fusion.steps import copied_body, same_bodies
from rlx_passes.rewriting.legality import only_reader, producer, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class BatchRegion(FusionPattern[ConcatOp]):
    """
    %0 = rlx.elementwise_region(%p = %a) {..}
    %1 = rlx.elementwise_region(%p = %b) {..}    =>    %2 = rlx.batch_elementwise_region(%p = [%a, %b]) {..}
    %2 = rlx.concat %0, %1 axis(0)

    All regions have the same body and prologue, and read equal slices of one value along axis 0, in the concat's order.
    """

    title = "batch_region"
    roots = (ConcatOp,)

    def considers(self, root: ConcatOp, /) -> bool:
        return joins_a_batch(root) and any(isinstance(operand.owner, ElementwiseRegionOp) for operand in root.inputs)

    def match(self, root: ConcatOp, /) -> Fusion:
        regions = [producer(operand, ElementwiseRegionOp) for operand in root.inputs]
        first = regions[0]
        for region in regions:
            only_reader(region.result, ConcatOp)
            require(len(region.inputs) == 1, Reason.ATTRIBUTES, region, detail="it reads more than its slice")
        require_slices([region.inputs[0] for region in regions])
        for region in regions[1:]:
            alike = region.before is first.before and same_bodies(first, region)
            require(alike, Reason.ATTRIBUTES, first, region, detail="they differ")

        slices = [region.inputs[0] for region in regions]
        return Fusion.of((*regions, root), BatchElementwiseRegionOp(slices, copied_body(first), first.before))


@dataclass(frozen=True)
class FuseBatchPreprocessPass(PatternPass):
    """Join elementwise regions that do the same to slices of a batch, and the concat of their results, into one."""

    name = "rlx-fuse-batch-preprocess"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (BatchRegion(),))
