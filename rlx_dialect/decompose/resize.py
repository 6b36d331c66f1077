"""Resampling in plain ops."""

from xdsl.ir import SSAValue

from rlx_dialect.attributes import ResizeMode
from rlx_dialect.decompose.convolution import picked
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.decompose.pooling import constant, filled
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import ExpandOp, ReshapeOp, ResizeNearest2xOp, ResizeOp
from rlx_dialect.shapes import DYNAMIC, shaped


@plain_form(ResizeOp)
def resize(op: ResizeOp) -> Decomposition | None:
    """Elements at constant places, with constant weights. None where a resized dim is not known."""
    from rlx_dialect.reference.normalization import along
    from rlx_dialect.reference.resize import taps_of

    to = Plain()
    value, result = shaped(op.input), shaped(op.result)
    sizes = [side.dims[axis] for axis in op.axes.get_values() for side in (value, result)]
    if DYNAMIC in sizes:
        return None
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
