"""Ops that move elements."""

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir.affine import AffineMap

from rlx_dialect import known_sizes
from rlx_dialect.dims import product
from rlx_dialect.ops import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, ResizeNearest2xOp, TransposeOp
from rlx_dialect.ops.shape import SizedOp
from rlx_dialect.shapes import normalize_axis
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Size, Sizes, Tensor, dim_of
from rlx_passes.lowerings.to_linalg.elements import index
from rlx_passes.lowerings.to_linalg.maps import row_map
from rlx_passes.lowerings.to_linalg.picking import clamped, element
from rlx_passes.lowerings.to_linalg.scalars import Scalar


def sizes_of(op: SizedOp, b: LinalgBuilder) -> Sizes:
    """The sizes written for the result."""
    known = iter(op.sizes)
    return tuple(dim if dim != DYNAMIC_INDEX else b.values[next(known)] for dim in op.result.type.get_shape())


def reshape(b: LinalgBuilder, input: Tensor, sizes: Sizes) -> Tensor:
    """
    The elements of `input` in row-major order under other sizes.

    Dims are split and merged in groups that are as small as what is known of the sizes allows.
    """
    source = b.sizes(input.value)
    if source == sizes:
        return input
    if 0 in sizes:
        return Tensor(b.empty(sizes, input.element), input.element)
    if not sizes:
        units = b.adapt(input.value, TensorType(b.stored(input.element), [1] * input.rank))
        return b.collapse(Tensor(units, input.element), [])
    if not source:
        ones = b.expand(input, [[1] * len(sizes)])
        return Tensor(b.adapt(ones.value, TensorType(b.stored(input.element), list(map(dim_of, sizes)))), input.element)
    groups = _groups(source, sizes)
    merged = b.collapse(input, [list(range(*group[0])) for group in groups])
    for axis, group in enumerate(groups):
        merged = _refined(b, merged, axis, sizes[slice(*group[1])])
    return b.expand(merged, [sizes[slice(*group[1])] for group in groups])


def _refined(b: LinalgBuilder, input: Tensor, axis: int, group: Sizes) -> Tensor:
    """A `?` that splits into static sizes, or a static size that splits into some `?`, first takes the other form."""
    static = all(isinstance(size, int) for size in group)
    if static == (input.dims[axis] != DYNAMIC_INDEX):
        return input
    return b.with_dim(input, axis, dim_of(b.product(group)) if static else DYNAMIC_INDEX)


Span = tuple[int, int]


def _groups(source: Sizes, target: Sizes) -> list[tuple[Span, Span]]:
    """
    Neighbouring axes of source and target that hold equally many elements, each group as small as can be.

    From either end, a group is closed once both sides are known to hold as many; the middle is one group.
    """
    front = _cuts(source, target)
    back = [
        (len(source) - i, len(target) - j) for i, j in _cuts(source[front[-1][0] :][::-1], target[front[-1][1] :][::-1])
    ]
    cuts = sorted({*front, *back} | {(len(source), len(target))})
    spans = [((i, k), (j, m)) for (i, j), (k, m) in pairwise(cuts)]
    return _without_empty(spans)


def _cuts(source: Sizes, target: Sizes) -> list[tuple[int, int]]:
    """The places, from the start, up to which both sides are known to hold equally many elements."""
    cuts = [(0, 0)]
    i = j = 0
    while i < len(source) and j < len(target):
        left, right = source[i], target[j]
        i, j = i + 1, j + 1
        while left != right:
            if not isinstance(left, int) or not isinstance(right, int):
                return cuts
            if left < right and i < len(source) and isinstance(size := source[i], int):
                left, i = left * size, i + 1
            elif left > right and j < len(target) and isinstance(size := target[j], int):
                right, j = right * size, j + 1
            else:
                return cuts
        cuts.append((i, j))
    return cuts


def _without_empty(spans: list[tuple[Span, Span]]) -> list[tuple[Span, Span]]:
    """Groups with no axis on one side hold unit dims only: they join a neighbour."""
    result: list[tuple[Span, Span]] = []
    for source, target in spans:
        if result and (source[0] == source[1] or target[0] == target[1] or _is_empty(result[-1])):
            before = result.pop()
            source, target = (before[0][0], source[1]), (before[1][0], target[1])
        result.append((source, target))
    return result


def _is_empty(span: tuple[Span, Span]) -> bool:
    return span[0][0] == span[0][1] or span[1][0] == span[1][1]


