"""Other dims for the same elements, parts, and joins."""

from __future__ import annotations

from collections.abc import Sequence

from rlx_dialect.builder import Tensor
from rlx_dialect.dims import Dim, Size
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.program import Spec
from rlx_passes.frontends.torch.registry import rule


@rule(
    *("view.default", "_unsafe_view.default"),
    *("squeeze.default", "squeeze.dim", "squeeze.dims", "unsqueeze.default"),
)
def view(c: Call) -> Tensor:
    """The elements in row-major order under the dims of the result."""
    return c.reshaped(c.tensor("self"))


@rule("expand.default")
def expand(c: Call) -> Tensor:
    return stretched(c, c.tensor("self"))


def stretched(c: Call, x: Tensor) -> Tensor:
    """`x` broadcast to the dims of the result."""
    if c.sizes.dims(x) == c.out.dims:
        return x
    rank = len(c.out.dims) - len(x.shape)
    near = c.g.reshape(x, [1] * rank + c.sizes.sizes(c.sizes.dims(x), [x])) if rank and DYNAMIC in x.shape else x
    if near is not x:
        c.sizes.note(near, (*[1] * rank, *c.sizes.dims(x)))
    return c.g.expand(near, c.shape(near))


@rule("permute.default")
def permute(c: Call) -> Tensor:
    x = c.tensor("self")
    order = [axis % len(x.shape) for axis in c.integers("dims")]
    return x if order == sorted(order) else c.g.transpose(x, order)


@rule("transpose.int")
def transpose(c: Call) -> Tensor:
    x = c.tensor("self")
    order = list(range(len(x.shape)))
    if not order:
        return x
    a, b = c.axis("dim0", len(order)), c.axis("dim1", len(order))
    order[a], order[b] = order[b], order[a]
    return x if a == b else c.g.transpose(x, order)


@rule("t.default")
def t(c: Call) -> Tensor:
    x = c.tensor("self")
    return x if len(x.shape) < 2 else c.g.transpose(x, (1, 0))


@rule("select.int")
def select(c: Call) -> Tensor:
    """One entry of a dim, which goes."""
    x, index = c.tensor("self"), c.size("index")
    axis = c.axis("dim", len(x.shape))
    if isinstance(index, int) and (index >= 0 or x.shape[axis] != DYNAMIC):
        start = index if index >= 0 else index + x.shape[axis]
        return c.reshaped(c.g.narrow(x, axis, start, 1), x)
    return c.g.gather(x, from_end(c, x, axis, index), axis)


def from_end(c: Call, x: Tensor, axis: int, index: Size) -> Tensor:
    """An index that a run works out, as a scalar."""
    if isinstance(index, Dim):
        return c.sizes.tensor(index)
    size = c.sizes.dims(x)[axis]
    if isinstance(size, int):
        raise Refusal(f"index {index}")
    return c.sizes.tensor(size) + index


@rule("slice.Tensor")
def slice_(c: Call) -> Tensor:
    """`start:end:step` of a dim."""
    x, step = c.tensor("self"), c.integer("step")
    axis = c.axis("dim", len(x.shape))
    start = c.args["start"] or 0
    if start == 0 and step == 1 and c.sizes.dims(x) == c.out.dims:
        return x
    size, length = x.shape[axis], c.out.dims[axis]
    if isinstance(start, int) and (start >= 0 or size != DYNAMIC):
        start = max(start + size, 0) if start < 0 else start
        start = min(start, size) if size != DYNAMIC else start
        if step == 1 and isinstance(length, int):
            return c.g.narrow(x, axis, start, length)
        starts, steps = [0] * len(x.shape), [1] * len(x.shape)
        starts[axis], steps[axis] = start, step
        return c.g.slice(x, starts, c.shape(x), steps)
    places = c.g.iota([c.sizes.size(length, [x], axis)], 0)
    return c.g.gather(x, (places if step == 1 else places * step) + from_end(c, x, axis, start), axis)


@rule("split_with_sizes.default", "split.Tensor")
def split(c: Call) -> Sequence[Tensor]:
    """Consecutive parts of a dim, as long as the results are."""
    x = c.tensor("self")
    axis = c.axis("dim", len(x.shape))
    parts: list[Tensor] = []
    start = 0
    for spec in c.node.outs:
        length = spec.dims[axis] if spec else 0
        if not isinstance(length, int):
            raise Refusal(f"a part of {length}, known at run time only")
        parts.append(c.g.narrow(x, axis, start, length))
        start += length
    return parts


@rule("unbind.int")
def unbind(c: Call) -> Sequence[Tensor]:
    x = c.tensor("self")
    axis = c.axis("dim", len(x.shape))
    parts = [c.g.narrow(x, axis, i, 1) for i in range(len(c.node.outs))]
    return [c.g.reshape(part, c.shape(x, of=spec)) for part, spec in zip(parts, c.node.outs)]


@rule("cat.default")
def cat(c: Call) -> Tensor:
    """Tensors joined along a dim; empty ones of one dim may stand among others of more."""
    tensors = [c.cast(each, c.dtype) for each in c.tensors("tensors")]
    rank = len(c.out.dims)
    kept = [each for each in tensors if len(each.shape) == rank] or tensors
    return kept[0] if len(kept) == 1 else c.g.concat(kept, c.axis("dim", rank))


@rule("stack.default")
def stack(c: Call) -> Tensor:
    tensors = [c.cast(each, c.dtype) for each in c.tensors("tensors")]
    axis, dims = c.axis("dim", len(c.out.dims)), c.out.dims
    single = Spec((*dims[:axis], 1, *dims[axis + 1 :]), c.out.dtype)
    return c.g.concat([c.g.reshape(each, c.shape(each, of=single)) for each in tensors], axis)


@rule("diagonal.default")
def diagonal(c: Call) -> Tensor:
    """A diagonal of each matrix of two dims, after the other dims."""
    import numpy as np

    x, offset = c.tensor("self"), c.integer("offset")
    rank = len(x.shape)
    first, second = c.axis("dim1", rank), c.axis("dim2", rank)
    rest = [axis for axis in range(rank) if axis not in (first, second)]
    length = c.out.dims[-1]
    if not isinstance(length, int) or DYNAMIC in x.shape:
        raise Refusal("sizes known at run time only")
    matrices = c.g.transpose(x, (*rest, first, second))
    flat = c.g.reshape(matrices, (*matrices.shape[:-2], x.shape[first] * x.shape[second]))
    row, column = max(-offset, 0), max(offset, 0)
    places = (np.arange(length) + row) * x.shape[second] + np.arange(length) + column
    return c.g.gather(flat, c.g.constant(places.astype(np.int64)), rank - 2)
