"""Elements picked by index, and elements put where an index says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from rlx_dialect.attributes import BinaryKind, CompareKind, ScatterReduction
from rlx_dialect.builder import Tensor
from rlx_dialect.constants import array_of, constant_of
from rlx_dialect.dims import Size
from rlx_dialect.ops import IotaOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import FLOATS, Call
from rlx_passes.frontends.torch.registry import rule


@rule("embedding.default")
def embedding(c: Call) -> Tensor:
    return c.g.gather(c.tensor("weight"), c.tensor("indices"), 0)


@rule("index_select.default")
def index_select(c: Call) -> Tensor:
    x, index = c.tensor("self"), c.tensor("index")
    return c.g.gather(x, index if index.shape else c.g.reshape(index, (1,)), c.axis("dim", len(x.shape)))


@rule("gather.default")
def gather(c: Call) -> Tensor:
    x = c.tensor("self")
    if not x.shape:
        return x
    return c.g.gather_elements(x, c.tensor("index"), c.axis("dim", len(x.shape)))


@rule("take.default")
def take(c: Call) -> Tensor:
    x = c.g.reshape(c.tensor("self"), (-1,))
    return c.g.gather(x, from_start(c, c.tensor("index"), x, 0), 0)


def from_start(c: Call, index: Tensor, x: Tensor, axis: int) -> Tensor:
    """Indices that may count from the end of an axis, counted from its start."""
    constant = constant_of(index.value)
    counting = isinstance(index.value.owner, IotaOp)
    if counting or (constant is not None and int(array_of(constant).min(initial=0)) >= 0):
        return index
    size = c.number(c.sizes.dims(x)[axis], index.dtype)
    negative = c.g.compare(CompareKind.LT, index, 0)
    return c.g.where(negative, c.g.binary(BinaryKind.ADD, index, size), index)


@dataclass(frozen=True)
class Picked:
    """
    Which axes of a tensor several index tensors pick together.

    `order` puts the picked axes before the others; `dims` are the joint dims of the indices, at `at` in the result.
    """

    axes: Sequence[int]
    order: Sequence[int]
    dims: tuple[Size, ...]
    at: int

    @staticmethod
    def of(c: Call, x: Tensor, indices: Sequence[Tensor | None]) -> Picked:
        axes = [axis for axis, each in enumerate(indices) if each is not None]
        rest = [axis for axis in range(len(x.shape)) if axis not in axes]
        dims: tuple[Size, ...] = ()
        for each in indices:
            if each is not None:
                dims = together(dims, c.sizes.dims(each))
        beside = axes == list(range(axes[0], axes[-1] + 1))
        return Picked(axes, (*axes, *rest), dims, axes[0] if beside else 0)

    def vectors(self, c: Call, indices: Sequence[Tensor | None]) -> Tensor:
        """The indices as vectors on a new last axis."""
        given = [c.cast(each, "i64") for each in indices if each is not None]
        sizes = c.sizes.sizes(self.dims, [each for each in indices if each is not None])
        wide = [each if c.sizes.dims(each) == self.dims else c.g.expand(each, sizes) for each in given]
        return c.g.concat([c.g.reshape(each, [*sizes, 1]) for each in wide], len(self.dims))

    def permutation(self, rank: int) -> list[int]:
        """From the dims of the indices first to the dims of the indices at their place."""
        count = len(self.dims)
        return [*range(count, count + self.at), *range(count), *range(count + self.at, rank)]


def together(a: tuple[Size, ...], b: tuple[Size, ...]) -> tuple[Size, ...]:
    """The dims of two tensors that broadcast."""
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    return tuple(y if x == 1 else x for x, y in zip(left, right))


def whole_numbers(indices: Sequence[Tensor | None]) -> None:
    if any(each is not None and each.dtype == "i1" for each in indices):
        raise Refusal("how many elements a mask picks depends on its values")


@rule("index.Tensor", "_unsafe_index.Tensor")
def index(c: Call) -> Tensor:
    """Advanced indexing: tensors of indices for some axes."""
    x, indices = c.tensor("self"), c.optional_tensors("indices")
    whole_numbers(indices)
    picked = Picked.of(c, x, indices)
    if len(picked.axes) == 1:
        axis = picked.axes[0]
        given = indices[axis]
        assert given is not None
        return c.g.gather(x, from_start(c, given, x, axis), axis)
    leading = x if list(picked.order) == sorted(picked.order) else c.g.transpose(x, picked.order)
    found = c.g.gather_nd(leading, picked.vectors(c, indices))
    return c.g.transpose(found, picked.permutation(len(found.shape))) if picked.at else found


@rule("index_put.default", "_unsafe_index_put.default")
def index_put(c: Call) -> Tensor:
    """`x[indices] = values`, or `+=`; a mask as index takes one value."""
    x, indices, values = c.tensor("self"), c.optional_tensors("indices"), c.cast(c.tensor("values"), c.dtype)
    first = indices[0]
    if len(indices) == 1 and first is not None and first.dtype == "i1":
        return masked_put(c, x, first, values)
    whole_numbers(indices)
    picked = Picked.of(c, x, indices)
    rest = [c.sizes.dims(x)[axis] for axis in picked.order[len(picked.axes) :]]
    dims = (*rest[: picked.at], *picked.dims, *rest[picked.at :])
    sizes = c.sizes.sizes(dims, [values, x, *(each for each in indices if each is not None)])
    updates = values if c.sizes.dims(values) == dims else c.g.expand(values, sizes)
    order = picked.permutation(len(dims))
    if picked.at:
        updates = c.g.transpose(updates, [order.index(axis) for axis in range(len(order))])
    reduction = ScatterReduction.ADD if c.flag("accumulate") else ScatterReduction.NONE
    return scattered(c, x, picked.order, picked.vectors(c, indices), updates, reduction)


def masked_put(c: Call, x: Tensor, mask: Tensor, values: Tensor) -> Tensor:
    if any(size != 1 for size in values.shape):
        raise Refusal("a mask as index takes one value")
    more = len(x.shape) - len(mask.shape)
    if more:
        mask = c.g.reshape(mask, c.sizes.sizes(c.sizes.dims(mask), [mask]) + [1] * more)
    value = c.g.reshape(values, ())
    if c.flag("accumulate"):
        value = x + value
    return c.g.where(mask, value, x)


def scattered(
    c: Call, x: Tensor, order: Sequence[int], vectors: Tensor, updates: Tensor, reduction: ScatterReduction
) -> Tensor:
    """`updates` put into `x`, whose axes the vectors count in `order`."""
    plain = list(order) == sorted(order)
    put = c.g.scatter_nd(x if plain else c.g.transpose(x, order), vectors, updates, reduction)
    return put if plain else c.g.transpose(put, [list(order).index(axis) for axis in range(len(order))])


@rule("index_add.default")
def index_add(c: Call) -> Tensor:
    x, source = c.tensor("self"), c.tensor("source")
    if c.args["alpha"] != 1:
        source = c.g.binary(BinaryKind.MUL, source, c.number(c.args["alpha"], source.dtype))
    return c.g.scatter_add(x, c.tensor("index"), source, c.axis("dim", len(x.shape)))


@rule("index_copy.default")
def index_copy(c: Call) -> Tensor:
    x, indices = c.tensor("self"), c.tensor("index")
    return along(c, x, c.axis("dim", len(x.shape)), indices, c.tensor("source"))


def along(c: Call, x: Tensor, axis: int, indices: Tensor, updates: Tensor) -> Tensor:
    """`x` with the entries of `updates` on `axis` at the places that a vector of indices says."""
    order = (axis, *(each for each in range(len(x.shape)) if each != axis))
    moved = updates if axis == 0 else c.g.transpose(updates, order)
    vectors = c.g.reshape(indices, [*c.sizes.sizes(c.sizes.dims(indices), [indices]), 1])
    return scattered(c, x, order, vectors, moved, ScatterReduction.NONE)


@rule("select_scatter.default")
def select_scatter(c: Call) -> Tensor:
    x, src = c.tensor("self"), c.cast(c.tensor("src"), c.dtype)
    axis = c.axis("dim", len(x.shape))
    start = c.integer("index")
    if x.shape[axis] == DYNAMIC:
        raise Refusal("sizes known at run time only")
    dims = c.sizes.sizes(c.sizes.dims(x), [x])
    dims[axis] = 1
    return put_slice(c, x, c.g.reshape(src, dims), axis, start % x.shape[axis])


@rule("slice_scatter.default")
def slice_scatter(c: Call) -> Tensor:
    import numpy as np

    x, src, step = c.tensor("self"), c.cast(c.tensor("src"), c.dtype), c.integer("step")
    axis = c.axis("dim", len(x.shape))
    size = x.shape[axis]
    if size == DYNAMIC or not isinstance(start := c.args["start"] or 0, int):
        raise Refusal("sizes known at run time only")
    start = min(start + size if start < 0 else start, size)
    if step == 1:
        return put_slice(c, x, src, axis, start)
    places = start + step * np.arange(src.shape[axis], dtype=np.int64)
    return along(c, x, axis, c.g.constant(places), src)


def put_slice(c: Call, x: Tensor, part: Tensor, axis: int, start: int) -> Tensor:
    """`x` with `part` in place of the entries of `axis` from `start`."""
    size, length = x.shape[axis], part.shape[axis]
    before = [c.g.narrow(x, axis, 0, start)] if start else []
    behind = [c.g.narrow(x, axis, start + length, size - start - length)] if start + length < size else []
    parts = [*before, part, *behind]
    return c.g.concat(parts, axis) if len(parts) > 1 else part


REDUCTIONS = {
    "sum": ScatterReduction.ADD,
    "prod": ScatterReduction.MUL,
    "amax": ScatterReduction.MAX,
    "amin": ScatterReduction.MIN,
}


def scatter_into(c: Call, x: Tensor, updates: Tensor | None, reduction: ScatterReduction) -> Tensor:
    """Elements at their own places, but for one dim, where an index says."""
    indices = c.tensor("index")
    if updates is None:
        value = c.number(c.args["value"], x.dtype)
        sizes = c.sizes.sizes(c.sizes.dims(indices), [indices])
        updates = c.g.expand(value, sizes) if isinstance(value, Tensor) else c.g.filled(sizes, value, x.dtype)
    elif c.sizes.dims(updates) != c.sizes.dims(indices):
        sizes = c.sizes.sizes(c.sizes.dims(indices), [indices])
        updates = c.g.slice(updates, [0] * len(indices.shape), sizes)
    if not x.shape:
        raise Refusal("a tensor without dims")
    return c.g.scatter_elements(x, indices, updates, c.axis("dim", len(x.shape)), reduction)


@rule("scatter.src", "scatter.value")
def scatter(c: Call) -> Tensor:
    return scatter_into(c, c.tensor("self"), c.optional("src"), ScatterReduction.NONE)


@rule("scatter_add.default")
def scatter_add(c: Call) -> Tensor:
    return scatter_into(c, c.tensor("self"), c.tensor("src"), ScatterReduction.ADD)


@rule("scatter_reduce.two")
def scatter_reduce(c: Call) -> Tensor:
    """Without the elements of the input themselves where `include_self` is false."""
    x, name = c.tensor("self"), c.word("reduce")
    if name not in REDUCTIONS:
        raise Refusal(f"reduce = {name}")
    reduction = REDUCTIONS[name]
    if c.args.get("include_self") is False:
        x = scatter_into(c, x, neutral(c, reduction), ScatterReduction.NONE)
    return scatter_into(c, x, c.optional("src"), reduction)


def neutral(c: Call, reduction: ScatterReduction) -> Tensor:
    """What changes nothing, in the dims of the indices."""
    indices, dtype = c.tensor("index"), c.dtype
    if dtype not in FLOATS and reduction in (ScatterReduction.MAX, ScatterReduction.MIN):
        raise Refusal("include_self = False with an extremum of integers")
    value = {
        ScatterReduction.ADD: 0,
        ScatterReduction.MUL: 1,
        ScatterReduction.MAX: float("-inf"),
        ScatterReduction.MIN: float("inf"),
    }[reduction]
    return c.g.filled(c.sizes.sizes(c.sizes.dims(indices), [indices]), value, dtype)


@rule("masked_scatter.default")
def masked_scatter(c: Call) -> Tensor:
    """The elements of `source`, in order, where the mask holds: each the next one not yet used up."""
    x, mask, source = c.tensor("self"), c.tensor("mask"), c.tensor("source")
    if DYNAMIC in x.shape or DYNAMIC in source.shape:
        raise Refusal("sizes known at run time only")
    wide = mask if mask.shape == x.shape else c.g.expand(mask, x.shape)
    before = c.g.cumsum(c.cast(c.g.reshape(wide, (-1,)), "i64"), 0)
    places = c.g.maximum(before - 1, 0)
    found = c.g.gather(c.g.reshape(source, (-1,)), c.g.minimum(places, prod(source.shape) - 1), 0)
    return c.g.where(wide, c.g.reshape(found, x.shape), x)
