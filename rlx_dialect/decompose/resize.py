"""Resampling in plain ops."""

from xdsl.ir import SSAValue

from rlx_dialect.attributes import ResizeMode
from rlx_dialect.decompose.convolution import picked
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.decompose.pooling import constant, filled
from rlx_dialect.decompose.resize_of_runs import axis_of, matrix, taps
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import ExpandOp, GatherOp, ReshapeOp, ResizeNearest2xOp, ResizeOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC, normalize_axes, shaped


@plain_form(ResizeOp)
def resize(op: ResizeOp) -> Decomposition | None:
    """
    Elements at constant places, with constant weights, where sizes are known.

    None elsewhere for a scale that stands for no fraction of small numbers.
    """
    from rlx_dialect.reference.normalization import along
    from rlx_dialect.reference.resize import taps_of

    to = Plain()
    value, result = shaped(op.input), shaped(op.result)
    sizes = [side.dims[axis] for axis in op.axes.get_values() for side in (value, result)]
    if DYNAMIC in sizes:
        return _of_run(to, op)
    if 0 in sizes:
        return filled(to, 0, result, op.input)
    nearest = op.resampling is ResizeMode.NEAREST
    current = op.input if nearest else to.widened(op.input)
    for axis, indices, weights in taps_of(op, value.dims, result.dims):
        parts = [picked(to, current, axis, each.tolist()) for each in indices]
        if nearest:
            (current,) = parts
            continue
        element = shaped(current).element
        terms: list[SSAValue] = []
        for part, weight in zip(parts, weights):
            terms.append(to.times(part, constant(to, along(weight, axis, value.rank), element)))
        current = terms[0]
        for term in terms[1:]:
            current = to.plus(current, term)
    return to.done(to.narrowed(current, op.result))


def _of_run(to: Plain, op: ResizeOp) -> Decomposition | None:
    """With places and weights that the run reckons."""
    axes = normalize_axes(op.axes.get_values(), shaped(op.input).rank)
    scales = [None] * len(axes) if op.scales is None else op.scales.get_values()
    ends = (0.0,) * len(axes) + (1.0,) * len(axes) if op.region is None else op.region.get_values()
    current = op.input if op.resampling is ResizeMode.NEAREST else to.widened(op.input)
    for axis, scale, region in zip(axes, scales, zip(ends, ends[len(axes) :])):
        found = axis_of(to, own_sizes(op.input)[axis], shaped(op.result).dims[axis], scale)
        if found is None:
            return None
        if op.antialias is not None and scale is None:
            current = _through(to, current, axis, *matrix(to, op, found, region, current))
            continue
        terms: list[SSAValue] = []
        for indices, weight in taps(to, op, found, region, current):
            part = to.add(GatherOp(current, indices, axis=axis)).result
            if weight is not None:
                part = to.times(part, to.along(weight, axis, shaped(current).rank))
            terms.append(part)
        current = terms[0]
        for term in terms[1:]:
            current = to.plus(current, term)
    return to.done(to.narrowed(current, op.result))


def _through(to: Plain, value: SSAValue, axis: int, indices: SSAValue, weights: SSAValue) -> SSAValue:
    """The elements of an axis at `indices` times a matrix of weights."""
    order = [each for each in range(shaped(value).rank) if each != axis] + [axis]
    last = to.add(TransposeOp(to.add(GatherOp(value, indices, axis=axis)).result, order)).result
    whole = len(order) == 1
    rows = to.laid(last, (1, *own_sizes(last))) if whole else last
    made = to.matmul(rows, weights)
    made = to.laid(made, own_sizes(weights)[1:]) if whole else made
    return to.add(TransposeOp(made, [order.index(each) for each in range(len(order))])).result


@plain_form(ResizeNearest2xOp)
def nearest2x(op: ResizeNearest2xOp) -> Decomposition:
    """Each pixel in a square of its own dims."""
    to = Plain()
    batch, channels, height, width = shaped(op.input).dims
    sizes = to.sizes(op.input)
    pixels = to.add(ReshapeOp(op.input, (batch, channels, height, 1, width, 1), sizes)).result
    squares = to.add(ExpandOp(pixels, (batch, channels, height, 2, width, 2), sizes)).result
    doubled = [size * by for size, by in zip(own_sizes(op.input), (1, 1, 2, 2))]
    wide = [to.made(size) for size in doubled if not isinstance(size, int)]
    return to.done(to.add(ReshapeOp(squares, shaped(op.result).dims, wide)).result)
