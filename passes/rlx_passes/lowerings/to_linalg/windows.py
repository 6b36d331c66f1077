"""Convolutions, pools: one `linalg.generic` over a padded input, spatial axes read at `stride * o + dilation * k`."""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from rlx_dialect.attributes import PoolKind
from rlx_dialect.constants import dense
from rlx_dialect.dims import larger
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import ConvOp, FusedConvBiasActOp, PoolOp
from rlx_dialect.shape_rules.windows import Window, channel_axis, spatial_axes, spread
from rlx_dialect.shapes import Dims, known
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Size, Tensor, dim_of
from rlx_passes.lowerings.to_linalg.contraction import accumulate_type
from rlx_passes.lowerings.to_linalg.elements import store
from rlx_passes.lowerings.to_linalg.elementwise import activation as activate
from rlx_passes.lowerings.to_linalg.picking import made, outside
from rlx_passes.lowerings.to_linalg.reduction import lowest
from rlx_passes.lowerings.to_linalg.scalars import Number, Scalar


def spatial_sizes(b: LinalgBuilder, input: Tensor, axes: Sequence[int]) -> Dims:
    """The spatial sizes as rules reckon with them."""
    dims = b.dims(input.value)
    return tuple(dims[axis] for axis in axes)


def reaching(window: Window, sizes: Dims, counts: Dims) -> Window:
    """
    `window` with pads at the ends that are as long as its windows reach, where these cross the end or are one.

    A compiler that drops the loop over a single window takes what is read to be as long as the kernel. Where only a run
    knows how far they reach, the pad is what it is and `padded` is told.
    """
    reach = [(count - 1) * stride + span for count, stride, span in zip(counts, window.stride, window.spans)]
    beyond = [size - r for size, r in zip(window.padded(sizes), reach)]
    high = (
        h - more if known(more) and known(count) and (more < 0 or count == 1) else h
        for h, more, count in zip(window.high, beyond, counts)
    )
    return window._replace(high=tuple(high))


def padded(
    b: LinalgBuilder, input: Tensor, axes: Sequence[int], window: Window, value: Number, counts: Dims = ()
) -> Tensor:
    """
    The input spread out and with `value` around it; what a negative pad takes away is gone.

    With `counts` of windows there are at least as many elements as these read.
    """
    inner = spatial_sizes(b, input, axes)
    gaps = dict(zip(axes, window.input_dilation))
    low, high = dict(zip(axes, window.low)), dict(zip(axes, window.high))
    reach = [(count - 1) * stride + span for count, stride, span in zip(counts, window.stride, window.spans)]
    # Without the negative pads first: a slice of what was spread.
    grown = [spread(size, gaps[axis]) + max(low[axis], 0) + max(high[axis], 0) for axis, size in zip(axes, inner)]
    cut = [larger(size + min(low[axis], 0) + min(high[axis], 0), 0) for axis, size in zip(axes, grown)]
    for at, far in enumerate(reach):
        if not (known(far) and known(cut[at])):
            grown[at] += larger(far, cut[at]) - cut[at]
            cut[at] = larger(far, cut[at])
    if grown == list(inner) and cut == grown and all(gap == 1 for gap in gaps.values()):
        return input
    sizes: list[Size] = list(b.sizes(input.value))
    for axis, size in zip(axes, grown):
        sizes[axis] = b.made(size)
    whole = b.full(sizes, input.element, value)
    if 0 not in input.dims:
        lists = [
            [max(low.get(axis, 0), 0) for axis in range(input.rank)],
            list(b.sizes(input.value)),
            [gaps.get(axis, 1) for axis in range(input.rank)],
        ]
        names = ("static_offsets", "static_sizes", "static_strides")
        whole = b.emit(
            tensor.InsertSliceOp(
                operands=[
                    input.value,
                    whole,
                    *([size for size in each if not isinstance(size, int)] for each in lists),
                ],
                result_types=[whole.type],
                properties={
                    name: DenseArrayBase.from_list(i64, [dim_of(size) for size in each])
                    for name, each in zip(names, lists)
                },
            )
        )
    result = Tensor(whole, input.element)
    starts = [-min(low[axis], 0) for axis in axes]
    return result if cut == grown else sliced(b, result, axes, starts, [b.made(size) for size in cut])


def sliced(
    b: LinalgBuilder, input: Tensor, axes: Sequence[int], starts: Sequence[int], lengths: Sequence[Size]
) -> Tensor:
    """`lengths` elements of `axes` from `starts`."""
    sizes: list[Size] = list(b.sizes(input.value))
    offsets = [0] * input.rank
    for axis, start, length in zip(axes, starts, lengths):
        sizes[axis], offsets[axis] = length, start
    if 0 in lengths:
        return Tensor(b.empty(sizes, input.element), input.element)
    type = TensorType(b.stored(input.element), [dim_of(size) for size in sizes])
    return Tensor(b.emit(tensor.ExtractSliceOp(input.value, offsets, sizes, [1] * input.rank, type)), input.element)


