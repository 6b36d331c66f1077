"""Shape rules of the ops that gather elements by indices, and of those that scatter them."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import i1

from rlx_dialect.attributes import ScatterReduction
from rlx_dialect.dims import product, smaller
from rlx_dialect.relations import can_be
from rlx_dialect.shape_rules.ordering import require_ordered
from rlx_dialect.shapes import (
    DYNAMIC,
    Dims,
    Shaped,
    ShapeError,
    compatible,
    meet,
    normalize_axis,
    require_element,
    require_integers,
    same_dims,
    show,
)


class GatherNumbers(NamedTuple):
    """
    StableHLO's dimension numbers of a gather.

    `offset`: result dims that walk through a slice. `collapsed`: input dims that the result lacks. `input_batching` and
    `indices_batching`: dims that go together. `start_map`: the input dim that each entry of an index is for.
    `vector_dim`: the dim of `indices` that holds the entries of an index; its rank where an index is one number.
    """

    offset: Dims = ()
    collapsed: Dims = ()
    input_batching: Dims = ()
    indices_batching: Dims = ()
    start_map: Dims = ()
    vector_dim: int = 0


class ScatterNumbers(NamedTuple):
    """StableHLO's dimension numbers of a scatter: those of the gather whose result the updates could be."""

    window: Dims = ()
    inserted: Dims = ()
    input_batching: Dims = ()
    indices_batching: Dims = ()
    scatter_map: Dims = ()
    vector_dim: int = 0

    @property
    def as_gather(self) -> GatherNumbers:
        return GatherNumbers(*self)


def depth_of(indices: Shaped, numbers: GatherNumbers) -> int:
    """How many entries an index has, or `DYNAMIC`."""
    return 1 if numbers.vector_dim == indices.rank else indices.dims[numbers.vector_dim]


def batch_of(indices: Shaped, numbers: GatherNumbers) -> Dims:
    """The dims of `indices` but the one of the entries."""
    return tuple(d for axis, d in enumerate(indices.dims) if axis != numbers.vector_dim)


def _require_axes(axes: Sequence[int], rank: int, name: str, ordered: bool = True) -> None:
    """Axes counted from the start, none twice, in order where that is asked for."""
    if any(not 0 <= axis < rank for axis in axes) or len(set(axes)) != len(axes):
        raise ShapeError(f"{name} must be different dims from 0 to {rank - 1}, got {show(axes)}")
    if ordered and list(axes) != sorted(axes):
        raise ShapeError(f"{name} must be in order, got {show(axes)}")


def _check_numbers(value: Shaped, indices: Shaped, numbers: GatherNumbers, names: tuple[str, str, str]) -> None:
    """`numbers` fit to both operands; `names` are those of `offset`, `collapsed` and `start_map` in the text."""
    offset, collapsed, start_map = names
    require_integers(indices, "indices")
    if not 0 <= numbers.vector_dim <= indices.rank:
        raise ShapeError(f"vector_dim must be from 0 to the rank of indices {indices}, got {numbers.vector_dim}")
    depth = depth_of(indices, numbers)
    if depth != len(numbers.start_map):
        raise ShapeError(
            f"{start_map} needs a dim for each entry of an index, {show([depth])}, got {show(numbers.start_map)}"
        )
    _require_axes(numbers.start_map, value.rank, start_map, ordered=False)
    _require_axes(numbers.collapsed, value.rank, collapsed)
    _require_axes(numbers.input_batching, value.rank, "batching dims of the input")
    _require_axes(numbers.indices_batching, indices.rank, "batching dims of indices", ordered=False)
    if set(numbers.input_batching) & {*numbers.collapsed, *numbers.start_map}:
        raise ShapeError(f"batching dims of the input must not be in {collapsed} or {start_map}")
    if numbers.vector_dim in numbers.indices_batching:
        raise ShapeError("batching dims of indices must not be vector_dim")
    if len(numbers.input_batching) != len(numbers.indices_batching):
        pairs = f"{show(numbers.input_batching)} and {show(numbers.indices_batching)}"
        raise ShapeError(f"both sides need as many batching dims, got {pairs}")
    for a, b in zip(numbers.input_batching, numbers.indices_batching):
        meet(value.dims[a], indices.dims[b], f"dim {a} of {value} and dim {b} of indices {indices}")
    walked = len(numbers.offset) + len(numbers.collapsed) + len(numbers.input_batching)
    if walked != value.rank:
        raise ShapeError(
            f"{offset}, {collapsed} and batching dims must be {value.rank} together for {value}, got {walked}"
        )


