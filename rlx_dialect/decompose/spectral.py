"""Spectral ops in plain ops: a transform is a product with the matrix of its exponentials, a long one in stages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import f32, i1, i32
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, FftNorm, ReduceKind
from rlx_dialect.constants import dense
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import is_complex, numpy_dtype
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import (
    ArgsortOp,
    CastOp,
    ComplexOp,
    ConcatOp,
    ExpandOp,
    FftButterflyStageOp,
    FftOp,
    GatherElementsOp,
    GatherOp,
    ImagOp,
    IrfftOp,
    NarrowOp,
    RealOp,
    ReshapeOp,
    RfftOp,
    WelchPeaksOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped

if TYPE_CHECKING:
    from rlx_dialect.arrays import Array

MOST_POINTS = 1024
"""The points of the longest transform that becomes a product: its matrix holds four times the square of them."""


def exponents(points: int, sign: int, norm: FftNorm) -> tuple[Array, Array]:
    """The real and the imaginary parts of the scaled exponentials of N points; `sign` is that of the exponent."""
    import numpy as np

    from rlx_dialect.reference.spectral import scale

    turns = np.outer(np.arange(points), np.arange(points)) % points * (2 * math.pi / points)
    by = scale(norm, points, inverse=sign > 0)
    return np.cos(turns) * by, sign * np.sin(turns) * by


def constant(to: Plain, array: Array, element: Attribute) -> SSAValue:
    """The array in this element type."""
    return to.add(ConstantOp(dense(Shaped(array.shape, element).type, array.astype(numpy_dtype(element))))).result


def _product(to: Plain, value: SSAValue, matrix: Array) -> SSAValue:
    """The last axis of `value` times a matrix."""
    lies = shaped(value)
    factor = constant(to, matrix, lies.element)
    if lies.rank > 1:
        return to.matmul(value, factor)
    row = to.add(ReshapeOp(value, (1, *lies.dims))).result
    return to.add(ReshapeOp(to.matmul(row, factor), (matrix.shape[1],))).result


def _matrix(to: Plain, value: SSAValue, sign: int, norm: FftNorm, *, half: bool) -> SSAValue:
    """
    What a transform of as many points as `value` has on its last axis, which only a run knows, multiplies with: from
    the real and imaginary parts of all points to those of all bins, or from real points to the first `half` of bins.

    In the element type of `value`: angles are reckoned in integers up to the nearest quarter of a turn.
    """
    points = own_sizes(value)[-1]
    points = points if half else points // 2
    many = to.number(to.made(points))
    rows, bins = to.counted(points), to.counted(points // 2 + 1 if half else points)
    turns = to.binary(BinaryKind.MOD, to.times(to.along(rows, 0, 2), bins), many)
    count = to.add(CastOp(many, shaped(value).element)).result
    cos, sin = _exponentials(to, turns, many, count)
    if sign < 0:
        sin = to.activated(Activation.NEG, sin)
    if norm is FftNorm.ORTHO or (norm is FftNorm.BY_N_ON_INVERSE and sign > 0):
        by = to.activated(Activation.SQRT, count) if norm is FftNorm.ORTHO else count
        cos, sin = to.binary(BinaryKind.DIV, cos, by), to.binary(BinaryKind.DIV, sin, by)
    matrix = _joined(to, cos, sin)
    if not half:
        below = _joined(to, to.activated(Activation.NEG, sin), cos)
        matrix = to.add(ConcatOp([matrix, below], axis=0)).result
    return matrix


def _exponentials(to: Plain, turns: SSAValue, many: SSAValue, count: SSAValue) -> tuple[SSAValue, SSAValue]:
    """
    Cosines and sines of `turns` of `many` parts of a turn, in the type of `count`, the same number.

    `4 turns = quarters many + rest`, so that an angle is at most an eighth of a turn, and so is its error.
    """
    four = to.times(turns, to.scalar(4, turns))
    half = to.binary(BinaryKind.DIV, many, to.scalar(2, many))
    quarters = to.binary(BinaryKind.DIV, to.plus(four, half), many)
    rest = to.narrowed(to.minus(four, to.times(quarters, many)), count)
    angles = to.binary(BinaryKind.DIV, to.times(rest, to.scalar(math.pi / 2, rest)), count)
    cos, sin = to.activated(Activation.COS, angles), to.activated(Activation.SIN, angles)
    less_cos, less_sin = (to.activated(Activation.NEG, each) for each in (cos, sin))
    bits = (to.binary(BinaryKind.BIT_AND, quarters, to.scalar(bit, quarters)) for bit in (1, 2))
    odd, beyond = (to.compare(CompareKind.NE, bit, to.scalar(0, bit)) for bit in bits)
    first = to.where(odd, less_sin, cos), to.where(odd, cos, sin)
    opposite = to.where(odd, sin, less_cos), to.where(odd, less_cos, less_sin)
    real, imaginary = (to.where(beyond, other, each) for each, other in zip(first, opposite))
    return real, imaginary


def _multiplied(to: Plain, value: SSAValue, matrix: SSAValue) -> SSAValue:
    """The last axis of `value` times a matrix, whose sizes only a run knows."""
    if shaped(value).rank > 1:
        return to.matmul(value, matrix)
    return to.laid(to.matmul(to.laid(value, (1, *own_sizes(value))), matrix), own_sizes(matrix)[1:])


def halves(to: Plain, blocks: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The real and the imaginary parts of a spectrum in blocks."""
    *outer, whole = own_sizes(blocks)
    points = whole // 2
    if isinstance(points, int):
        real, imaginary = (to.add(NarrowOp(blocks, axis=-1, start=at, length=points)).result for at in (0, points))
        return real, imaginary
    pairs = to.laid(blocks, (*outer, 2, points))
    parts = [to.add(NarrowOp(pairs, axis=-2, start=at, length=1)).result for at in (0, 1)]
    real, imaginary = (to.laid(part, (*outer, points)) for part in parts)
    return real, imaginary


