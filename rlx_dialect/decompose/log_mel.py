"""Mel features of spectra, and their gradient, in plain ops."""

import math

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.decompose.spectral import halves, powers
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import ConcatOp, ExpandOp, IotaOp, LogMelBackwardOp, LogMelOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped

FLOOR, RANGE = 1e-10, 8.0
"""The lowest energy, and how far below the greatest logarithm a feature may lie."""


def _turned(to: Plain, value: SSAValue) -> SSAValue:
    """The last two axes the other way round."""
    *batch, rows, columns = range(shaped(value).rank)
    return to.add(TransposeOp(value, [*batch, columns, rows])).result


def _levels(to: Plain, spectrum: SSAValue, filters: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The mel energies, their logarithms to base 10, and the lowest value that a feature may have."""
    energies = _turned(to, to.matmul(powers(to, spectrum), _turned(to, filters)))
    floored = to.binary(BinaryKind.MAX, energies, to.scalar(FLOOR, energies))
    logs = to.times(to.activated(Activation.LOG, floored), to.scalar(1 / math.log(10), energies))
    lowest = to.minus(to.reduce(ReduceKind.MAX, logs, [-2, -1]), to.scalar(RANGE, logs))
    return energies, logs, lowest


@plain_form(LogMelOp)
def log_mel(op: LogMelOp) -> Decomposition:
    to = Plain()
    _, logs, lowest = _levels(to, to.widened(op.spectrum), to.widened(op.filters))
    features = to.plus(to.binary(BinaryKind.MAX, logs, lowest), to.scalar(4.0, logs))
    return to.done(to.narrowed(to.times(features, to.scalar(0.25, logs)), op.result))


def _greatest(to: Plain, logs: SSAValue) -> SSAValue:
    """Where the greatest logarithm of each batch entry stands, the first of several."""
    value = shaped(logs)
    places = Shaped(value.dims, i64)
    rows, columns = (
        to.add(IotaOp(places, to.sizes(logs), axis=axis)).result for axis in (value.rank - 2, value.rank - 1)
    )
    beyond = to.scalar(2**62, rows)
    held = to.compare(CompareKind.EQ, logs, to.reduce(ReduceKind.MAX, logs, [-2, -1]))
    row = to.reduce(ReduceKind.MIN, to.where(held, rows, beyond), [-2, -1])
    held = to.binary(BinaryKind.BIT_AND, held, to.compare(CompareKind.EQ, rows, row))
    column = to.reduce(ReduceKind.MIN, to.where(held, columns, beyond), [-2, -1])
    return to.binary(BinaryKind.BIT_AND, held, to.compare(CompareKind.EQ, columns, column))


@plain_form(LogMelBackwardOp)
def log_mel_backward(op: LogMelBackwardOp) -> Decomposition:
    to = Plain()
    spectrum, filters = to.widened(op.spectrum), to.widened(op.filters)
    energies, logs, lowest = _levels(to, spectrum, filters)
    outer = to.times(to.widened(op.gradient), to.scalar(0.25, logs))
    zero = to.scalar(0.0, logs)
    floored = to.compare(CompareKind.LT, logs, lowest)
    by_top = to.reduce(ReduceKind.SUM, to.where(floored, outer, zero), [-2, -1])
    by_log = to.plus(to.where(floored, zero, outer), to.where(_greatest(to, logs), by_top, zero))
    floor = to.scalar(FLOOR, energies)
    slope = to.times(to.binary(BinaryKind.MAX, energies, floor), to.scalar(math.log(10), energies))
    below = to.compare(CompareKind.LE, energies, floor)
    by_energy = to.where(below, zero, to.binary(BinaryKind.DIV, by_log, slope))
    by_power = to.matmul(_turned(to, by_energy), filters)
    twice = to.plus(by_power, by_power)
    points = own_sizes(spectrum)[-1] // 2
    bins = points // 2 + 1
    sizes = (*own_sizes(spectrum)[:-1], points - bins)
    dims = [size if isinstance(size, int) else DYNAMIC for size in sizes]
    rest = to.add(ExpandOp(zero, dims, [to.made(size) for size in sizes if not isinstance(size, int)])).result
    parts: list[SSAValue] = []
    for half in halves(to, spectrum):
        parts += [to.times(twice, to.first(half, bins)), rest]
    return to.done(to.narrowed(to.add(ConcatOp(parts, axis=-1)).result, op.result))
