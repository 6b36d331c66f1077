"""`rlx-decompose-fusion-regions`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.ops import (
    BatchElementwiseRegionOp,
    ConcatOp,
    ElementwiseRegionOp,
    ResizeNearest2xOp,
    TransformRegionOp,
)
from rlx_passes.core.index import PatternPass
from rlx_passes.expansion.unfuse import taken_apart
from rlx_passes.fusion.steps import copied_body
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class DecomposeTransformRegion(FusionPattern[TransformRegionOp]):
    """A transform region becomes its steps."""

    title = "decompose_transform_region"
    roots = (TransformRegionOp,)

    def match(self, root: TransformRegionOp, /) -> Fusion:
        return taken_apart(root)


@dataclass(frozen=True)
class DecomposeBatchRegion(FusionPattern[BatchElementwiseRegionOp]):
    """
    %0 = rlx.batch_elementwise_region(%p = [%a, %b]) {..}

    becomes one elementwise region per slice, after the resize of the prologue, and the `rlx.concat` of all.
    """

    title = "decompose_batch_region"
    roots = (BatchElementwiseRegionOp,)

    def match(self, root: BatchElementwiseRegionOp, /) -> Fusion:
        new: list[Operation] = []
        slices: list[Operation] = []
        for value in root.inputs:
            if root.before is RegionPrologue.RESIZE_NEAREST2X:
                new.append(ResizeNearest2xOp(value))
                value = new[-1].results[0]
            slices.append(ElementwiseRegionOp([value], copied_body(root)))
            new.append(slices[-1])
        return Fusion.of((root,), *new, ConcatOp([each.results[0] for each in slices], axis=0))


@dataclass(frozen=True)
class DecomposeFusionRegionsPass(PatternPass):
    """Replace transform regions by their resizes and batch regions by one elementwise region per slice."""

    name = "rlx-decompose-fusion-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (DecomposeTransformRegion(), DecomposeBatchRegion()))
