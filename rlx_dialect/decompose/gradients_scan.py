"""Gradients of a scan as scans in the other order."""

from collections.abc import Sequence

from xdsl.ir import Block, Operation, Region, SSAValue

from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import ExpandOp, ScanBackwardOp, ScanBackwardXsOp, ScanGradientOp, ScanOp, YieldOp
from rlx_dialect.ops.regions import yielded
from rlx_dialect.shapes import shaped


def _scan(to: Plain, op: ScanGradientOp, sums: Sequence[SSAValue]) -> Operation:
    """The scan that carries the gradients, then `sums`, to each of which a round adds the body's further yields."""
    count = len(op.gradients)
    old = list(op.body.block.args)
    types = [*(x.type for x in old[:count]), *(x.type for x in sums), *(x.type for x in old[count:])]
    block, inner = Block(arg_types=types), Plain()
    new = list(block.args)
    totals, arguments = new[count : count + len(sums)], [*new[:count], *new[count + len(sums) :]]
    value_of: dict[SSAValue, SSAValue] = dict(zip(old, arguments))
    for step in op.body.block.ops:
        if not isinstance(step, YieldOp):
            inner.add(step.clone(value_of))
    given = [value_of[value] for value in yielded(op.body)]
    for at, total in enumerate(totals, count):
        given[at] = inner.plus(total, inner.widened(given[at]))
    block.add_ops([*inner.ops, YieldOp(*given)])
    stacked = [value for group in op.stacked for value in group]
    carried = [*op.gradients, *sums]
    return to.add(ScanOp(carried, stacked, op.captures, Region(block), reverse=op.reverse is None))


@plain_form(ScanBackwardOp)
def scan_backward(op: ScanBackwardOp) -> Decomposition:
    to, count = Plain(), len(op.gradients)
    sums: list[SSAValue] = []
    for capture in op.captures[: len(op.results) - count]:
        zero = to.widened(to.scalar(0.0, capture))
        sums.append(to.add(ExpandOp(zero, shaped(capture).dims, to.sizes(capture))).result)
    results = _scan(to, op, sums).results
    totals = [to.narrowed(total, result) for total, result in zip(results[count:], op.results[count:])]
    return to.done(*results[:count], *totals)


@plain_form(ScanBackwardXsOp)
def scan_backward_xs(op: ScanBackwardXsOp) -> Decomposition:
    to = Plain()
    return to.done(*_scan(to, op, []).results[len(op.gradients) :])
