"""Scatters: each element of the result looks through the windows, in order, for those that hold it."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir.affine import AffineExpr, AffineMap

from rlx_dialect.attributes import ScatterReduction, word_of
from rlx_dialect.ops import GeneralScatterOp
from rlx_dialect.shape_rules.indexing import ScatterNumbers
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Tensor
from rlx_passes.lowerings.to_linalg.elements import index, load
from rlx_passes.lowerings.to_linalg.maps import row_map
from rlx_passes.lowerings.to_linalg.picking import element, outside
from rlx_passes.lowerings.to_linalg.scalars import Scalar, computed

COMBINED: Mapping[ScatterReduction, Callable[[Scalar, Scalar], Scalar]] = {
    ScatterReduction.NONE: lambda old, new: new,
    ScatterReduction.ADD: lambda old, new: old + new,
    ScatterReduction.MUL: lambda old, new: old * new,
    ScatterReduction.MAX: Scalar.maximum,
    ScatterReduction.MIN: Scalar.minimum,
}


def _general_scatter(op: GeneralScatterOp, b: LinalgBuilder) -> Sequence[Tensor]:
    """No two elements of the result are written at once, whatever the indices; sums of halves go on in f32."""
    input, indices, updates = b.tensor(op.input), b.tensor(op.indices), b.tensor(op.updates)
    numbers, combined = op.numbers, COMBINED[word_of(op.reduction, ScatterReduction)]
    if 0 in updates.dims:
        return [input]
    wide = computed(input.element)
    rank, sizes = input.rank, b.sizes(updates.value)
    batch = [axis for axis in range(updates.rank) if axis not in numbers.window]
    loops = rank + len(batch)
    read = tuple(
        AffineExpr.dimension(rank + batch.index(axis)) if axis in batch else AffineExpr.constant(0)
        for axis in range(updates.rank)
    )

    def body(_: Scalar, old: Scalar) -> Scalar:
        block = old.block
        place = [index(block, axis) for axis in range(rank)]
        walked = [index(block, rank + i) for i in range(len(batch))]
        at = dict(zip(batch, walked))
        inside: list[Scalar] = []
        for axis, start in enumerate(_starts(b, numbers, indices, walked, old, rank)):
            offset = place[axis] if start is None else place[axis] - start
            window = _window(numbers, rank).get(axis)
            if window is None:
                inside.append(offset.equals(0))
                continue
            size = outside(offset, b, sizes[window])
            inside += [offset >= 0, offset < size]
            at[window] = offset.maximum(0).minimum(size - 1)
        where = [at[axis] for axis in range(updates.rank)] or [old.constant(0).to(IndexType())]
        found = element(b, updates, where[: updates.rank], block)
        new = combined(old, load(block, found.value, updates.element, b.natives).to(wide))
        for each in inside:
            new = each.where(new, old)
        return new

    init = b.cast(input, wide)
    result = b.generic(
        [(updates, AffineMap(loops, 0, read))], init.value, row_map(loops, range(rank)), wide, body, accumulates=True
    )
    return [b.cast(result, input.element)]


def _window(numbers: ScatterNumbers, rank: int) -> dict[int, int]:
    """The dim of the updates that walks along each axis of the input that a window has."""
    inner = [axis for axis in range(rank) if axis not in (*numbers.inserted, *numbers.input_batching)]
    return dict(zip(inner, numbers.window))


def _starts(
    b: LinalgBuilder, numbers: ScatterNumbers, indices: Tensor, walked: Sequence[Scalar], like: Scalar, rank: int
) -> list[Scalar | None]:
    """Where a window starts on each axis of the input; None for its first element."""
    rows = [axis for axis in range(indices.rank) if axis != numbers.vector_dim]
    at = dict(zip(rows, walked))
    found: dict[int, Scalar] = {axis: at[row] for axis, row in zip(numbers.input_batching, numbers.indices_batching)}
    zero = like.constant(0).to(IndexType()) if not walked else walked[0]
    for entry, axis in enumerate(numbers.scatter_map):
        where = [zero.constant(entry) if i == numbers.vector_dim else at[i] for i in range(indices.rank)]
        found[axis] = element(b, indices, where, like.block).to(IndexType())
    return [found.get(axis) for axis in range(rank)]


LOWERINGS: Lowerings = {GeneralScatterOp: _general_scatter}