def places(window: Window, outer: Sequence[int], inner: Sequence[int]) -> list[AffineExpr]:
    """Where the loops `outer` over windows and `inner` over the kernel read each spatial axis."""
    return [
        AffineExpr.dimension(o) * stride + AffineExpr.dimension(k) * dilation
        for o, k, stride, dilation in zip(outer, inner, window.stride, window.dilation)
    ]


def convolve(b: LinalgBuilder, op: ConvOp | FusedConvBiasActOp, accumulate: Attribute) -> Tensor:
    """The sums of a convolution, of elements `accumulate`, in the layout of the op."""
    config, window = op.config, op.window
    input, weight = b.tensor(op.input), b.tensor(op.weight)
    rank, groups = input.rank, config.groups
    channels = channel_axis(config.layout, rank)
    axes = spatial_axes(config.layout, rank)
    inner_sizes = spatial_sizes(b, input, axes)
    reckoned = window.counts(inner_sizes)
    counts = [b.made(count) for count in reckoned]
    source = padded(b, input, axes, reaching(window, inner_sizes, reckoned), 0)
    features = b.size(weight.value, 0)

    # Loops: batch, group, feature of the group, windows; then channel of the group, kernel.
    spatial = len(axes)
    outer, inner = list(range(3, 3 + spatial)), list(range(4 + spatial, 4 + 2 * spatial))
    n, g, m, c = (AffineExpr.dimension(loop) for loop in (0, 1, 2, 3 + spatial))
    grouped, per_group = _in_groups(b, source, channels, groups), _in_groups(b, weight, 0, groups)
    read = [*places(window, outer, inner)]
    kernel = [AffineExpr.dimension(loop) for loop in inner]
    windows = [AffineExpr.dimension(loop) for loop in outer]
    value_axes = [n, g, c, *read] if channels == 1 else [n, *read, g, c]
    result_axes = [n, g, m, *windows] if channels == 1 else [n, *windows, g, m]
    loops = 4 + 2 * spatial
    split: list[Size] = [groups, _share(b, features, groups)]
    batch = b.size(input.value, 0)
    sizes = [batch, *split, *counts] if channels == 1 else [batch, *counts, *split]
    product = b.generic(
        [(grouped, AffineMap(loops, 0, tuple(value_axes))), (per_group, AffineMap(loops, 0, (g, m, c, *kernel)))],
        b.full(sizes, accumulate, 0),
        AffineMap(loops, 0, tuple(result_axes)),
        accumulate,
        lambda x, w, so_far: so_far + x.to(accumulate) * w.to(accumulate),
        accumulates=True,
    )
    return _merged(b, product, channels)


def _share(b: LinalgBuilder, count: Size, groups: int) -> Size:
    """The channels of a group."""
    if isinstance(count, int):
        return count // groups
    return count if groups == 1 else b.emit(arith.DivUIOp(count, b.index(groups)))


def _in_groups(b: LinalgBuilder, input: Tensor, axis: int, groups: int) -> Tensor:
    """`axis` as two: the group, and the place in it."""
    sizes = b.sizes(input.value)
    part = _share(b, sizes[axis], groups)
    return b.expand(input, [[groups, part] if each == axis else [size] for each, size in enumerate(sizes)])


def _merged(b: LinalgBuilder, input: Tensor, axis: int) -> Tensor:
    """`axis` and the next one as one."""
    groups = [[each] for each in range(axis)] + [[axis, axis + 1]] + [[each] for each in range(axis + 2, input.rank)]
    return b.collapse(input, groups)


def _conv(op: ConvOp, b: LinalgBuilder) -> Sequence[Tensor]:
    element = b.tensor(op.input).element
    return [b.cast(convolve(b, op, accumulate_type(op.accumulate, element)), element)]


def _fused_conv(op: FusedConvBiasActOp, b: LinalgBuilder) -> Sequence[Tensor]:
    """Bias, residual and activation go on in the accumulate type and are rounded once."""
    input = b.tensor(op.input)
    product = convolve(b, op, accumulate_type(op.accumulate, input.element))
    after = product.rank - 1 - channel_axis(op.config.layout, product.rank)
    bias = [] if op.bias is None else [b.unsqueeze(b.tensor(op.bias), range(1, 1 + after))]
    residual = [] if op.residual is None else [b.tensor(op.residual)]

    def finish(total: Scalar, *addends: Scalar) -> Scalar:
        for addend in addends:
            total = total + addend.to(total.type)
        if (activation := op.epilogue) is not None:
            total = activate(activation, total)
        return total.to(input.element)

    return [b.elementwise([product, *bias, *residual], input.element, finish)]