def general_gather(value: Shaped, indices: Shaped, numbers: GatherNumbers, slice_sizes: Dims) -> Shaped:
    """The dims of `indices` but `vector_dim`, and between them those of a slice at `offset`."""
    _check_numbers(value, indices, numbers, ("offset", "collapsed", "start_map"))
    if len(slice_sizes) != value.rank:
        raise ShapeError(f"slice_sizes needs an entry for each dim of {value}, got {show(slice_sizes)}")
    dropped = {*numbers.collapsed, *numbers.input_batching}
    for axis, (size, length) in enumerate(zip(value.dims, slice_sizes)):
        if length < 0 or not can_be(size, "at least", length):
            raise ShapeError(f"slice size {length} does not fit into dim {axis} of {value}")
        if axis in dropped and length != 1:
            raise ShapeError(f"slice size of dim {axis} must be 1, for the result lacks it, got {length}")
    batch = batch_of(indices, numbers)
    rank = len(batch) + len(numbers.offset)
    _require_axes(numbers.offset, rank, "offset")
    rest, walked = iter(batch), iter(d for axis, d in enumerate(slice_sizes) if axis not in dropped)
    return value.with_dims(next(walked) if i in numbers.offset else next(rest) for i in range(rank))


def general_scatter(
    value: Shaped, indices: Shaped, updates: Shaped, numbers: ScatterNumbers, reduction: ScatterReduction
) -> Shaped:
    """The input's shape, with `updates` that a gather with these numbers could give."""
    require_reducible(value, reduction)
    require_element(value.element, updates.element, "updates")
    by_gather = numbers.as_gather
    _check_numbers(value, indices, by_gather, ("window", "inserted", "scatter_map"))
    batch = batch_of(indices, by_gather)
    if updates.rank != len(batch) + len(numbers.window):
        raise ShapeError(f"updates must have rank {len(batch) + len(numbers.window)}, got {updates}")
    _require_axes(numbers.window, updates.rank, "window")
    dropped = {*numbers.inserted, *numbers.input_batching}
    kept = [axis for axis in range(value.rank) if axis not in dropped]
    for at, axis in zip(numbers.window, kept):
        if not can_be(value.dims[axis], "at least", updates.dims[at]):
            raise ShapeError(f"dim {at} of updates {updates} does not fit into dim {axis} of {value}")
    scattered = [axis for axis in range(updates.rank) if axis not in numbers.window]
    for at, size in zip(scattered, batch):
        meet(updates.dims[at], size, f"dim {at} of updates {updates} and the dim of indices {indices}")
    return value


def require_reducible(value: Shaped, reduction: ScatterReduction) -> None:
    """The elements of `value` have the operation."""
    if reduction in (ScatterReduction.MAX, ScatterReduction.MIN):
        require_ordered(value)
    if reduction in (ScatterReduction.ADD, ScatterReduction.MUL) and value.element == i1:
        raise ShapeError(f"{reduction} needs numbers, got {value}")


def require_choice(value: Shaped, axes: Sequence[int], picked: Dims) -> None:
    """There is something on `axes` to choose from where anything is chosen: an index into nothing points outside."""
    if DYNAMIC in picked:
        return
    any_ = smaller(product(picked), 1)
    for axis in axes:
        if not can_be(value.dims[axis], "at least", any_):
            raise ShapeError(f"dim {axis} of {value} has no element to choose")


