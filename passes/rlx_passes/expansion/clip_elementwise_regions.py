"""`rlx-clip-elementwise-regions`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ElementwiseRegionOp
from rlx_passes.budget.limits import GPU_NATIVE, FusionLimits
from rlx_passes.core.index import PatternPass
from rlx_passes.expansion.unfuse import taken_apart
from rlx_passes.fusion.options import check_limits
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class ClipElementwiseRegion(FusionPattern[ElementwiseRegionOp]):
    """A region of more steps or inputs than the limits allow becomes plain ops."""

    title = "clip_elementwise_region"
    roots = (ElementwiseRegionOp,)

    limits: FusionLimits = GPU_NATIVE

    def considers(self, root: ElementwiseRegionOp, /) -> bool:
        steps, inputs = len(root.plain()), len(root.inputs)
        return steps > self.limits.max_elementwise_steps or inputs > self.limits.max_elementwise_inputs

    def match(self, root: ElementwiseRegionOp, /) -> Fusion:
        return taken_apart(root)


@dataclass(frozen=True)
class ClipElementwiseRegionsPass(PatternPass):
    """Take apart elementwise regions of more than `max-elementwise-steps` steps or `max-elementwise-inputs` inputs."""

    name = "rlx-clip-elementwise-regions"

    max_elementwise_steps: int = GPU_NATIVE.max_elementwise_steps
    max_elementwise_inputs: int = GPU_NATIVE.max_elementwise_inputs

    def __post_init__(self) -> None:
        check_limits(self.name, self.max_elementwise_steps, self.max_elementwise_inputs)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limits = FusionLimits(self.max_elementwise_steps, self.max_elementwise_inputs)
        run_patterns(op, (ClipElementwiseRegion(limits),))
