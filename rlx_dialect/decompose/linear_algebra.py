"""
Linear algebra as loops over the rows or columns of a matrix, in f32 or wider.

A round picks a row or a column by comparing places with its number, so nothing depends on how many there are.
"""

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, QrPart, ReduceKind, Triangle
from rlx_dialect.decompose.cumulative import numbers
from rlx_dialect.decompose.loops import Values, scan
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dims import smaller
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import (
    ArgMaxOp,
    BatchedDenseSolveOp,
    CholeskyOp,
    DenseSolveOp,
    DetOp,
    ExpandOp,
    GatherOp,
    LogDetOp,
    NarrowOp,
    QrOp,
    ReshapeOp,
    TransposeOp,
    TriangularSolveOp,
)
from rlx_dialect.shapes import DYNAMIC, shaped


def _column(to: Plain, vectors: SSAValue) -> SSAValue:
    """`[.., N]` as `[.., N, 1]`."""
    return to.add(ReshapeOp(vectors, (*shaped(vectors).dims, 1), to.sizes(vectors))).result


def _swapped(to: Plain, value: SSAValue) -> SSAValue:
    """The transposed matrices."""
    *batch, rows, columns = range(shaped(value).rank)
    return to.add(TransposeOp(value, [*batch, columns, rows])).result


def _entries(to: Plain, value: SSAValue, axis: int) -> SSAValue:
    """`value` with `axis`, counted from the end, before the others, for a scan to read it entry by entry."""
    order = list(range(shaped(value).rank))
    order.insert(0, order.pop(axis))
    return to.add(TransposeOp(value, order)).result


def _filled(to: Plain, like: SSAValue, number: float) -> SSAValue:
    value = to.scalar(number, like)
    return to.add(ExpandOp(value, shaped(like).dims, to.sizes(like))).result


def _kept(to: Plain, held: SSAValue, value: SSAValue) -> SSAValue:
    """`value`, 0 where a condition does not hold."""
    return to.where(held, value, to.scalar(0.0, value))


def _picked(to: Plain, held: SSAValue, value: SSAValue, axis: int) -> SSAValue:
    """The one entry on `axis` for which a condition holds; the axis stays as 1."""
    return to.reduce(ReduceKind.SUM, _kept(to, held, value), [axis])


def _diagonal(to: Plain, value: SSAValue) -> SSAValue:
    """The diagonal of matrices `[.., M, N]` with N <= M, or that many rows: `[.., N]`."""
    rows, columns = _column(to, numbers(to, value, -2)), numbers(to, value, -1)
    held = to.compare(CompareKind.EQ, rows, columns)
    return to.reduce(ReduceKind.SUM, _kept(to, held, value), [-2], keep_dims=False)


def _lost(to: Plain, value: SSAValue) -> SSAValue:
    """For each matrix whether it holds NaN or infinities: `[.., 1, 1]`."""
    return to.reduce(ReduceKind.ANY, to.not_finite(value), [-2, -1])


def _or_nan(to: Plain, lost: SSAValue, value: SSAValue) -> SSAValue:
    return to.where(lost, to.scalar(float("nan"), value), value)


@plain_form(CholeskyOp)
def cholesky(op: CholeskyOp) -> Decomposition:
    """Column by column: what the columns before leave of it, over the root of its first element."""
    to = Plain()
    value = to.widened(op.input)

    def body(to: Plain, carried: Values, entry: Values, captures: Values) -> tuple[Values, Values]:
        (lower,), (column, at), (places,) = carried, entry, captures
        here = to.compare(CompareKind.EQ, places, at)
        row = _picked(to, _column(to, here), lower, -2)
        left = to.minus(column, to.reduce(ReduceKind.SUM, to.times(lower, row), [-1], keep_dims=False))
        root = to.activated(Activation.SQRT, _picked(to, here, left, -1))
        below = to.compare(CompareKind.GE, places, at)
        new = _column(to, _kept(to, below, to.binary(BinaryKind.DIV, left, root)))
        return [to.where(here, new, lower)], []

    places = numbers(to, value, -1)
    (lower,) = scan(to, body, [_filled(to, value, 0.0)], [_entries(to, value, -1), places], [places])
    return to.done(to.narrowed(_or_nan(to, _lost(to, lower), lower), op.result))


