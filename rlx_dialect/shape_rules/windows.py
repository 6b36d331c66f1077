"""
Shape rules of the ops that slide a window over spatial dims, and of those that resample them.

A value has a batch dim, a channel dim and one to three spatial dims; the layout says where the channels are. Rules take
the spatial dims alone, in order, and one entry for each of them.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor, inf, prod
from typing import NamedTuple

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.dims import larger, smaller
from rlx_dialect.relations import can_be
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped, ShapeError, compatible, known, meet, require_rank, show

_SIMPLE = 2**20

LARGEST = 2**63 - 1
"""The largest size that a dim can have."""


class Window(NamedTuple):
    """
    A window of `kernel` elements an axis, `dilation` apart, which moves in steps of `stride`.

    The input is first spread out, `input_dilation` - 1 gaps between its elements, then `low` and `high` are added at
    its ends; a negative entry of these takes away.
    """

    kernel: Dims
    stride: Dims
    low: Dims
    high: Dims
    dilation: Dims
    input_dilation: Dims

    @staticmethod
    def make(
        kernel: Sequence[int],
        *,
        stride: Sequence[int] = (),
        low: Sequence[int] = (),
        high: Sequence[int] = (),
        dilation: Sequence[int] = (),
        input_dilation: Sequence[int] = (),
    ) -> "Window":
        """An empty list means steps of 1 or pads of 0. Raises `ShapeError` where the lists do not fit the kernel."""
        rank = len(kernel)
        if any(size < 1 for size in kernel):
            raise ShapeError(f"the kernel must have known sizes of 1 or more, got {show(kernel)}")
        if bool(low) != bool(high):
            raise ShapeError(f"pad needs both ends, got {list(low)} and {list(high)}")
        return Window(
            tuple(kernel),
            steps(stride, rank, "stride"),
            per_axis(low, rank, 0, "pad"),
            per_axis(high, rank, 0, "pad"),
            steps(dilation, rank, "dilation"),
            steps(input_dilation, rank, "input_dilation"),
        )

    @property
    def spans(self) -> Dims:
        """How many elements lie between the ends of the window, these included."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation))

    def padded(self, sizes: Sequence[int]) -> Dims:
        """The sizes of the spread and padded input."""
        return tuple(
            DYNAMIC if size == DYNAMIC else larger(spread(size, gap) + low + high, 0)
            for size, gap, low, high in zip(sizes, self.input_dilation, self.low, self.high)
        )

    def counts(self, sizes: Sequence[int], ceil: bool = False) -> Dims:
        """
        How many windows fit into `sizes`; none where the window is larger than the padded input.

        With `ceil` the last one may reach over the end, but it starts before the high pad.
        """
        return tuple(
            DYNAMIC if size == DYNAMIC else _count(size - span, step, size - high if ceil else None)
            for size, span, step, high in zip(self.padded(sizes), self.spans, self.stride, self.high)
        )


def transposed(window: Window, output_pad: Sequence[int] = ()) -> Window:
    """
    The window of the convolution that is the adjoint of one with `window`: with the kernel mirrored and its channels
    exchanged it gives the gradient by the input. `output_pad` adds elements at the high end no window need reach.
    """
    rank = len(window.kernel)
    if any(pad < 0 for pad in output_pad):
        raise ShapeError(f"output_pad must not be negative, got {list(output_pad)}")
    added = per_axis(output_pad, rank, 0, "output_pad")
    return window._replace(
        stride=window.input_dilation,
        low=tuple(span - 1 - low for span, low in zip(window.spans, window.low)),
        high=tuple(span - 1 - high + more for span, high, more in zip(window.spans, window.high, added)),
        input_dilation=window.stride,
    )


def backward_window(window: Window, sizes: Dims) -> Window:
    """As `transposed`, with the high pad that gives exactly `sizes`, those of the input that `window` went over."""
    steps = zip(sizes, window.counts(sizes), window.low, window.stride, window.input_dilation)
    high = tuple(spread(size, gap) + low - spread(count, step) for size, count, low, step, gap in steps)
    return transposed(window)._replace(high=high)


