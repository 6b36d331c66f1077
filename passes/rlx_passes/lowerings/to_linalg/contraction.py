"""Products: `linalg.matmul` if merging leading dims makes matrices, else a contraction with named loops."""

from collections.abc import Sequence
from string import ascii_letters

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from rlx_dialect.ops import DotGeneralOp, MatMulOp
from rlx_dialect.shapes import normalize_axes
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Tensor
from rlx_passes.lowerings.to_linalg.maps import Contraction
from rlx_passes.lowerings.to_linalg.scalars import computed, is_complex


def accumulate_type(given: Attribute | None, element: Attribute) -> Attribute:
    """What sums go on in: `given`, else f32 for narrower floats, else the element type."""
    return computed(element) if given is None else given


def matmul(b: LinalgBuilder, lhs: Tensor, rhs: Tensor, accumulate: Attribute) -> Tensor:
    """`lhs @ rhs` in `accumulate`; leading dims broadcast. Leading dims of lhs alone become rows of one matrix."""
    leading = rhs.rank - 2
    while leading and rhs.dims[0] == 1 and rhs.rank > 2:
        # A unit dim of rhs only stretches, unless lhs is shorter and the result needs it.
        if rhs.rank > lhs.rank:
            break
        rhs, leading = b.squeeze(rhs, [0]), leading - 1
    if leading == 0 and lhs.rank > 2:
        return _rows(b, lhs, rhs, accumulate)
    if leading == 0:
        return _matrix(b, lhs, rhs, accumulate)
    return _batched(b, lhs, rhs, accumulate)


def _matrix(b: LinalgBuilder, lhs: Tensor, rhs: Tensor, accumulate: Attribute) -> Tensor:
    same = lhs.element == rhs.element == accumulate == b.stored(accumulate)
    # linalg.matmul adds truth values modulo 2, and xDSL's takes no complex numbers.
    if not same or accumulate == i1 or is_complex(accumulate):
        return b.contract(lhs, rhs, Contraction("mk", "kn", "mn"), accumulate)
    return b.matrix_product(lhs, rhs)


def _rows(b: LinalgBuilder, lhs: Tensor, rhs: Tensor, accumulate: Attribute) -> Tensor:
    leading = list(range(lhs.rank - 1))
    rows = b.collapse(lhs, [leading, [lhs.rank - 1]])
    product = _matrix(b, rows, rhs, accumulate)
    sizes = [b.size(lhs.value, axis) for axis in leading]
    return b.expand(product, [sizes, [b.size(product.value, 1)]])


def _batched(b: LinalgBuilder, lhs: Tensor, rhs: Tensor, accumulate: Attribute) -> Tensor:
    """Unit dims that stretch are taken out, so that each loop is read at one axis of each operand that has it."""
    rank = max(lhs.rank, rhs.rank)
    names = ascii_letters[: rank - 2]
    kept = [_stretched(lhs, rhs), _stretched(rhs, lhs)]
    sides: list[tuple[Tensor, str]] = []
    for side, dropped, matrix in ((lhs, kept[0], "MK"), (rhs, kept[1], "KN")):
        own = names[len(names) - (side.rank - 2) :]
        letters = "".join(name for axis, name in enumerate(own) if axis not in dropped)
        sides.append((b.squeeze(side, dropped) if dropped else side, letters + matrix))
    (left, left_loops), (right, right_loops) = sides
    return b.contract(left, right, Contraction(left_loops, right_loops, names + "MN"), accumulate)


def _stretched(side: Tensor, other: Tensor) -> list[int]:
    """The leading axes of `side` that have size 1 and meet another size, or a 1 that `other` keeps."""
    axes: list[int] = []
    for axis in range(side.rank - 2):
        opposite = axis - side.rank + other.rank
        if side.dims[axis] == 1 and opposite >= 0 and (other.dims[opposite] != 1 or side.rank < other.rank):
            axes.append(axis)
    return axes


def dot_general(
    b: LinalgBuilder,
    lhs: Tensor,
    rhs: Tensor,
    contracting: tuple[Sequence[int], Sequence[int]],
    batch: tuple[Sequence[int], Sequence[int]],
    accumulate: Attribute,
) -> Tensor:
    """The general product, see `rlx.dot_general`, of elements `accumulate`."""
    left, right = [""] * lhs.rank, [""] * rhs.rank
    letters = iter(ascii_letters)
    for pairs in (zip(*batch), zip(*contracting)):
        for i, j in pairs:
            left[i] = right[j] = next(letters)
    free = [[axis for axis, name in enumerate(side) if not name] for side in (left, right)]
    for side, axes in zip((left, right), free):
        for axis in axes:
            side[axis] = next(letters)
    result = [left[i] for i in (*batch[0], *free[0])] + [right[j] for j in free[1]]
    return b.contract(lhs, rhs, Contraction("".join(left), "".join(right), "".join(result)), accumulate)


def _matmul(op: MatMulOp, b: LinalgBuilder) -> Sequence[Tensor]:
    lhs, rhs = b.tensor(op.lhs), b.tensor(op.rhs)
    return [b.cast(matmul(b, lhs, rhs, accumulate_type(op.accumulate, lhs.element)), lhs.element)]


def _dot_general(op: DotGeneralOp, b: LinalgBuilder) -> Sequence[Tensor]:
    lhs, rhs = b.tensor(op.lhs), b.tensor(op.rhs)
    left = [normalize_axes(axes.get_values(), lhs.rank) for axes in (op.lhs_contracting, op.lhs_batch)]
    right = [normalize_axes(axes.get_values(), rhs.rank) for axes in (op.rhs_contracting, op.rhs_batch)]
    accumulate = accumulate_type(op.accumulate, lhs.element)
    product = dot_general(b, lhs, rhs, (left[0], right[0]), (left[1], right[1]), accumulate)
    return [b.cast(product, lhs.element)]


LOWERINGS: Lowerings = {MatMulOp: _matmul, DotGeneralOp: _dot_general}
