"""Region ops in plain ops."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import (
    BatchElementwiseRegionOp,
    ConcatOp,
    ElementwiseRegionOp,
    ResizeNearest2xOp,
    TransformRegionOp,
)
from rlx_dialect.ops.regions import RegionOp, yielded


def _before(to: Plain, prologue: RegionPrologue, value: SSAValue) -> SSAValue:
    if prologue is RegionPrologue.NONE:
        return value
    return to.add(ResizeNearest2xOp(value)).result


def _copied(to: Plain, op: RegionOp, arguments: Sequence[SSAValue]) -> SSAValue:
    """The ops of the body with `arguments` in place of its own; what it yields."""
    value_of: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, arguments))
    for step in op.plain():
        to.add(step.clone(value_of))
    (result,) = yielded(op.body)
    return value_of[result]


@plain_form(ElementwiseRegionOp)
def elementwise_region(op: ElementwiseRegionOp) -> Decomposition:
    to = Plain()
    first = [_before(to, op.before, value) for value in op.inputs[:1]]
    return to.done(_copied(to, op, [*first, *op.inputs[1:]]))


@plain_form(TransformRegionOp)
def transform_region(op: TransformRegionOp) -> Decomposition:
    to = Plain()
    return to.done(_copied(to, op, op.inputs))


@plain_form(BatchElementwiseRegionOp)
def batch_elementwise_region(op: BatchElementwiseRegionOp) -> Decomposition:
    to = Plain()
    slices = [_copied(to, op, [_before(to, op.before, value)]) for value in op.inputs]
    return to.done(to.add(ConcatOp(slices, axis=0)).result)