def _count(room: int, step: int, before: int | None) -> int:
    """Starts from 0 to `room` in steps; where `before` is given, one more if it lies before that."""
    if before is None:
        return bounded(larger(room // step + 1, 0))
    count = (room + step - 1) // step + 1
    starts = (before + step - 1) // step
    return bounded(larger(larger(smaller(count, starts), count - 1), 0))


def bounded(size: int) -> int:
    """`size`, which must be one that a dim can have."""
    if known(size) and size > LARGEST:
        raise ShapeError(f"the result would have a dim of {size}, more than the {LARGEST} that fit")
    return size


def spread(size: int, gap: int) -> int:
    """The size of `size` elements that lie `gap` apart."""
    return larger((size - 1) * gap + 1, 0)


def per_axis(values: Sequence[int], rank: int, default: int, name: str) -> Dims:
    """One entry for each of `rank` spatial dims; an empty list means the default everywhere."""
    if values and len(values) != rank:
        raise ShapeError(f"{name} must have an entry for each of the {rank} spatial dims, got {list(values)}")
    return tuple(values) or (default,) * rank


def steps(values: Sequence[int], rank: int, name: str) -> Dims:
    """As `per_axis` with 1 for the default; entries are positive."""
    if any(value < 1 for value in values):
        raise ShapeError(f"{name} must be positive, got {list(values)}")
    return per_axis(values, rank, 1, name)


def spatial_rank(value: Shaped, name: str = "input") -> int:
    """How many spatial dims `value` has. Raises `ShapeError` unless they are one to three."""
    if not 3 <= value.rank <= 5:
        raise ShapeError(f"{name} must have rank 3 to 5, got {value}")
    return value.rank - 2


def channel_axis(layout: SpatialLayout, rank: int) -> int:
    return 1 if layout is SpatialLayout.CHANNELS_FIRST else rank - 1


def spatial_axes(layout: SpatialLayout, rank: int) -> range:
    return range(2, rank) if layout is SpatialLayout.CHANNELS_FIRST else range(1, rank - 1)


def spatial_dims(value: Shaped, layout: SpatialLayout) -> Dims:
    return tuple(value.dims[axis] for axis in spatial_axes(layout, value.rank))


def laid_out(batch: int, channels: int, sizes: Sequence[int], layout: SpatialLayout) -> Dims:
    """The dims of a value in `layout`."""
    return (batch, channels, *sizes) if layout is SpatialLayout.CHANNELS_FIRST else (batch, *sizes, channels)


def grouped_channels(channels: int, groups: int, per_group: int, value: str, weight: str) -> None:
    """Raises `ShapeError` unless the channels fall into groups of `per_group`."""
    if DYNAMIC not in (channels, per_group) and not compatible(channels, per_group * groups):
        raise ShapeError(
            f"input channels must be groups {groups} times dim 1 of weight, "
            f"got {channels} and {per_group} in {value} and {weight}"
        )
    if not can_be(channels, "a multiple of", groups):
        raise ShapeError(f"the channels of {value} must be a multiple of groups {groups}")


def convolve(
    value: Shaped, weight: Shaped, window: Window, groups: int, layout: SpatialLayout, name: str = "input"
) -> Shaped:
    """`[N, C, ..]` and `[M, C / groups, ..]` to `[N, M, ..]`, `value` and the result in `layout`."""
    channels = value.dims[channel_axis(layout, value.rank)]
    check_groups(groups, weight)
    grouped_channels(channels, groups, weight.dims[1], f"{name} {value}", f"weight {weight}")
    return value.with_dims(laid_out(value.dims[0], weight.dims[0], window.counts(spatial_dims(value, layout)), layout))


def check_groups(groups: int, weight: Shaped) -> None:
    """Raises `ShapeError` unless dim 0 of `weight` falls into `groups`, as far as it is known."""
    if groups < 1:
        raise ShapeError(f"groups must be positive, got {groups}")
    if not can_be(weight.dims[0], "a multiple of", groups):
        raise ShapeError(f"dim 0 of weight must be a multiple of groups {groups}, got {weight}")


def resize_nearest2x(value: Shaped, name: str) -> Shaped:
    """`[N, C, H, W]` to `[N, C, 2H, 2W]`."""
    require_rank(value, 4, name)
    doubled = (DYNAMIC if size == DYNAMIC else bounded(2 * size) for size in value.dims[2:])
    return value.with_dims((*value.dims[:2], *doubled))


def convolve_transposed(
    value: Shaped, weight: Shaped, window: Window, output_pad: Sequence[int], groups: int, layout: SpatialLayout
) -> Shaped:
    """`[N, C, ..]` and `[C, M / groups, ..]` to `[N, M, ..]`, `value` and the result in `layout`."""
    check_groups(groups, weight)
    meet(
        value.dims[channel_axis(layout, value.rank)],
        weight.dims[0],
        f"the channels of input {value} and dim 0 of weight {weight}",
    )
    sizes = transposed(window, output_pad).counts(spatial_dims(value, layout))
    return value.with_dims(laid_out(value.dims[0], times(weight.dims[1], groups), sizes, layout))


def times(size: int, factor: int) -> int:
    """A multiple of a size that may not be known."""
    return DYNAMIC if size == DYNAMIC else bounded(size * factor)


def pool(value: Shaped, window: Window, ceil: bool, layout: SpatialLayout) -> Shaped:
    """One element for each window and channel of `value`."""
    channels = value.dims[channel_axis(layout, value.rank)]
    counts = window.counts(spatial_dims(value, layout), ceil)
    return value.with_dims(laid_out(value.dims[0], channels, counts, layout))


def unfold(pooled: Shaped, window: Window, layout: SpatialLayout) -> Shaped:
    """All elements of a window as channels, where `pooled` has one element for each window."""
    axis = channel_axis(layout, pooled.rank)
    channels = times(pooled.dims[axis], prod(window.kernel))
    return pooled.with_dims((*pooled.dims[:axis], channels, *pooled.dims[axis + 1 :]))


def fraction_of(scale: float) -> Fraction | None:
    """
    The fraction of integers below 2^20 that a scale stands for: `floor(size * scale)` in f64 is that of the fraction
    for all sizes below 2^31. None where there is no such fraction.

    Between a fraction and a float as near as `2^-53` of it lies no other one of such a size, so that only products
    that should be integers are in question. A float above the fraction gives them; one below does if it is so near
    that all of them are rounded up.
    """
    exact = Fraction(scale)
    if exact.numerator < _SIMPLE:
        return exact
    found = exact.limit_denominator(_SIMPLE // (1 + int(scale)))
    below = found - exact
    return found if float(found) == scale and (below <= 0 or below * 2**54 <= found) else None


def _scaled(size: int, scale: float) -> int:
    """`floor(size * scale)`, where the size is known or the scale whole."""
    if not known(size):
        return times(size, int(scale)) if scale == int(scale) else DYNAMIC
    product = size * scale
    if product > LARGEST:
        raise ShapeError(f"the result would have a dim of {product}, more than the {LARGEST} that fit")
    return floor(product)


def resized(dims: Dims, axes: Sequence[int], size: Sequence[int] | None, scales: Sequence[float] | None) -> Dims:
    """`dims` with `axes` of `size`, or multiplied by `scales` and rounded down; exactly one of these is given."""
    given = size if scales is None else scales
    if given is None or (size is not None and scales is not None):
        raise ShapeError("needs either size or scales")
    if len(given) != len(axes):
        raise ShapeError(f"needs a size or a scale for each of the axes {list(axes)}, got {list(given)}")
    result = list(dims)
    for axis, by in zip(axes, given):
        before = dims[axis]
        if size is None and not 0 < by < inf:
            raise ShapeError(f"scales must be positive and finite, got {by}")
        if size is not None and by < 0:
            raise ShapeError(f"size must not be negative, got {list(size)}")
        result[axis] = int(by) if size is not None else _scaled(before, by)
        if result[axis] != 0 and not can_be(before, "at least", 1):
            raise ShapeError(f"dim {axis} of {show(dims)} is empty and cannot become {result[axis]}")
    return tuple(result)
