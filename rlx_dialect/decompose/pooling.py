"""Pooling in plain ops: the elements of each window are gathered, then reduced."""

from functools import reduce
from math import inf, nan, prod
from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind, PoolKind, ReduceKind, SpatialLayout
from rlx_dialect.constants import dense, splat
from rlx_dialect.decompose.convolution import permuted, picked
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import (
    CastOp,
    CompareOp,
    ConvBackwardInputOp,
    ConvConfig,
    ExpandOp,
    GatherOp,
    Im2ColOp,
    IotaOp,
    MaxPoolBackwardOp,
    PoolConfig,
    PoolOp,
    ReshapeOp,
    WhereOp,
)
from rlx_dialect.shape_rules.windows import channel_axis, spatial_axes, spatial_dims
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped, shaped
from rlx_dialect.shapes import known as is_number


def constant(to: Plain, array: Any, element: Attribute) -> SSAValue:
    """`array` in an element type."""
    type: TensorType[Attribute] = Shaped(array.shape, element).type
    return to.add(ConstantOp(dense(type, array.astype(numpy_dtype(element))))).result


class Seen:
    """
    What each window of a value sees: each spatial dim becomes two, places in the window and windows. Pads hold `fill`.

    `places` and `windows` are the axes of these.
    """

    def __init__(self, to: Plain, value: SSAValue, config: PoolConfig, fill: float):
        rank = shaped(value).rank
        axes = spatial_axes(config.layout, rank)
        self.to, self.config = to, config
        self.sizes = cast("Dims", tuple(own_sizes(value)[axis] for axis in axes))
        self.counts = config.window.counts(self.sizes, config.ceil)
        self.places = tuple(axis + i for i, axis in enumerate(axes))
        self.windows = tuple(axis + 1 for axis in self.places)
        # From the last axis on, so that the ones before stay where they are.
        for i, axis in reversed(list(enumerate(axes))):
            value = self._along(value, i, axis, fill)
        self.value = value

    def _along(self, value: SSAValue, i: int, axis: int, fill: float) -> SSAValue:
        """`value` with `axis`, spatial dim i, as places and windows."""
        dims = shaped(value).dims
        if dims[axis] == DYNAMIC:
            return self._along_unknown(value, i, axis, fill)
        size, sources = dims[axis], self.sources(i)
        inside = (sources >= 0) & (sources < size)
        taken = picked(self.to, value, axis, sources.clip(0, size - 1).tolist())
        if inside.all():
            return taken
        mask = constant(self.to, inside.reshape(*inside.shape, *(1,) * (len(dims) - axis - 1)), DTYPES["i1"].type)
        return self.to.add(WhereOp(mask, taken, self.to.scalar(fill, value))).result

    def _along_unknown(self, value: SSAValue, i: int, axis: int, fill: float) -> SSAValue:
        """The same where only a run knows the size."""
        to, size = self.to, self.to.number(self.to.made(self.sizes[i]))
        places = self.counted_sources(i)
        zero, one = (to.scalar(number, places) for number in (0, 1))
        last = to.minus(size, one)
        picks = to.binary(BinaryKind.MAX, to.binary(BinaryKind.MIN, places, last), zero)
        taken = to.add(GatherOp(value, picks, axis=axis)).result
        inside = self.inside(places, zero, size)
        after = shaped(value).rank - axis - 1
        mask = to.add(ReshapeOp(inside, (*shaped(inside).dims, *(1,) * after), to.sizes(inside))).result
        return to.where(mask, taken, to.scalar(fill, value))

    def counted_sources(self, i: int) -> SSAValue:
        """`sources` where only a run knows how many windows there are."""
        to, window = self.to, self.config.window
        starts = to.add(IotaOp(Shaped((1, DYNAMIC), i64), [to.made(self.counts[i])], axis=1)).result
        starts = to.minus(to.times(starts, to.scalar(window.stride[i], starts)), to.scalar(window.low[i], starts))
        steps = to.add(IotaOp(Shaped((window.kernel[i], 1), i64), [], axis=0)).result
        return to.plus(starts, to.times(steps, to.scalar(window.dilation[i], steps)))

    def inside(self, places: SSAValue, first: SSAValue, end: SSAValue) -> SSAValue:
        """Which places lie from `first` to before `end`."""
        after, before = self.to.compare(CompareKind.GE, places, first), self.to.compare(CompareKind.LT, places, end)
        return self.to.binary(BinaryKind.BIT_AND, after, before)

    def numbers(self, i: int, include_pad: bool, element: Attribute) -> SSAValue:
        """Along spatial dim i how many elements each window sees, those that were added among them if `include_pad`."""
        to, window = self.to, self.config.window
        low, high = (window.low[i], window.high[i]) if include_pad else (0, 0)
        if is_number(self.sizes[i]):
            sources = self.sources(i)
            return constant(to, ((sources >= -low) & (sources < self.sizes[i] + high)).sum(0), element)
        places = self.counted_sources(i)
        end = to.number(to.made(self.sizes[i] + high))
        seen = self.inside(places, to.scalar(-low, places), end)
        return to.reduce(ReduceKind.SUM, to.add(CastOp(seen, element)).result, [0], keep_dims=False)

    def sources(self, i: int) -> Any:
        """Where in spatial dim i the places of each window are; pads are outside of it."""
        import numpy as np

        window = self.config.window
        starts = np.arange(self.counts[i]) * window.stride[i] - window.low[i]
        return starts + np.arange(window.kernel[i])[:, None] * window.dilation[i]

    def reduced(self, kind: ReduceKind, value: SSAValue) -> SSAValue:
        """A value of the same axes, one element for each window."""
        return self.to.reduce(kind, value, self.places, keep_dims=False)

    def by_place(self, array: Any) -> Any:
        """An array of the kernel's dims laid along the places; it broadcasts to the value."""
        dims = [1] * shaped(self.value).rank
        for axis, size in zip(self.places, array.shape):
            dims[axis] = size
        return array.reshape(dims)