def _joined(to: Plain, *parts: SSAValue) -> SSAValue:
    """The parts one after the other on the last axis."""
    return to.add(ConcatOp(parts, axis=-1)).result


def _is_long(points: int) -> bool:
    """Whether a transform of a power of 2 of points is done in stages because its matrix would be too large."""
    return points > MOST_POINTS and points & (points - 1) == 0


def _stages(to: Plain, blocks: SSAValue, op: FftOp) -> SSAValue:
    """The transform of a spectrum in blocks as stages of butterflies, from the points in bit-reversed order."""
    import numpy as np

    from rlx_dialect.reference.butterflies import bit_reversed
    from rlx_dialect.reference.spectral import scale

    points, inverse = shaped(blocks).dims[-1] // 2, op.inverse is not None
    order = bit_reversed(points)
    places = constant(to, np.concatenate([order, points + order]), i32)
    value = to.add(GatherOp(blocks, places, axis=-1)).result
    for stage in range(points.bit_length() - 1):
        value = to.add(FftButterflyStageOp(value, stage, inverse=inverse)).result
    by = scale(op.scaling, points, inverse)
    return value if by == 1 else to.times(value, to.scalar(by, value))


@plain_form(FftOp)
def fft(op: FftOp) -> Decomposition | None:
    """None beyond `MOST_POINTS` for a length that is no power of 2. One that only a run knows is a product."""
    import numpy as np

    value = shaped(op.input)
    whole = is_complex(value.element)
    points = value.dims[-1] if whole or value.dims[-1] == DYNAMIC else value.dims[-1] // 2
    if not (0 < points <= MOST_POINTS or points == DYNAMIC or _is_long(points)):
        return None
    to = Plain()
    blocks = _joined(to, to.add(RealOp(op.input)).result, to.add(ImagOp(op.input)).result) if whole else op.input
    if points == DYNAMIC:
        matrix = _matrix(to, blocks, -1 if op.inverse is None else 1, op.scaling, half=False)
        result = _multiplied(to, blocks, matrix)
    elif _is_long(points):
        result = _stages(to, blocks, op)
    else:
        cos, sin = exponents(points, -1 if op.inverse is None else 1, op.scaling)
        result = _product(to, blocks, np.block([[cos, sin], [-sin, cos]]))
    return to.done(_complex(to, result) if whole else result)


def _complex(to: Plain, blocks: SSAValue) -> SSAValue:
    """Real parts before imaginary parts as complex numbers."""
    return to.add(ComplexOp(*halves(to, blocks))).result


@plain_form(RfftOp)
def rfft(op: RfftOp) -> Decomposition | None:
    """None beyond `MOST_POINTS` for a length that is no power of 2. One that only a run knows is a product."""
    import numpy as np

    points = shaped(op.input).dims[-1]
    if points == DYNAMIC:
        to = Plain()
        matrix = _matrix(to, op.input, -1, op.scaling, half=True)
        return to.done(_complex(to, _multiplied(to, op.input, matrix)))
    if not (0 < points <= MOST_POINTS or _is_long(points)):
        return None
    to = Plain()
    bins = points // 2 + 1
    if _is_long(points):
        nothing = to.add(ExpandOp(to.scalar(0.0, op.input), shaped(op.input).dims, to.sizes(op.input))).result
        whole = to.add(ComplexOp(op.input, nothing)).result
        spectrum = to.add(FftOp(whole, norm=op.scaling)).result
        return to.done(to.add(NarrowOp(spectrum, axis=-1, start=0, length=bins)).result)
    cos, sin = exponents(points, -1, op.scaling)
    return to.done(_complex(to, _product(to, op.input, np.concatenate([cos[:, :bins], sin[:, :bins]], axis=1))))