def _reshape(op: ReshapeOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input, sizes = b.tensor(op.input), sizes_of(op, b)
    if not sizes or not input.rank or _holds_as_many(op, _groups(b.sizes(input.value), sizes)):
        return [reshape(b, input, sizes)]
    flat = reshape(b, input, (b.product(b.sizes(input.value)),))
    return [b.expand(_refined(b, flat, 0, sizes), [sizes])]


def _holds_as_many(op: ReshapeOp, groups: list[tuple[Span, Span]]) -> bool:
    """
    Whether each group of axes holds equally many elements before and after.

    That all of them do says nothing of one beside a size that may be 0: `[?, 0]` may become `[?, 0]` of another size.
    """
    source, target = known_sizes.sizes_of(op.input), known_sizes.sizes_of(op.result)
    sides = [(source[slice(*before)], target[slice(*after)]) for before, after in groups]
    open_ = [any(not isinstance(size, int) for size in before) for before, _ in sides]
    return sum(open_) < 2 or all(product(before) == product(after) for before, after in sides)


def _expand(op: ExpandOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input, sizes = b.tensor(op.input), sizes_of(op, b)
    if b.sizes(input.value) == sizes:
        return [input]
    return [b.copy(input, sizes)]


def _transpose(op: TransposeOp, b: LinalgBuilder) -> Sequence[Tensor]:
    return [b.transpose(b.tensor(op.input), op.permutation.get_values())]


def narrow(b: LinalgBuilder, input: Tensor, axis: int, start: int, length: int) -> Tensor:
    """The `length` entries of `axis` from `start`."""
    sizes: list[Size] = list(b.sizes(input.value))
    offsets = [start if i == axis else 0 for i in range(input.rank)]
    sizes[axis] = length
    if 0 in sizes:
        return Tensor(b.empty(sizes, input.element), input.element)
    type = TensorType(b.stored(input.element), [dim_of(size) for size in sizes])
    return Tensor(b.emit(tensor.ExtractSliceOp(input.value, offsets, sizes, [1] * input.rank, type)), input.element)


def _narrow(op: NarrowOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input = b.tensor(op.input)
    axis = normalize_axis(op.axis.value.data, input.rank)
    return [narrow(b, input, axis, op.start.value.data, op.length.value.data)]


def _resize_nearest2x(op: ResizeNearest2xOp, b: LinalgBuilder) -> Sequence[Tensor]:
    input = b.tensor(op.input)
    batch, channels, height, width = b.sizes(input.value)
    spread = b.copy(reshape(b, input, (batch, channels, height, 1, width, 1)), (batch, channels, height, 2, width, 2))
    return [reshape(b, spread, b.result_sizes(op))]


def _concat(op: ConcatOp, b: LinalgBuilder) -> Sequence[Tensor]:
    """Each input is put into the result in turn."""
    inputs = [b.tensor(value) for value in op.inputs]
    axis = normalize_axis(op.axis.value.data, inputs[0].rank)
    sizes = list(b.sizes(inputs[0].value))
    ends: list[Size] = [0]
    for each in inputs:
        ends.append(_plus(b, ends[-1], b.size(each.value, axis)))
    sizes[axis] = ends[-1]
    result = b.empty(sizes, inputs[0].element)
    for each, start in zip(inputs, ends):
        offsets: list[Size] = [start if i == axis else 0 for i in range(each.rank)]
        # MLIR takes an empty slice for one out of bounds.
        if 0 not in each.dims:
            result = b.insert(each.value, result, offsets)
    return [Tensor(result, inputs[0].element)]


def _plus(b: LinalgBuilder, a: Size, c: Size) -> Size:
    if isinstance(a, int) and isinstance(c, int):
        return a + c
    if a == 0:
        return c
    return b.emit(arith.AddiOp(b.as_index(a), b.as_index(c)))


def _gather(op: GatherOp, b: LinalgBuilder) -> Sequence[Tensor]:
    """Each element of the result is read from the table, at the index found for it."""
    table, indices = b.tensor(op.table), b.tensor(op.indices)
    axis = normalize_axis(op.axis.value.data, table.rank)
    sizes, entries = b.result_sizes(op), b.size(table.value, axis)
    middle = axis + indices.rank

    def pick(at: Scalar) -> Scalar:
        places = [index(at.block, loop) for loop in (*range(axis), *range(middle, len(sizes)))]
        places.insert(axis, clamped(b, at, entries, 1))
        found = element(b, table, places, at.block).value
        return Scalar(at.block, found, found.type)

    stored = b.stored(table.element)
    init = b.empty(sizes, table.element)
    whole = AffineMap.identity(len(sizes))
    result = b.generic([(indices, row_map(len(sizes), range(axis, middle)))], init, whole, stored, pick)
    return [Tensor(result.value, table.element)]


LOWERINGS: Lowerings = {
    ResizeNearest2xOp: _resize_nearest2x,
    ReshapeOp: _reshape,
    ExpandOp: _expand,
    TransposeOp: _transpose,
    NarrowOp: _narrow,
    ConcatOp: _concat,
    GatherOp: _gather,
}