def known(value: SSAValue, config: PoolConfig) -> bool:
    """Whether the spatial dims of `value` are known."""
    return DYNAMIC not in spatial_dims(shaped(value), config.layout)


def sees_nothing(value: SSAValue, config: PoolConfig) -> bool:
    """Whether there is no window over `value`, or none that sees anything but pads."""
    sizes = spatial_dims(shaped(value), config.layout)
    return 0 in (*sizes, *config.window.counts(sizes, config.ceil))


def filled(to: Plain, number: float, result: Shaped, value: SSAValue) -> Decomposition:
    """A result of equal elements, whose unknown dims are those of `value`."""
    scalar = to.add(ConstantOp(splat(Shaped((), result.element).type, number))).result
    return to.done(to.add(ExpandOp(scalar, result.dims, to.sizes(value))).result)


@plain_form(PoolOp)
def pool(op: PoolOp) -> Decomposition | None:
    from rlx_dialect.reference.pooling import counts_of, lowest

    to, config = Plain(), op.config
    value, result = shaped(op.input), shaped(op.result)
    include_pad = op.count_include_pad is not None
    low = lowest(numpy_dtype(value.element))
    if sees_nothing(op.input, config):
        return filled(to, low if op.pooling is PoolKind.MAX else 0 if include_pad else nan, result, op.input)
    if op.pooling is PoolKind.MAX:
        seen = Seen(to, op.input, config, low)
        return to.done(seen.reduced(ReduceKind.MAX, seen.value))
    wide = to.widened(op.input, op.accumulate)
    seen = Seen(to, wide, config, 0)
    sums = seen.reduced(ReduceKind.SUM, seen.value)
    if known(op.input, config):
        counts = counts_of(config, spatial_dims(value, config.layout), include_pad)[0, 0]
        if config.layout is SpatialLayout.CHANNELS_LAST:
            counts = counts[..., None]
        divisor = constant(to, counts, shaped(wide).element)
    else:
        axes = spatial_axes(config.layout, value.rank)
        rows = [
            to.along(seen.numbers(i, include_pad, shaped(wide).element), axis, value.rank)
            for i, axis in enumerate(axes)
        ]
        divisor = reduce(to.times, rows)
    return to.done(to.narrowed(to.binary(BinaryKind.DIV, sums, divisor), op.result))


@plain_form(Im2ColOp)
def im2col(op: Im2ColOp) -> Decomposition | None:
    to, config = Plain(), op.config
    result = shaped(op.result)
    if sees_nothing(op.input, config):
        return filled(to, 0, result, op.input)
    seen = Seen(to, op.input, config, 0)
    return to.done(_as_channels(to, seen, seen.value))