def _over(
    b: LinalgBuilder,
    source: Tensor,
    axes: Sequence[int],
    window: Window,
    sizes: Sequence[Size],
    element: Attribute,
    start: Number,
    step: str,
) -> Tensor:
    """What `step`, `max` or `sum`, makes of each window of `source` in `element`."""
    inner = list(range(source.rank, source.rank + len(axes)))
    read = dict(zip(axes, places(window, list(axes), inner)))
    exprs = tuple(read.get(axis, AffineExpr.dimension(axis)) for axis in range(source.rank))
    loops = source.rank + len(axes)
    kept = AffineMap(loops, 0, tuple(AffineExpr.dimension(axis) for axis in range(source.rank)))
    kernel = Tensor(b.empty(window.kernel, element), element)
    over_kernel = AffineMap(loops, 0, tuple(AffineExpr.dimension(loop) for loop in inner))

    def body(x: Scalar, _: Scalar, so_far: Scalar) -> Scalar:
        x = x.to(so_far.type)
        return so_far.maximum(x) if step == "max" else so_far + x

    return b.generic(
        [(source, AffineMap(loops, 0, exprs)), (kernel, over_kernel)],
        b.full(sizes, element, start),
        kept,
        element,
        body,
        accumulates=True,
    )


def _pool(op: PoolOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input, config = b.tensor(op.input), op.config
    axes, window = spatial_axes(config.layout, input.rank), config.window
    inner_sizes = spatial_sizes(b, input, axes)
    counts = window.counts(inner_sizes, config.ceil)
    wide = reaching(window, inner_sizes, counts)
    sizes = b.result_sizes(op)
    if op.pooling is PoolKind.MAX:
        least = lowest(input.element)
        source = padded(b, input, axes, wide, least, counts)
        return [_over(b, source, axes, window, sizes, input.element, least, "max")]
    accumulate = accumulate_type(op.accumulate, input.element)
    total = _over(b, padded(b, input, axes, wide, 0, counts), axes, window, sizes, accumulate, 0, "sum")
    pads = op.count_include_pad is not None
    seen = [
        _seen(b, accumulate, Window(*((entry[at],) for entry in window)), size, count, pads, input.rank - axis)
        for at, (axis, size, count) in enumerate(zip(axes, inner_sizes, counts))
    ]
    return [b.elementwise([total, *seen], input.element, _mean_of(input.element))]


def _seen(b: LinalgBuilder, element: Attribute, window: Window, size: int, count: int, pads: bool, rank: int) -> Tensor:
    """
    Along the first of `rank` axes how many elements each window of one axis sees; with `pads` those that were added are
    among them. Where only a run knows the size each window counts them.
    """
    if known(size) and known(count):
        numbers = elements_seen(window, (size,), (count,), pads)[0]
        type = TensorType(element, [count] + [1] * (rank - 1))
        array = np.array(numbers, numpy_dtype(element)).reshape(type.get_shape())
        return Tensor(b.emit(arith.ConstantOp(dense(type, array))), element)
    (kernel,), (stride,), (low,), (high,), (dilation,), _ = window
    last = b.made(size + high if pads else size)

    def fill(loops: list[Scalar]) -> SSAValue:
        start = loops[0] * stride - low
        seen = start.constant(0)
        for at in range(kernel):
            place = start + at * dilation
            inside = (place >= (-low if pads else 0)) & (place < outside(start, b, last))
            seen = seen + inside.where(start.constant(1), start.constant(0))
        return store(seen.to(element), element, b.stored(element))

    return made(b, [b.made(count), *[1] * (rank - 1)], element, fill)


def elements_seen(window: Window, sizes: Sequence[int], counts: Sequence[int], pads: bool) -> list[list[int]]:
    """For each axis, how many elements each window sees; with `pads` those that were added are among them."""
    seen: list[list[int]] = []
    for size, count, kernel, stride, low, high, dilation in zip(sizes, counts, *window[:5]):
        first, last = (-low, size + high) if pads else (0, size)
        starts = [place * stride - low for place in range(count)]
        seen.append([sum(first <= start + k * dilation < last for k in range(kernel)) for start in starts])
    return seen


def _mean_of(element: Attribute) -> Callable[..., Scalar]:
    def mean(total: Scalar, *seen: Scalar) -> Scalar:
        count = seen[0]
        for more in seen[1:]:
            count = count * more
        return (total / count).to(element)

    return mean


LOWERINGS: Lowerings = {ConvOp: _conv, FusedConvBiasActOp: _fused_conv, PoolOp: _pool}