def gather_nd(value: Shaped, indices: Shaped, batch_dims: int) -> Shaped:
    """The dims of `indices` but the last, then those of the input that an index leaves open."""
    depth = index_depth(value, indices, batch_dims)
    batch = [
        meet(value.dims[axis], indices.dims[axis], f"dim {axis} of {value} and indices {indices}")
        for axis in range(batch_dims)
    ]
    picked = (*batch, *indices.dims[batch_dims:-1], *value.dims[batch_dims + depth :])
    require_choice(value, range(batch_dims, batch_dims + depth), picked)
    return value.with_dims(picked)


def index_depth(value: Shaped, indices: Shaped, batch_dims: int = 0) -> int:
    """How many dims of the input an index of the last dim of `indices` is for, which must be known."""
    require_integers(indices, "indices")
    if not indices.rank or not 0 <= batch_dims < min(value.rank + 1, indices.rank):
        raise ShapeError(f"{batch_dims} batch dims and an index do not fit into {value} and indices {indices}")
    depth = indices.dims[-1]
    if depth == DYNAMIC or depth > value.rank - batch_dims:
        got = "?" if depth == DYNAMIC else depth
        raise ShapeError(
            f"the last dim of indices must be known and at most {value.rank - batch_dims} for {value}, got {got}"
        )
    return depth


def check_elements(value: Shaped, indices: Shaped, axis: int) -> int:
    """`indices` has the input's rank and no larger dim but that of `axis`, which comes back counted from the start."""
    require_integers(indices, "indices")
    if indices.rank != value.rank:
        raise ShapeError(f"indices must have the rank of the input {value}, got {indices}")
    axis = normalize_axis(axis, value.rank)
    for d, (length, size) in enumerate(zip(indices.dims, value.dims)):
        if d != axis and not can_be(size, "at least", length):
            raise ShapeError(f"dim {d} of indices {indices} does not fit into {value}")
    require_choice(value, [axis], indices.dims)
    return axis


def gather(table: Shaped, indices: Shaped, axis: int) -> Shaped:
    """`numpy.take`: the dims of `table` before `axis`, those of `indices`, those of `table` after `axis`."""
    axis = normalize_axis(axis, table.rank, "table")
    picked = (*table.dims[:axis], *indices.dims, *table.dims[axis + 1 :])
    require_choice(table, [axis], picked)
    return table.with_dims(picked)


def scatter_nd(value: Shaped, indices: Shaped, updates: Shaped, reduction: ScatterReduction) -> Shaped:
    """The input's shape, with `updates` that `gather_nd` could give."""
    require_reducible(value, reduction)
    require_element(value.element, updates.element, "updates")
    expected = gather_nd(value, indices, 0)
    require_dims(updates, expected.dims)
    return value


def scatter_elements(value: Shaped, indices: Shaped, updates: Shaped, axis: int, reduction: ScatterReduction) -> Shaped:
    """The input's shape, with `updates` that `gather_elements` could give."""
    require_reducible(value, reduction)
    require_element(value.element, updates.element, "updates")
    check_elements(value, indices, axis)
    same_dims(indices, updates, "indices", "updates")
    return value


def scatter_add(value: Shaped, indices: Shaped, updates: Shaped, axis: int) -> Shaped:
    """The input's shape, with `updates` that `rlx.gather` could give."""
    require_reducible(value, ScatterReduction.ADD)
    require_integers(indices, "indices")
    require_element(value.element, updates.element, "updates")
    require_dims(updates, gather(value, indices, axis).dims)
    return value


def require_dims(updates: Shaped, dims: Dims) -> None:
    if updates.rank != len(dims) or not all(map(compatible, updates.dims, dims)):
        raise ShapeError(f"updates must be {show(dims)}, got {updates}")
