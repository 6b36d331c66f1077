"""`rlx-mark-batch-slice-regions`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from rlx_dialect.ops import ConcatOp, ElementwiseRegionOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.slices import joins_a_batch, require_slices
from rlx_passes.fusion.steps import UNARY_STEPS, UnaryStep, body_of, require_step
from rlx_passes.rewriting.legality import only_reader, producer, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class MarkBatchSliceRegions(FusionPattern[ConcatOp]):
    """
    %a = rlx.narrow %x axis(0) ..          %0 = rlx.elementwise_region(%p = %a) {rlx.activation relu}
    %b = rlx.narrow %x axis(0) ..     =>   %1 = rlx.elementwise_region(%p = %b) {rlx.activation relu}
    %0 = rlx.activation relu %a
    %1 = rlx.activation relu %b
    rlx.concat %0, %1 axis(0)              rlx.concat %0, %1 axis(0)

    Every operand of the concat is the same activation, or a cast that changes nothing, of an equal slice of one value.
    """

    title = "batch_slice_regions"
    roots = (ConcatOp,)

    def considers(self, root: ConcatOp, /) -> bool:
        return joins_a_batch(root) and any(isinstance(operand.owner, UNARY_STEPS) for operand in root.inputs)

    def match(self, root: ConcatOp, /) -> Fusion:
        steps = [self.step(root, place) for place in range(len(root.inputs))]
        for step in steps:
            alike = step.name == steps[0].name and step.properties == steps[0].properties
            require(alike, Reason.ATTRIBUTES, steps[0], step)
        require_slices([step.input for step in steps])

        regions = [ElementwiseRegionOp([step.input], body_of([step], [step.input], {})) for step in steps]
        replaces: dict[SSAValue, SSAValue] = {step.result: region.result for step, region in zip(steps, regions)}
        return Fusion(tuple(steps), tuple(regions), replaces, at=root)

    def step(self, root: ConcatOp, place: int) -> UnaryStep:
        """The op that makes an operand and that nothing else reads."""
        step = producer(root.inputs[place], UNARY_STEPS)
        require_step(step)
        only_reader(step.result, ConcatOp)
        return step


@dataclass(frozen=True)
class MarkBatchSliceRegionsPass(PatternPass):
    """Where one activation is applied to several slices of a batch that are joined again, give each a region."""

    name = "rlx-mark-batch-slice-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (MarkBatchSliceRegions(),))
