"""Spectral ops in plain ops: a transform is a product with the matrix of its exponentials, a long one in stages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import f32, i1, i32
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import FftNorm, ReduceKind
from rlx_dialect.constants import dense
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import is_complex, numpy_dtype
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
    """None for a length that is not known, and beyond `MOST_POINTS` for one that is no power of 2."""
    import numpy as np

    value = shaped(op.input)
    whole = is_complex(value.element)
    points = value.dims[-1] if whole or value.dims[-1] == DYNAMIC else value.dims[-1] // 2
    if not (0 < points <= MOST_POINTS or _is_long(points)):
        return None
    to = Plain()
    blocks = _joined(to, to.add(RealOp(op.input)).result, to.add(ImagOp(op.input)).result) if whole else op.input
    if _is_long(points):
        result = _stages(to, blocks, op)
    else:
        cos, sin = exponents(points, -1 if op.inverse is None else 1, op.scaling)
        result = _product(to, blocks, np.block([[cos, sin], [-sin, cos]]))
    return to.done(_complex(to, result) if whole else result)


def _complex(to: Plain, blocks: SSAValue) -> SSAValue:
    """Real parts before imaginary parts as complex numbers."""
    half = shaped(blocks).dims[-1] // 2
    real, imag = (to.add(NarrowOp(blocks, axis=-1, start=at, length=half)).result for at in (0, half))
    return to.add(ComplexOp(real, imag)).result


@plain_form(RfftOp)
def rfft(op: RfftOp) -> Decomposition | None:
    """None for a length that is not known, and beyond `MOST_POINTS` for one that is no power of 2."""
    import numpy as np

    points = shaped(op.input).dims[-1]
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
    """`re^2 + im^2` of the bins of a spectrum in blocks, whose length is known, that say all of a real signal."""
    points = shaped(spectrum).dims[-1] // 2
    bins = points // 2 + 1
    real, imag = (to.add(NarrowOp(spectrum, axis=-1, start=at, length=bins)).result for at in (0, points))
    return to.plus(to.times(real, real), to.times(imag, imag))


@plain_form(WelchPeaksOp)
def welch_peaks(op: WelchPeaksOp) -> Decomposition | None:
    """None where a size is not known."""
    import numpy as np

    value, segments, k = shaped(op.input), op.n_segments.value.data, op.k.value.data
    if not value.static:
        return None
    to = Plain()
    power = powers(to, op.input)
    bins = shaped(power).dims[-1]
    weights = np.full(bins, 2 / segments)
    weights[[0, -1]] = 1 / segments
    rows = value.dims[0] // segments
    groups = to.add(ReshapeOp(to.times(power, constant(to, weights, f32)), (rows, segments, bins))).result
    mean = to.reduce(ReduceKind.SUM, groups, [1], keep_dims=False)
    kept = min(k, bins)
    ranked = to.add(ArgsortOp(mean, axis=-1, descending=True)).result
    places = to.add(NarrowOp(ranked, axis=-1, start=0, length=kept)).result
    found = to.add(GatherElementsOp(mean, places, axis=-1)).result
    columns = [to.add(ReshapeOp(x, (rows, kept, 1))).result for x in (to.add(CastOp(places, f32)).result, found)]
    pairs = to.add(ReshapeOp(_joined(to, *columns), (rows, 2 * kept))).result
    if kept == k:
        return to.done(pairs)
    return to.done(_joined(to, pairs, constant(to, np.zeros((rows, 2 * (k - kept))), f32)))