@plain_form(TriangularSolveOp)
def triangular_solve(op: TriangularSolveOp) -> Decomposition:
    to = Plain()
    lower = op.part is Triangle.LOWER
    matrix, rhs = to.widened(op.matrix), to.widened(op.rhs)
    if op.transpose is not None:
        matrix, lower = _swapped(to, matrix), not lower
    return to.done(to.narrowed(_substituted(to, matrix, rhs, lower=lower), op.result))


def _substituted(to: Plain, matrix: SSAValue, rhs: SSAValue, *, lower: bool) -> SSAValue:
    """The solution of a triangular system, row by row from the row that has one unknown."""
    before = CompareKind.LT if lower else CompareKind.GT

    def body(to: Plain, carried: Values, entry: Values, captures: Values) -> tuple[Values, Values]:
        (solved,), (row, right, at), (places,) = carried, entry, captures
        here = to.compare(CompareKind.EQ, places, at)
        known = _column(to, _kept(to, to.compare(before, places, at), row))
        sums = to.reduce(ReduceKind.SUM, to.times(known, solved), [-2], keep_dims=False)
        new = to.binary(BinaryKind.DIV, to.minus(right, sums), _picked(to, here, row, -1))
        dims = (*shaped(new).dims[:-1], 1, shaped(new).dims[-1])
        laid = to.add(ReshapeOp(new, dims, to.sizes(new))).result
        return [to.where(_column(to, here), laid, solved)], []

    places = numbers(to, matrix, -1)
    scanned = [_entries(to, matrix, -2), _entries(to, rhs, -2), places]
    (solved,) = scan(to, body, [_filled(to, rhs, 0.0)], scanned, [places], reverse=not lower)
    return solved


def _eliminated(to: Plain, matrix: SSAValue, *others: SSAValue) -> list[SSAValue]:
    """
    Gauss's elimination with the largest pivot of each column: the upper triangular matrix, whose elements below the
    diagonal are not to be read, what the same steps make of `others`, and the sign of the exchanged rows `[.., 1, 1]`.
    """

    def body(to: Plain, carried: Values, entry: Values, captures: Values) -> tuple[Values, Values]:
        *values, sign = carried
        (at,), (places,) = entry, captures
        here, rows = to.compare(CompareKind.EQ, places, at), _column(to, places)
        column = _picked(to, here, values[0], -1)
        open = to.compare(CompareKind.GE, rows, at)
        size = to.where(open, to.activated(Activation.ABS, column), to.scalar(-1.0, column))
        best = to.add(ArgMaxOp(size, axis=-2, keep_dims=True, index=i64)).result
        this, other = _column(to, here), to.compare(CompareKind.EQ, rows, best)
        pivot = _picked(to, other, column, -2)
        moved = to.where(this, pivot, to.where(other, _picked(to, this, column, -2), column))
        zero = to.compare(CompareKind.EQ, pivot, to.scalar(0.0, pivot))
        share = to.where(zero, to.scalar(0.0, moved), to.binary(BinaryKind.DIV, moved, pivot))
        below = to.compare(CompareKind.GT, rows, at)
        after: list[SSAValue] = []
        for value in values:
            top = _picked(to, other, value, -2)
            exchanged = to.where(this, top, to.where(other, _picked(to, this, value, -2), value))
            after.append(to.where(below, to.minus(exchanged, to.times(share, top)), exchanged))
        stays = to.compare(CompareKind.EQ, best, at)
        turned = to.times(sign, to.where(stays, to.scalar(1.0, sign), to.scalar(-1.0, sign)))
        return [*after, turned], []

    places = numbers(to, matrix, -1)
    one = to.add(ExpandOp(to.scalar(1.0, matrix), (*shaped(matrix).dims[:-2], 1, 1), _batch_sizes(to, matrix))).result
    if shaped(matrix).dims[-1] == 0:
        return [matrix, *others, one]
    return scan(to, body, [matrix, *others, one], [places], [places])


