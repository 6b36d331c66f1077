"""A column beside the scores that takes its share of each row and is then cut off, as one more key."""

from dataclasses import dataclass
from math import inf

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import AttentionLayout, BinaryKind, Extremum, MaskKind, ReduceKind, word_of
from rlx_dialect.constants import constant_op, dense
from rlx_dialect.ops import (
    ArgReduceOp,
    AttentionConfig,
    BinaryOp,
    CastOp,
    ConcatOp,
    ExpandOp,
    NarrowOp,
    PadOp,
    ReduceOp,
    ReshapeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped
from rlx_passes.raising.attention_bands import Band
from rlx_passes.raising.attention_masks import Extent, narrow
from rlx_passes.raising.trail import Trail, is_widening
from rlx_passes.rewriting.constants import splat
from rlx_passes.rewriting.legality import dims_of, only_reader, require, tensor_type
from rlx_passes.rewriting.miss import Reason

PLACES = {AttentionLayout.BHSD: 2, AttentionLayout.BSHD: 1, AttentionLayout.BSM: 1}
"""The axis of places in each layout."""


@dataclass(frozen=True)
class Sink:
    """The column, `[.., 1]`, and whether it stands before the scores."""

    column: SSAValue
    first: bool

    def cut(self, trail: Trail, weights: SSAValue, keys: int) -> SSAValue:
        """The weights without the column's."""
        narrow = trail.add(only_reader(weights, NarrowOp))
        axis, start = narrow.axis.value.data, narrow.start.value.data
        kept = (len(dims_of(weights)) - 1, int(self.first), keys)
        require((axis, start, narrow.length.value.data) == kept, Reason.AXIS, narrow, detail="it keeps other columns")
        return narrow.result

    def check(self, extent: Extent) -> None:
        """Raises `Miss` where the column cannot be a bias of one more key."""
        require(extent.leading == 2 and not extent.order, Reason.LAYOUT, self.column)
        require(DYNAMIC not in extent.dims, Reason.DYNAMIC, self.column)
        bias = narrow(self.column, extent)
        require(tensor_type(bias).element_type == extent.element, Reason.DTYPE, bias)


@dataclass(frozen=True)
class Attended:
    """Keys, values and mask of an attention, and what it computes of them."""

    key: SSAValue
    value: SSAValue
    kind: MaskKind | None
    mask: SSAValue | None
    config: AttentionConfig


def beside_sink(trail: Trail, value: SSAValue) -> tuple[SSAValue, Sink | None]:
    """The scores of which a softmax is taken, and the column beside them, if any."""
    whole, casts = value, list[CastOp]()
    while isinstance(value.owner, CastOp) and is_widening(value.owner):
        casts.append(value.owner)
        value = value.owner.input
    shifted = value
    if isinstance(value.owner, BinaryOp) and value.owner.binary is BinaryKind.SUB:
        shifted = value.owner.lhs
    concat = shifted.owner
    if not isinstance(concat, ConcatOp) or len(concat.inputs) != 2:
        return whole, None
    last = len(dims_of(concat.result)) - 1
    sizes = [dims_of(each)[-1] for each in concat.inputs]
    if concat.axis.value.data != last or 1 not in sizes:
        return whole, None
    for cast in casts:
        trail.add(cast)
    if isinstance(value.owner, BinaryOp):
        trail.add(value.owner)
        greatest(trail, value.owner.rhs, shifted)
    trail.add(concat)
    first = sizes[0] == 1 and not isinstance(concat.inputs[1].owner, ExpandOp)
    scores, column = reversed(concat.inputs) if first else concat.inputs
    while isinstance(column.owner, ExpandOp):
        column = column.owner.input
    return scores, Sink(column, first)


def greatest(trail: Trail, value: SSAValue, of: SSAValue) -> None:
    """`value` is the greatest element of each row of `of`, which makes no difference to a softmax."""
    while isinstance(value.owner, ExpandOp | ReshapeOp):
        value = trail.add(value.owner).input
    op = value.owner
    rank = len(dims_of(of))
    if isinstance(op, ArgReduceOp):
        fits = word_of(op.kind, Extremum) is Extremum.MAX and op.axis.value.data == rank - 1 and value is op.value
    else:
        op = trail.into(value, ReduceOp)
        fits = word_of(op.kind, ReduceKind) is ReduceKind.MAX and op.axes.get_values() == (rank - 1,)
    require(fits and op.input is of, Reason.NOT_PRODUCED_BY, value, detail="the greatest score is wanted")
    trail.add(op)


def with_sink(
    attended: Attended, sink: Sink, band: Band, extent: Extent, layout: AttentionLayout, new: list[Operation]
) -> Attended:
    """
    One more key before the others, of zeros, so that its score is 0 and its value adds nothing. The column is its bias.

    A triangle that shows each query a key moves with the keys; any other band becomes part of the bias.
    """

    def added(op: BinaryOp | PadOp | ReshapeOp | ExpandOp | WhereOp | ConcatOp) -> SSAValue:
        new.append(op)
        return op.results[0]

    def lengthened(side: SSAValue) -> SSAValue:
        low = [int(axis == PLACES[layout]) for axis in range(len(dims_of(side)))]
        return added(PadOp(side, low, [0] * len(low)))

    def number(value: float) -> SSAValue:
        new.append(splat(extent.element, (), value))
        return new[-1].results[0]

    def four(value: SSAValue) -> SSAValue:
        dims = dims_of(value)
        return value if len(dims) == 4 else added(ReshapeOp(value, (*(1,) * (4 - len(dims)), *dims)))

    def stretched(value: SSAValue, dims: Dims) -> SSAValue:
        return value if dims_of(value) == dims else added(ExpandOp(value, dims))

    config, mask = attended.config, attended.mask
    batch, _, queries, keys = extent.dims
    if attended.kind is MaskKind.KEYS and mask is not None:
        seen = added(ReshapeOp(mask, (batch, 1, 1, keys)))
        mask = added(WhereOp(seen, number(0.0), number(-inf)))
    if band.low is None and (band.high is None or band.high >= 0):
        config = Band(None, None if band.high is None else band.high + 1).config(config, queries, keys + 1)
    else:
        config = config._replace(causal_offset=None, window_left=None, window_right=None)
        new.append(constant_op(dense(Shaped((queries, keys), i1).type, band.flags(queries, keys))))
        mask = added(WhereOp(new[-1].results[0], number(0.0) if mask is None else mask, number(-inf)))
    column = four(narrow(sink.column, extent))
    if mask is None:
        bias = added(PadOp(column, (0, 0, 0, 0), (0, 0, 0, keys)))
    else:
        mask = four(mask)
        leading = tuple(max(pair) for pair in zip(dims_of(column)[:3], dims_of(mask)[:3]))
        bias = added(ConcatOp([stretched(column, (*leading, 1)), stretched(mask, (*leading, keys))], 3))
    return Attended(lengthened(attended.key), lengthened(attended.value), MaskKind.BIAS, bias, config)