def _as_channels(to: Plain, seen: Seen, value: SSAValue) -> SSAValue:
    """The places of each window after their channel, as channels."""
    last = shaped(value).rank - 1
    if seen.config.layout is SpatialLayout.CHANNELS_FIRST:
        moved = permuted(to, value, (0, 1, *seen.places, *seen.windows))
        at = 1
    else:
        moved = permuted(to, value, (0, *seen.windows, last, *seen.places))
        at = 1 + len(seen.windows)
    sizes, end = own_sizes(moved), at + 1 + len(seen.places)
    return to.laid(moved, (*sizes[:at], prod(sizes[at:end]), *sizes[end:]))


@plain_form(MaxPoolBackwardOp)
def max_pool_backward(op: MaxPoolBackwardOp) -> Decomposition | None:
    """
    Each gradient at the first largest place of its window; these put back where the windows took them from.

    None also where the number of channels is not known. An infinite gradient gives NaN in the elements beside its own.
    """
    to, config = Plain(), op.config
    value = shaped(op.input)
    if not known(op.input, config) or DYNAMIC in value.dims[1:]:
        return None
    if sees_nothing(op.input, config):
        return filled(to, 0, value, op.input)
    seen = Seen(to, op.input, config, -inf)
    spread = [1 if axis in seen.places else size for axis, size in enumerate(shaped(seen.value).dims)]
    gradient = to.add(ReshapeOp(op.gradient, spread, to.sizes(op.gradient))).result
    parts = _chosen(to, _first_largest(to, seen), gradient, to.scalar(0, op.gradient))
    return to.done(_put_back(to, seen, parts, value))


def _first_largest(to: Plain, seen: Seen) -> SSAValue:
    """Whether an element of a window is its first largest that is no pad; a NaN is larger than any number."""
    import numpy as np

    i32, count = DTYPES["i32"].type, prod(seen.config.window.kernel)
    order = constant(to, seen.by_place(np.arange(count).reshape(seen.config.window.kernel)), i32)
    none, real = constant(to, np.array(count), i32), _real(to, seen)
    top = to.reduce(ReduceKind.MAX, seen.value, seen.places)
    equal = _compared(to, CompareKind.EQ, seen.value, top)
    unordered = _compared(to, CompareKind.NE, seen.value, seen.value)
    largest = _chosen(to, _compared(to, CompareKind.NE, top, top), unordered, equal)
    ranked = _chosen(to, real, _chosen(to, largest, order, none), none)
    first = to.reduce(ReduceKind.MIN, ranked, seen.places)
    return _chosen(to, real, _compared(to, CompareKind.EQ, ranked, first), real)


def _put_back(to: Plain, seen: Seen, parts: SSAValue, value: Shaped) -> SSAValue:
    """For each element of `value` the sum of what windows have at the places that see it: unfolding's adjoint."""
    import numpy as np

    config, window = seen.config, seen.config.window
    axis, sizes, count = (
        channel_axis(config.layout, value.rank),
        spatial_dims(value, config.layout),
        prod(window.kernel),
    )
    channels = value.dims[axis]
    columns = _as_channels(to, seen, parts)
    one_place = np.eye(count).reshape(count, 1, *window.kernel)
    weight = constant(to, np.tile(one_place, (channels, *(1,) * (1 + len(sizes)))), value.element)
    # The high pads with which the windows are as many as these, also where they reach over the end or leave a rest.
    high = [
        (n - 1) * step + span - size - low
        for n, step, span, size, low in zip(seen.counts, window.stride, window.spans, sizes, window.low)
    ]
    unfolding = ConvConfig(window.stride, window.low, high, window.dilation, groups=channels, layout=config.layout)
    return to.add(ConvBackwardInputOp(columns, weight, unfolding, size=sizes)).result


def _compared(to: Plain, kind: CompareKind, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return to.add(CompareOp(kind, lhs, rhs)).result


def _chosen(to: Plain, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
    return to.add(WhereOp(condition, on_true, on_false)).result


def _real(to: Plain, seen: Seen) -> SSAValue:
    """Whether an element of a window is no pad, as a constant that broadcasts to what the windows see."""
    import numpy as np

    inside = np.ones([1] * shaped(seen.value).rank, np.bool_)
    for i, (place, at) in enumerate(zip(seen.places, seen.windows)):
        sources = seen.sources(i)
        dims = [1] * inside.ndim
        dims[place], dims[at] = sources.shape
        inside = inside & ((sources >= 0) & (sources < seen.sizes[i])).reshape(dims)
    return constant(to, inside, DTYPES["i1"].type)