def _batch_sizes(to: Plain, matrix: SSAValue) -> list[SSAValue]:
    return [to.size(matrix, axis) for axis, dim in enumerate(shaped(matrix).dims[:-2]) if dim == DYNAMIC]


@plain_form(DenseSolveOp, BatchedDenseSolveOp)
def dense_solve(op: DenseSolveOp | BatchedDenseSolveOp) -> Decomposition:
    to = Plain()
    vectors = shaped(op.rhs).rank < shaped(op.matrix).rank
    rhs = _column(to, to.widened(op.rhs)) if vectors else to.widened(op.rhs)
    upper, right, _ = _eliminated(to, to.widened(op.matrix), rhs)
    solved = _substituted(to, upper, right, lower=False)
    if vectors:
        solved = to.add(ReshapeOp(solved, shaped(op.rhs).dims, to.sizes(op.rhs))).result
    return to.done(to.narrowed(solved, op.result))


def _flat(to: Plain, value: SSAValue, like: SSAValue) -> SSAValue:
    """`[.., 1, 1]` as `[..]`, the batch of `like`."""
    return to.add(ReshapeOp(value, shaped(value).dims[:-2], _batch_sizes(to, like))).result


@plain_form(DetOp)
def det(op: DetOp) -> Decomposition:
    to = Plain()
    upper, sign = _eliminated(to, to.widened(op.input))
    product = to.reduce(ReduceKind.PROD, _diagonal(to, upper), [-1], keep_dims=False)
    return to.done(to.narrowed(to.times(_flat(to, sign, op.input), product), op.result))


@plain_form(LogDetOp)
def log_det(op: LogDetOp) -> Decomposition:
    to = Plain()
    upper, sign = _eliminated(to, to.widened(op.input))
    diagonal = _diagonal(to, upper)
    signs = to.reduce(ReduceKind.PROD, to.activated(Activation.SIGN, diagonal), [-1], keep_dims=False)
    below = to.compare(CompareKind.LT, to.times(_flat(to, sign, op.input), signs), to.scalar(0.0, signs))
    logs = to.activated(Activation.LOG, to.activated(Activation.ABS, diagonal))
    total = to.reduce(ReduceKind.SUM, logs, [-1], keep_dims=False)
    return to.done(to.narrowed(_or_nan(to, below, total), op.result))


@plain_form(QrOp)
def qr(op: QrOp) -> Decomposition:
    """Householder's reflections, which leave the diagonal of R with any sign."""
    to = Plain()
    *batch, rows, columns = own_sizes(op.input)
    rank = smaller(rows, columns)
    if rank == 0:
        lies = shaped(op.result)
        tail = (rows, rank) if op.factor is QrPart.Q else (rank, columns)
        sizes = [to.made(size) for size, dim in zip((*batch, *tail), lies.dims) if dim == DYNAMIC]
        return to.done(to.add(ExpandOp(to.scalar(0.0, op.input), lies.dims, sizes)).result)
    value = to.widened(op.input)
    first = to.counted(rank)
    left, mirrors = _reflected(to, value, first)
    r = _leading(to, left, -2, first)
    upper = to.compare(CompareKind.LE, _column(to, numbers(to, r, -2)), numbers(to, r, -1))
    r = _kept(to, upper, r)
    diagonal = _diagonal(to, _leading(to, r, -1, first))
    negative = to.compare(CompareKind.LT, diagonal, to.scalar(0.0, diagonal))
    turn = to.where(negative, to.scalar(-1.0, diagonal), to.scalar(1.0, diagonal))
    if op.factor is QrPart.R:
        result = to.times(r, _column(to, turn))
    else:
        *outer, last = shaped(turn).dims
        dims = (*outer, 1, last)
        row = to.add(ReshapeOp(turn, dims, to.sizes(turn))).result
        result = to.times(_rotated(to, value, mirrors, first), row)
    return to.done(to.narrowed(_or_nan(to, _lost(to, value), result), op.result))


