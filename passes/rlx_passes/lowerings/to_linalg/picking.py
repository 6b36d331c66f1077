"""Ops whose elements are read at places that are reckoned: counts, slices, gathers."""

from collections.abc import Callable, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineMap

from rlx_dialect.ops import DynamicSliceOp, DynamicUpdateSliceOp, GeneralGatherOp, IotaOp, ReverseOp, SliceOp
from rlx_dialect.shapes import DYNAMIC, normalize_axis, shaped
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Size, Sizes, Tensor
from rlx_passes.lowerings.to_linalg.elements import index, store
from rlx_passes.lowerings.to_linalg.scalars import Scalar, constant

Places = Callable[[list[Scalar]], Sequence[Scalar]]
"""From the place of an element, an index for each axis, to another place."""


def _written(b: LinalgBuilder, result: SSAValue, sizes: Sequence[SSAValue]) -> Sizes:
    """The sizes of a result: those of its type, and the operands for the others."""
    known = iter(sizes)
    return tuple(b.values[next(known)] if size == DYNAMIC else size for size in shaped(result).dims)


def made(
    b: LinalgBuilder, sizes: Sequence[Size], element: Attribute, fill: Callable[[list[Scalar]], SSAValue]
) -> Tensor:
    """A tensor of `sizes`, each of whose elements is made from its place."""
    init = b.empty(sizes, element)
    if 0 in Tensor(init, element).dims:
        return Tensor(init, element)
    rank = len(sizes)

    def body(block: Block) -> SSAValue:
        return fill([index(block, axis) for axis in range(rank)] or [_zero(block)])

    return Tensor(b.generated([], [], init, AffineMap.identity(rank), body), element)


def _zero(block: Block) -> Scalar:
    """What serves as the place in a tensor of rank 0, whose block must be known all the same."""
    return constant(block, IndexType(), 0)


def element(b: LinalgBuilder, source: Tensor, at: Sequence[Scalar], block: Block) -> Scalar:
    """The element of `source` at a place, as it is stored."""
    places = [each.value for each in at]
    block.add_op(op := tensor.ExtractOp(source.value, places, b.stored(source.element)))
    return Scalar(block, op.result, source.element)


def picked(b: LinalgBuilder, sizes: Sequence[Size], source: Tensor, places: Places) -> Tensor:
    """A tensor of `sizes` whose elements are read from `source`; none is read as what it stands for."""
    rank = len(sizes)

    def fill(loops: list[Scalar]) -> SSAValue:
        return element(b, source, places(loops[:rank]) if source.rank else [], loops[0].block).value

    return made(b, sizes, source.element, fill)


def outside(like: Scalar, b: LinalgBuilder, size: Size) -> Scalar:
    """A size, in the body that `like` is in."""
    return like.constant(size) if isinstance(size, int) else Scalar(like.block, size, IndexType())


def clamped(b: LinalgBuilder, start: Scalar, size: Size, length: Size) -> Scalar:
    """A start in `[0, size - length]`."""
    start = start.to(IndexType())
    return start.maximum(0).minimum(outside(start, b, size) - outside(start, b, length))


def _iota(op: IotaOp, b: LinalgBuilder) -> Sequence[Tensor]:
    result = shaped(op.result)
    axis = normalize_axis(op.axis.value.data, result.rank)

    def fill(loops: list[Scalar]) -> SSAValue:
        return store(loops[axis], result.element, b.stored(result.element))

    return [made(b, _written(b, op.result, op.sizes), result.element, fill)]


def _slice(op: SliceOp, b: LinalgBuilder) -> Sequence[Tensor]:
    moves = list(zip(op.starts.get_values(), op.steps.get_values()))

    def places(loops: list[Scalar]) -> list[Scalar]:
        return [loop * step + start for loop, (start, step) in zip(loops, moves)]

    return [picked(b, _written(b, op.result, op.sizes), b.tensor(op.input), places)]


def _reverse(op: ReverseOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input = b.tensor(op.input)
    sizes = b.sizes(input.value)
    axes = {normalize_axis(axis, input.rank) for axis in op.axes.get_values()}

    def places(loops: list[Scalar]) -> list[Scalar]:
        return [outside(loop, b, sizes[i]) - 1 - loop if i in axes else loop for i, loop in enumerate(loops)]

    return [picked(b, sizes, input, places)]


def _starts(b: LinalgBuilder, op: DynamicSliceOp | DynamicUpdateSliceOp, lengths: Sequence[Size]) -> list[SSAValue]:
    """Where a slice starts on each axis, so that it lies inside: index values outside of any body."""
    sizes = b.sizes(b.tensor(op.input).value)
    found: list[SSAValue] = []
    for each, size, length in zip(op.starts, sizes, lengths):
        value = element(b, b.tensor(each), [], b.block)
        found.append(clamped(b, value, size, length).value)
    return found


def _dynamic_slice(op: DynamicSliceOp, b: LinalgBuilder) -> Sequence[Tensor]:
    lengths = op.lengths.get_values()
    starts = _starts(b, op, lengths)

    def places(loops: list[Scalar]) -> list[Scalar]:
        return [loop + outside(loop, b, start) for loop, start in zip(loops, starts)]

    return [picked(b, lengths, b.tensor(op.input), places)]


def _dynamic_update_slice(op: DynamicUpdateSliceOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input, update = b.tensor(op.input), b.tensor(op.update)
    if 0 in update.dims:
        return [input]
    starts = _starts(b, op, b.sizes(update.value))
    return [Tensor(b.insert(update.value, input.value, starts), input.element)]


def _general_gather(op: GeneralGatherOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input, indices = b.tensor(op.input), b.tensor(op.indices)
    numbers, lengths = op.numbers, op.slice_sizes.get_values()
    sizes, of_input = b.result_sizes(op), b.sizes(input.value)
    inner = [axis for axis in range(input.rank) if axis not in (*numbers.collapsed, *numbers.input_batching)]
    outer = [axis for axis in range(len(sizes)) if axis not in numbers.offset]
    rows = [axis for axis in range(indices.rank) if axis != numbers.vector_dim]

    def places(loops: list[Scalar]) -> list[Scalar]:
        at = dict(zip(rows, (loops[axis] for axis in outer)))
        zero = loops[0].constant(0) if loops else None
        found = {axis: at[row] for axis, row in zip(numbers.input_batching, numbers.indices_batching)}
        for entry, axis in enumerate(numbers.start_map):
            first = zero if zero is not None else at[rows[0]]
            where = [first.constant(entry) if i == numbers.vector_dim else at[i] for i in range(indices.rank)]
            start = element(b, indices, where, first.block)
            found[axis] = clamped(b, start, of_input[axis], lengths[axis])
        for axis, place in zip(inner, numbers.offset):
            found[axis] = found[axis] + loops[place] if axis in found else loops[place]
        return [found[axis] if axis in found else loops[0].constant(0) for axis in range(input.rank)]

    return [picked(b, sizes, input, places)]


LOWERINGS: Lowerings = {
    IotaOp: _iota,
    SliceOp: _slice,
    ReverseOp: _reverse,
    DynamicSliceOp: _dynamic_slice,
    DynamicUpdateSliceOp: _dynamic_update_slice,
    GeneralGatherOp: _general_gather,
}
