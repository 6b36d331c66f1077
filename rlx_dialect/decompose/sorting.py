"""Sorts, the choice of elements and tokens, and counts in plain ops."""

from collections.abc import Callable

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import f32, i1, i8, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, Extremum, ReduceKind
from rlx_dialect.constants import integers, splat
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dims import smaller
from rlx_dialect.dtypes import is_float
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import (
    ArgMaxOp,
    ArgMinOp,
    ArgReduceOp,
    ArgsortOp,
    CastOp,
    CompareOp,
    CumsumOp,
    GatherElementsOp,
    GatherOp,
    HistogramOp,
    IotaOp,
    NarrowOp,
    ReduceOp,
    ReshapeOp,
    RngUniformOp,
    SampleOp,
    ScatterAddOp,
    SoftmaxOp,
    SortOp,
    TopKOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axis, shaped

INT64 = (-(2**63), 2**63 - 1)


@plain_form(ArgMaxOp, ArgMinOp)
def arg_extremum(op: ArgMaxOp | ArgMinOp) -> Decomposition:
    """The indices of the extremum, without the element."""
    to = Plain()
    reduced = to.add(
        ArgReduceOp(
            Extremum.MAX if isinstance(op, ArgMaxOp) else Extremum.MIN,
            op.input,
            axis=op.axis.value.data,
            keep_dims=op.keep_dims is not None,
            last=op.last is not None,
            index=shaped(op.result).element,
        )
    )
    return to.done(reduced.indices)


@plain_form(ArgReduceOp)
def arg_reduce(op: ArgReduceOp) -> Decomposition:
    """The first or the last place that holds the extremum, or a NaN where that is the extremum."""
    to = Plain()
    value = shaped(op.input)
    source = to.add(CastOp(op.input, i8)).result if value.element == i1 else op.input
    axis, last = normalize_axis(op.axis.value.data, value.rank), op.last is not None
    kind = ReduceKind.MAX if op.extremum is Extremum.MAX else ReduceKind.MIN
    best = to.add(ReduceOp(kind, source, [axis], keep_dims=True)).result
    equal = to.add(CompareOp(CompareKind.EQ, source, best)).result
    nan = to.add(CompareOp(CompareKind.NE, source, source)).result
    hit = to.binary(BinaryKind.BIT_OR, equal, nan)
    numbers = to.add(IotaOp(Shaped(value.dims, i64), to.sizes(op.input), axis=axis)).result
    elsewhere = to.scalar(-1 if last else 2**62, numbers)
    places = to.add(WhereOp(hit, numbers, elsewhere)).result
    keep_dims = op.keep_dims is not None
    place = to.reduce(ReduceKind.MAX if last else ReduceKind.MIN, places, [axis], keep_dims)
    found = best if keep_dims else to.add(ReduceOp(kind, source, [axis])).result
    return to.done(to.narrowed(found, op.value), to.narrowed(place, op.indices))


@plain_form(SortOp)
def sort(op: SortOp) -> Decomposition:
    to = Plain()
    axis = op.axis.value.data
    places = to.add(ArgsortOp(op.input, axis=axis, descending=op.descending is not None)).result
    return to.done(to.add(GatherElementsOp(op.input, places, axis=axis)).result)


@plain_form(TopKOp)
def top_k(op: TopKOp) -> Decomposition:
    to = Plain()
    axis = op.axis.value.data
    ranked = to.add(ArgsortOp(op.input, axis=axis, descending=op.smallest is None)).result
    places = to.add(NarrowOp(ranked, axis=axis, start=0, length=op.k.value.data)).result
    values = to.add(GatherElementsOp(op.input, places, axis=axis)).result
    return to.done(values, to.narrowed(places, op.indices))


@plain_form(HistogramOp)
def histogram(op: HistogramOp) -> Decomposition:
    """Ones added where each element belongs; what lies outside goes to one more bin, which is cut off."""
    to = Plain()
    bins, x = op.bins.value.data, to.flat(op.input)
    place = _bin_of_float(op, to, x) if is_float(shaped(x).element) else _bin_of_integer(op, to, x)
    empty = to.add(ConstantOp(splat(Shaped((bins + 1,), i64).type, 0))).result
    counts = to.add(ScatterAddOp(empty, place, to.row(1, place, 0))).result
    return to.done(to.narrowed(to.add(NarrowOp(counts, axis=0, start=0, length=bins)).result, op.result))


def _bin_of_float(op: HistogramOp, to: Plain, x: SSAValue) -> SSAValue:
    """The number of the bin that each element belongs to."""
    bins, low, high = op.bins.value.data, op.low.value.data, op.high.value.data
    x = to.widened(x)
    above = to.compare(CompareKind.GE, x, to.scalar(low, x))
    inside = to.binary(BinaryKind.BIT_AND, above, to.compare(CompareKind.LE, x, to.scalar(high, x)))
    scaled = to.times(to.minus(x, to.scalar(low, x)), to.scalar(bins / (high - low), x))
    bin = to.binary(BinaryKind.MIN, to.activated(Activation.FLOOR, scaled), to.scalar(bins - 1, x))
    return to.add(CastOp(to.where(inside, bin, to.scalar(bins, x)), i64)).result


def _bin_of_integer(op: HistogramOp, to: Plain, x: SSAValue) -> SSAValue:
    """The same by halving a table of where bins start: exact, and without f64, which not every target has."""
    bins = op.bins.value.data
    starts, last = _starts(bins, op.low.value.data, op.high.value.data)
    x = x if shaped(x).element == i64 else to.add(CastOp(x, i64)).result
    above = to.compare(CompareKind.GT, x, to.scalar(starts[0], x))
    inside = to.binary(BinaryKind.BIT_AND, above, to.compare(CompareKind.LE, x, to.scalar(last, x)))
    halvings = (bins - 1).bit_length()
    table = to.add(ConstantOp(integers([*starts, *[INT64[1]] * (2**halvings - bins)]))).result
    bin = to.row(0, x, 0)
    for bit in reversed(range(halvings)):
        later = to.plus(bin, to.scalar(2**bit, bin))
        beyond = to.compare(CompareKind.GT, x, to.add(GatherOp(table, later)).result)
        bin = to.where(beyond, later, bin)
    return to.where(inside, bin, to.scalar(bins, bin))


def _starts(bins: int, low: float, high: float) -> tuple[list[int], int]:
    """The last integer before each bin and the last one in any, as floats of 64 bits have it."""

    def reaches(bin: int) -> Callable[[float], bool]:
        return lambda x: (x - low) * bins / (high - low) >= bin

    before, last = _last_until(lambda x: x >= low, *INT64), _last_until(lambda x: x > high, *INT64)
    return [before, *(_last_until(reaches(bin), before, last) for bin in range(1, bins))], last


def _last_until(holds: Callable[[float], bool], first: int, last: int) -> int:
    """The last integer of a range for which `holds` does not yet hold."""
    while first < last:
        middle = (first + last + 1) // 2
        first, last = (first, middle - 1) if holds(float(middle)) else (middle, last)
    return first


def _greatest(to: Plain, logits: SSAValue, top_k: int) -> tuple[SSAValue, SSAValue]:
    """The `top_k` greatest of each row in descending order, all for 0 or where there are fewer, and their indices."""
    tokens = own_sizes(logits)[-1]
    kept = smaller(top_k or tokens, tokens)
    if isinstance(kept, int):
        ranked = to.add(TopKOp(logits, kept))
        return ranked.values, ranked.indices
    places = to.add(ArgsortOp(logits, descending=True)).result
    if top_k:
        places = to.add(GatherOp(places, to.counted(kept), axis=-1)).result
    return to.add(GatherElementsOp(logits, places, axis=-1)).result, places


@plain_form(SampleOp)
def sample(op: SampleOp) -> Decomposition:
    """Steps as `rlx.sample` counts them."""
    to = Plain()
    logits, index = shaped(op.logits), shaped(op.result).element
    if op.temperature.value.data == 0:
        return to.done(to.add(ArgMaxOp(op.logits, index=index)).result)
    wide = to.widened(op.logits)
    scaled = to.binary(BinaryKind.DIV, wide, to.scalar(op.temperature.value.data, wide))
    values, tokens = _greatest(to, scaled, op.top_k.value.data)
    p = to.add(SoftmaxOp(values, axis=-1)).result
    before = to.add(CumsumOp(p, axis=-1, exclusive=True)).result
    stays = to.add(CompareOp(CompareKind.LT, before, to.scalar(op.top_p.value.data, p))).result
    sums = to.add(CumsumOp(to.add(WhereOp(stays, p, to.scalar(0, p))).result, axis=-1)).result
    kept = shaped(sums).dims[-1]
    if kept == DYNAMIC:
        count = to.number(to.size(sums, -1))
        last = to.minus(count, to.scalar(1, count))
        total = to.add(GatherOp(sums, last, axis=-1)).result
    else:
        last = to.add(ConstantOp(splat(Shaped((), i64).type, kept - 1))).result
        total = to.add(NarrowOp(sums, axis=-1, start=kept - 1, length=1)).result
    rows = to.add(RngUniformOp(op.key, Shaped(shaped(total).dims, f32), to.sizes(total))).result
    u = to.narrowed(rows, total)
    passed = to.add(CompareOp(CompareKind.LE, sums, to.times(u, total))).result
    place = to.reduce(ReduceKind.SUM, to.add(CastOp(passed, i64)).result, [-1])
    # A product rounded up to the total passes all.
    place = to.binary(BinaryKind.MIN, place, last)
    token = to.add(GatherElementsOp(tokens, place, axis=-1)).result
    dropped = to.add(ReshapeOp(token, logits.dims[:-1], to.sizes(total))).result
    return to.done(to.narrowed(dropped, op.result))