def _leading(to: Plain, value: SSAValue, axis: int, places: SSAValue) -> SSAValue:
    """The first entries of `axis`, as many as there are places."""
    (length,) = shaped(places).dims
    if length == DYNAMIC:
        return to.add(GatherOp(value, places, axis=axis)).result
    return to.add(NarrowOp(value, axis=axis, start=0, length=length)).result


def _reflection(to: Plain, mirror: SSAValue, value: SSAValue) -> SSAValue:
    """`value - w (w^T value)`, with w the columns of `mirror` `[.., M]`."""
    column = _column(to, mirror)
    shares = to.reduce(ReduceKind.SUM, to.times(column, value), [-2])
    return to.minus(value, to.times(column, shares))


def _reflected(to: Plain, value: SSAValue, rounds: SSAValue) -> tuple[SSAValue, SSAValue]:
    """
    What the reflections leave, upper triangular, and the mirrors `[K, .., M]`, each of length root 2, or 0.

    `rounds` counts from 0 to K.
    """

    def body(to: Plain, carried: Values, entry: Values, captures: Values) -> tuple[Values, Values]:
        (left,), (at,), (rows, columns) = carried, entry, captures
        here = to.compare(CompareKind.EQ, columns, at)
        column = to.reduce(ReduceKind.SUM, _kept(to, here, left), [-1], keep_dims=False)
        tail = _kept(to, to.compare(CompareKind.GE, rows, at), column)
        # Scaled, so that no square overflows or is lost.
        size = to.reduce(ReduceKind.MAX, to.activated(Activation.ABS, tail), [-1])
        none = to.compare(CompareKind.EQ, size, to.scalar(0.0, size))
        scaled = to.binary(BinaryKind.DIV, tail, to.where(none, to.scalar(1.0, size), size))
        first = to.compare(CompareKind.EQ, rows, at)
        norm = to.activated(Activation.SQRT, to.reduce(ReduceKind.SUM, to.times(scaled, scaled), [-1]))
        head = _picked(to, first, scaled, -1)
        below = to.compare(CompareKind.LT, head, to.scalar(0.0, head))
        end = to.where(below, to.activated(Activation.NEG, norm), norm)
        normal = to.plus(scaled, _kept(to, first, end))
        squares = to.reduce(ReduceKind.SUM, to.times(normal, normal), [-1])
        safe = to.where(none, to.scalar(1.0, squares), squares)
        by = to.activated(Activation.SQRT, to.binary(BinaryKind.DIV, to.scalar(2.0, safe), safe))
        mirror = to.times(normal, by)
        return [_reflection(to, mirror, left)], [mirror]

    rows, columns = numbers(to, value, -2), numbers(to, value, -1)
    left, mirrors = scan(to, body, [value], [rounds], [rows, columns])
    return left, mirrors


def _rotated(to: Plain, value: SSAValue, mirrors: SSAValue, places: SSAValue) -> SSAValue:
    """Q `[.., M, K]`: the reflections in reverse order of the first columns of the identity, whose places are given."""
    dims = (*shaped(value).dims[:-1], *shaped(places).dims)
    held = to.compare(CompareKind.EQ, _column(to, numbers(to, value, -2)), places)
    identity = to.where(held, to.scalar(1.0, value), to.scalar(0.0, value))
    start = to.add(ExpandOp(identity, dims, [*_batch_sizes(to, value), *to.sizes(identity)])).result

    def body(to: Plain, carried: Values, entry: Values, captures: Values) -> tuple[Values, Values]:
        return [_reflection(to, entry[0], carried[0])], []

    (rotated,) = scan(to, body, [start], [mirrors], reverse=True)
    return rotated