@plain_form(IrfftOp)
def irfft(op: IrfftOp) -> Decomposition | None:
    """None for a length beyond `MOST_POINTS` that is no power of 2."""
    import numpy as np

    points = op.length.value.data
    if points > MOST_POINTS and not _is_long(points):
        return None
    to = Plain()
    bins = points // 2 + 1
    if _is_long(points):
        places = np.minimum(np.arange(points), points - np.arange(points))
        real, imaginary = (
            to.add(GatherOp(to.add(part).result, constant(to, places, i32), axis=-1)).result
            for part in (RealOp(op.input), ImagOp(op.input))
        )
        signs = np.where(np.arange(points) < bins, 1.0, -1.0)
        there = constant(to, np.arange(points) % (points // 2) != 0, i1)
        turned = to.times(imaginary, constant(to, signs, f32))
        imaginary = to.add(WhereOp(there, turned, to.scalar(0.0, imaginary))).result
        signal = to.add(FftOp(to.add(ComplexOp(real, imaginary)).result, inverse=True, norm=op.scaling)).result
        return to.done(to.add(RealOp(signal)).result)
    cos, sin = exponents(points, 1, op.scaling)
    twice = np.full((bins, 1), 2.0)
    twice[0] = 1
    if points % 2 == 0:
        twice[-1] = 1
    matrix = np.concatenate([cos[:bins] * twice, -sin[:bins] * twice])
    blocks = _joined(to, to.add(RealOp(op.input)).result, to.add(ImagOp(op.input)).result)
    return to.done(_product(to, blocks, matrix))


def powers(to: Plain, spectrum: SSAValue) -> SSAValue:
    """`re^2 + im^2` of the bins of a spectrum in blocks that say all of a real signal."""
    real, imag = (to.first(part, own_sizes(spectrum)[-1] // 4 + 1) for part in halves(to, spectrum))
    return to.plus(to.times(real, real), to.times(imag, imag))


@plain_form(WelchPeaksOp)
def welch_peaks(op: WelchPeaksOp) -> Decomposition:
    import numpy as np

    segments, k = op.n_segments.value.data, op.k.value.data
    to = Plain()
    power = powers(to, op.input)
    bins = shaped(power).dims[-1]
    if bins == DYNAMIC:
        return _peaks_of_run(to, op, power)
    weights = np.full(bins, 2.0)
    weights[[0, -1]] = 1
    rows = own_sizes(op.input)[0] // segments
    groups = to.laid(to.times(power, constant(to, weights, f32)), (rows, segments, bins))
    mean = _mean(to, groups, segments)
    kept = min(k, bins)
    ranked = to.add(ArgsortOp(mean, axis=-1, descending=True)).result
    places = to.add(NarrowOp(ranked, axis=-1, start=0, length=kept)).result
    found = to.add(GatherElementsOp(mean, places, axis=-1)).result
    rows = own_sizes(mean)[0]
    columns = [to.laid(x, (rows, kept, 1)) for x in (to.add(CastOp(places, f32)).result, found)]
    pairs = to.laid(_joined(to, *columns), (rows, 2 * kept))
    if kept == k:
        return to.done(pairs)
    dims = (shaped(mean).dims[0], 2 * (k - kept))
    return to.done(_joined(to, pairs, to.add(ExpandOp(to.scalar(0.0, pairs), dims, to.sizes(mean)[:1])).result))


def _mean(to: Plain, groups: SSAValue, segments: int) -> SSAValue:
    """Over axis 1, divided once: equal sums have equal means."""
    total = to.reduce(ReduceKind.SUM, groups, [1], keep_dims=False)
    return to.binary(BinaryKind.DIV, total, to.scalar(float(segments), total))


def _peaks_of_run(to: Plain, op: WelchPeaksOp, power: SSAValue) -> Decomposition:
    """Of as many bins as only a run knows: peaks that there are not count as zeros."""
    segments, k = op.n_segments.value.data, op.k.value.data
    rows, bins = own_sizes(power)
    at, ranks = to.counted(bins), to.counted(k)
    last = to.number(to.made(bins - 1))
    edge = to.binary(
        BinaryKind.BIT_OR, to.compare(CompareKind.EQ, at, to.scalar(0, at)), to.compare(CompareKind.EQ, at, last)
    )
    weights = to.where(edge, to.scalar(1.0, power), to.scalar(2.0, power))
    groups = to.laid(to.times(power, weights), (rows // segments, segments, bins))
    mean = _mean(to, groups, segments)
    ranked = to.add(ArgsortOp(mean, axis=-1, descending=True)).result
    places = to.add(GatherOp(ranked, to.binary(BinaryKind.MIN, ranks, last), axis=-1)).result
    found = to.add(GatherElementsOp(mean, places, axis=-1)).result
    there = to.compare(CompareKind.LE, ranks, last)
    columns = [
        to.laid(to.where(there, x, to.scalar(0.0, x)), (rows // segments, k, 1))
        for x in (to.add(CastOp(places, f32)).result, found)
    ]
    return to.done(to.laid(_joined(to, *columns), (rows // segments, 2 * k)))
