"""`rlx-mark-elementwise-regions`"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.ops import ElementwiseRegionOp
from rlx_passes.budget.limits import GPU_NATIVE, FusionLimits
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.options import check_limits
from rlx_passes.fusion.steps import BOUNDARY, STEPS, Step, body_of, may_be_step, require_step
from rlx_passes.rewriting.legality import block_of, dims_of, only_reader, optional_reader, require
from rlx_passes.rewriting.miss import Miss, Reason, report_miss
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


class Chain:
    """Steps of which each alone reads the one before it, and what they read from outside, in the order of first use."""

    def __init__(self, head: Step):
        self.steps: list[Step] = [head]
        self.inputs: dict[SSAValue, None] = dict.fromkeys(head.operands)

    @property
    def result(self) -> SSAValue:
        return self.steps[-1].result

    def next(self, limits: FusionLimits) -> Step:
        """The step that goes on with the chain. Raises `Miss` where it ends."""
        reader = only_reader(self.result, STEPS)
        require_step(reader)
        require(dims_of(reader.result) == dims_of(self.result), Reason.DIMS_CHANGE, reader)
        for operand in reader.operands:
            require(not _is_boundary(operand), Reason.FUSION_BOUNDARY, operand)
        require(_continued(reader) is self.result, Reason.OTHER_CHAIN, reader)
        require(len(self.steps) < limits.max_elementwise_steps, Reason.REGION_FULL, reader)
        fresh = self._outside(reader).keys() - self.inputs.keys()
        require(len(self.inputs) + len(fresh) <= limits.max_elementwise_inputs, Reason.REGION_FULL, reader)
        return reader

    def add(self, step: Step) -> None:
        self.inputs.update(self._outside(step))
        self.steps.append(step)

    def _outside(self, step: Step) -> dict[SSAValue, None]:
        return dict.fromkeys(operand for operand in step.operands if operand is not self.result)


def _is_boundary(value: SSAValue) -> bool:
    owner = value.owner
    return not isinstance(owner, Block) and owner.name in BOUNDARY


def _continued(step: Step) -> SSAValue | None:
    """The operand whose chain `step` goes on with: the first that it alone reads, from a step of the same dims."""
    return next(_continuable(step), None)


def _continuable(step: Step) -> Iterator[SSAValue]:
    for operand in step.operands:
        owner = operand.owner
        if (
            isinstance(owner, Operation)
            and block_of(operand) is step.parent
            and optional_reader(operand, STEPS) is step
            and may_be_step(owner)
            and dims_of(operand) == dims_of(step.result)
        ):
            yield operand


@dataclass(frozen=True)
class MarkElementwiseRegion(FusionPattern[Step]):
    """
    %0 = rlx.binary add %a, %b           %2 = rlx.elementwise_region(%p = %a, %q = %b, %r = %c) {
    %1 = rlx.binary mul %0, %c     =>      ..the three steps on %p, %q and %r..
    %2 = rlx.activation relu %1          }

    The root is the head of a chain: under a driver that goes in program order, whatever a chain before took is gone. A
    chain has one thread, all its steps have the same dims, and it ends where a limit is reached.
    """

    title = "elementwise_region"
    roots = STEPS

    limits: FusionLimits = GPU_NATIVE

    def match(self, head: Step, /) -> Fusion:
        require_step(head)
        chain = Chain(head)
        chain.add(chain.next(self.limits))
        try:
            while True:
                chain.add(chain.next(self.limits))
        except Miss as miss:
            if miss.reason is Reason.REGION_FULL:
                report_miss(self.title, chain.steps[-1], miss)
        inputs = tuple(chain.inputs)
        return Fusion.of(chain.steps, ElementwiseRegionOp(inputs, body_of(chain.steps, inputs, {})))


@dataclass(frozen=True)
class MarkElementwiseRegionsPass(PatternPass):
    """
    Put chains of two or more elementwise ops into `rlx.elementwise_region`.

    An op goes on with the chain of the first operand that it alone reads, unless an operand comes from a product or
    convolution, or its dims differ from the chain's. Smaller operands stretch along leading axes only. A chain that has
    reached `max-elementwise-steps`, or would exceed `max-elementwise-inputs`, ends; the next op starts another.
    """

    name = "rlx-mark-elementwise-regions"

    max_elementwise_steps: int = GPU_NATIVE.max_elementwise_steps
    max_elementwise_inputs: int = GPU_NATIVE.max_elementwise_inputs

    def __post_init__(self) -> None:
        check_limits(self.name, self.max_elementwise_steps, self.max_elementwise_inputs)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limits = FusionLimits(self.max_elementwise_steps, self.max_elementwise_inputs)
        run_patterns(op, (MarkElementwiseRegion(limits),))
