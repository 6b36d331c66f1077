"""Stages of butterflies in plain ops, on the real and the imaginary parts apart."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i16, i32, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import CompareKind
from rlx_dialect.decompose.butterflies_of_runs import stages_of_run
from rlx_dialect.decompose.fixed_point import Parts, halved, saturated, turned
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.decompose.spectral import constant, halves
from rlx_dialect.dtypes import is_complex
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import (
    CastOp,
    ComplexOp,
    ConcatOp,
    FftButterflyStageOp,
    FftQOp,
    GatherOp,
    ImagOp,
    NarrowOp,
    RealOp,
    ReshapeOp,
    WhereOp,
)
from rlx_dialect.ops.quantization import integer
from rlx_dialect.shapes import DYNAMIC, shaped


def _apart(to: Plain, part: SSAValue, half: int) -> Parts:
    """The first and the second points of all pairs: `[.., N / 2h, 1, h]` each."""
    *outer, points = own_sizes(part)
    groups = to.laid(part, (*outer, points // (2 * half), 2, half))
    first, second = (to.add(NarrowOp(groups, axis=-2, start=at, length=1)).result for at in (0, 1))
    return first, second


def _joined(to: Plain, first: SSAValue, second: SSAValue, like: SSAValue) -> SSAValue:
    """The inverse of `_apart`, with the dims of `like`."""
    pairs = to.add(ConcatOp([first, second], axis=-2)).result
    return to.add(ReshapeOp(pairs, shaped(like).dims, to.sizes(like))).result


def _live(to: Plain, part: SSAValue, pruned: int) -> SSAValue:
    """The last `pruned` elements of the last axis as zeros."""
    if pruned <= 0:
        return part
    size = own_sizes(part)[-1]
    end = to.number(to.made(size))
    kept = to.compare(CompareKind.LT, to.counted(size), to.minus(end, to.scalar(pruned, end)))
    return to.add(WhereOp(kept, part, to.scalar(0, part))).result


@plain_form(FftButterflyStageOp)
def fft_butterfly_stage(op: FftButterflyStageOp) -> Decomposition | None:
    """None for no points."""
    from rlx_dialect.reference.butterflies import factors

    value, half, pruned = shaped(op.input), op.half, integer(op.pruned) or 0
    if value.dims[-1] == 0:
        return None
    to = Plain()
    whole = is_complex(value.element)
    parts = (to.add(RealOp(op.input)).result, to.add(ImagOp(op.input)).result) if whole else halves(to, op.input)
    (real, br), (imaginary, bi) = (_apart(to, part, half) for part in parts)
    if pruned >= half:
        # The second points are all zeros: the first ones go to both places.
        kept = [_live(to, part, pruned - half) for part in (real, imaginary)]
        made = [_joined(to, part, part, like) for part, like in zip(kept, parts)]
    else:
        second = _live(to, br, pruned), _live(to, bi, pruned)
        if half > 1:
            turns = factors(half, op.inverse is not None)
            element = f32 if whole else value.element
            second = turned(to, *second, (constant(to, turns.real, element), constant(to, turns.imag, element)))
        made = [
            _joined(to, to.plus(part, t), to.minus(part, t), like)
            for part, t, like in zip((real, imaginary), second, parts)
        ]
    return to.done(to.add(ComplexOp(*made) if whole else ConcatOp(made, axis=-1)).result)


@plain_form(FftQOp)
def fft_q(op: FftQOp) -> Decomposition:
    from rlx_dialect.reference.butterflies import bit_reversed, integer_factors

    element, size = shaped(op.input).element, shaped(op.input).dims[-1]
    to = Plain()
    wide, fraction = (i32, 15) if element == i16 else (i64, 31)
    given = halves(to, to.add(CastOp(op.input, wide)).result)
    if size == DYNAMIC:
        whole = to.add(ConcatOp(stages_of_run(to, op, given, fraction, element), axis=-1)).result
        return to.done(to.add(CastOp(whole, element)).result)
    points = size // 2
    order = constant(to, bit_reversed(points), i32)
    parts = [to.add(GatherOp(part, order, axis=-1)).result for part in given]
    halvings = op.halvings(points)
    for stage in range(points.bit_length() - 1):
        half = 2**stage
        (real, br), (imaginary, bi) = (_apart(to, part, half) for part in parts)
        second = br, bi
        if half > 1:
            cos, sin = (constant(to, part, wide) for part in integer_factors(half, op.inverse is not None, fraction))
            real_turned, imaginary_turned = turned(to, br, bi, (cos, sin))
            second = halved(to, real_turned, fraction), halved(to, imaginary_turned, fraction)
        made = [
            _joined(to, to.plus(part, t), to.minus(part, t), like)
            for part, t, like in zip((real, imaginary), second, parts)
        ]
        parts = [saturated(to, halved(to, part, int(stage < halvings)), element) for part in made]
    return to.done(to.add(CastOp(to.add(ConcatOp(parts, axis=-1)).result, element)).result)
