"""Where a size that is known at run time only comes from."""

from collections.abc import Callable, Mapping
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.ops import (
    AdaLayerNormOp,
    ArgMaxOp,
    ArgMinOp,
    ArgReduceOp,
    ArgsortOp,
    AttentionOp,
    BatchNormInferenceOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ConcatOp,
    ConvOp,
    ConvTransposeOp,
    CummaxOp,
    CumprodOp,
    CumsumOp,
    DequantizeOp,
    DynamicUpdateSliceOp,
    ErfcOp,
    Expm1Op,
    FmaOp,
    GatedResidualOp,
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    GroupNormOp,
    IsFiniteOp,
    LayerNorm2dOp,
    LayerNormOp,
    Log1pOp,
    LogicalNotOp,
    MatMulOp,
    NarrowOp,
    PadOp,
    PoolOp,
    QuantizeOp,
    ReduceOp,
    RlxOp,
    RmsNormOp,
    RopeOp,
    ScatterAddOp,
    ScatterElementsOp,
    ScatterNdOp,
    StopGradientOp,
    TileOp,
    TopKOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, shaped
from rlx_dialect.windows import channel_axis

Source = tuple[SSAValue, int]
"""A tensor and an axis of it."""


def source_of(value: SSAValue, axis: int) -> Source | SSAValue:
    """
    The earliest tensor and axis whose size a `?` is by the meaning of the ops in between, or the index value that an op took for it.

    Of several operands whose sizes must be equal the first one is followed.
    """
    while (found := source_before(value, axis)) is not None:
        if isinstance(found, SSAValue):
            return found
        value, axis = found
    return value, axis


def source_before(value: SSAValue, axis: int) -> Source | SSAValue | None:
    """`source_of` by one op; None where it says nothing of the size, or the size is static."""
    op = value.owner
    if isinstance(op, Block) or shaped(value).dims[axis] != DYNAMIC:
        return None
    size = _size_operand(op, axis) if isinstance(op, RlxOp) else None
    return _STEPS.get(type(op), _same)(op, value, axis) if size is None else size


def _size_operand(op: RlxOp, axis: int) -> SSAValue | None:
    """The operand that says dim `axis` of the only result."""
    fields = op.get_irdl_definition().operands
    if not fields or fields[-1][0] != "sizes":
        return None
    dims = shaped(op.results[0]).dims
    return op.operands[len(op.operands) - dims.count(DYNAMIC) + dims[:axis].count(DYNAMIC)]


def _same(op: Operation, value: SSAValue, axis: int) -> Source | None:
    """Of an op whose result has the type of its first operand by definition."""
    if op.regions or len(op.results) != 1 or not op.operands or op.operands[0].type != value.type:
        return None
    return (op.operands[0], axis) if _one_type(op) else None


def _one_type(op: Operation) -> bool:
    from rlx_passes.simplify.infer_shapes import one_type

    return any(op.operands[0] in group and op.results[0] in group for group in one_type(op))


def _broadcast(op: Operation, value: SSAValue, axis: int) -> Source | None:
    rank = shaped(value).rank
    for operand in op.operands:
        dims = shaped(operand).dims
        at = axis - rank + len(dims)
        if at >= 0 and dims[at] == DYNAMIC:
            return operand, at
    return None


def _first(op: Operation, value: SSAValue, axis: int) -> Source | None:
    """Of an op whose result has the dims of its first operand."""
    return (op.operands[0], axis) if shaped(op.operands[0]).rank == shaped(value).rank else None


def _matmul(op: Operation, value: SSAValue, axis: int) -> Source | None:
    lhs, rhs = op.operands[:2]
    rank, left, right = (shaped(each).rank for each in (value, lhs, rhs))
    if axis == rank - 1:
        return rhs, right - 1
    if axis == rank - 2:
        return lhs, left - 2
    return next(
        (
            (side, at)
            for side, at in ((lhs, axis - rank + left), (rhs, axis - rank + right))
            if at >= 0 and shaped(side).dims[at] == DYNAMIC
        ),
        None,
    )


def _transpose(op: Operation, value: SSAValue, axis: int) -> Source | None:
    return op.operands[0], cast(TransposeOp, op).permutation.get_values()[axis]


def _reduce(op: Operation, value: SSAValue, axis: int) -> Source | None:
    reduced = cast(ReduceOp, op)
    operand = op.operands[0]
    if shaped(value).rank == (rank := shaped(operand).rank):
        return operand, axis
    axes = {each % rank for each in reduced.axes.get_values()}
    return operand, [each for each in range(rank) if each not in axes][axis]


def _concat(op: Operation, value: SSAValue, axis: int) -> Source | None:
    joined = cast(ConcatOp, op).axis.value.data % shaped(value).rank
    if axis == joined:
        return None
    return next(((each, axis) for each in op.operands if shaped(each).dims[axis] == DYNAMIC), None)


def _tile(op: Operation, value: SSAValue, axis: int) -> Source | None:
    return (op.operands[0], axis) if cast(TileOp, op).repeats.get_values()[axis] == 1 else None


def _pad(op: Operation, value: SSAValue, axis: int) -> Source | None:
    low, high = (each.get_values()[axis] for each in (cast(PadOp, op).low, cast(PadOp, op).high))
    return (op.operands[0], axis) if low == high == 0 else None


def _gather(op: Operation, value: SSAValue, axis: int) -> Source | None:
    table, indices = op.operands
    at, width = cast(GatherOp, op).axis.value.data % shaped(table).rank, shaped(indices).rank
    if axis < at:
        return table, axis
    return (indices, axis - at) if axis < at + width else (table, axis - width + 1)


def _gather_elements(op: Operation, value: SSAValue, axis: int) -> Source | None:
    return op.operands[1], axis


def _gather_nd(op: Operation, value: SSAValue, axis: int) -> Source | None:
    table, indices = op.operands
    batch = shaped(indices).rank - 1
    if axis < batch:
        return indices, axis
    return table, axis + shaped(table).rank - shaped(value).rank


def _arg_extremum(op: Operation, value: SSAValue, axis: int) -> Source | None:
    """Whether the axis that was searched is kept or not, a `?` is another one."""
    operand = op.operands[0]
    searched = cast(ArgMaxOp | ArgMinOp | ArgReduceOp, op).axis.value.data % (rank := shaped(operand).rank)
    return operand, axis + (shaped(value).rank < rank and axis >= searched)


def _window(op: Operation, value: SSAValue, axis: int) -> Source | None:
    """Batches pass a window one by one."""
    config = cast(ConvOp | ConvTransposeOp | PoolOp, op).config
    if axis == 0:
        return op.operands[0], axis
    pooled = isinstance(op, PoolOp) and axis == channel_axis(config.layout, shaped(value).rank)
    return (op.operands[0], axis) if pooled else None


def _attention(op: Operation, value: SSAValue, axis: int) -> Source | None:
    return (op.operands[0], axis) if shaped(op.operands[0]).dims[axis] == DYNAMIC else None


_STEPS: Mapping[type[Operation], Callable[[Operation, SSAValue, int], Source | None]] = {
    **dict.fromkeys((BinaryOp, CompareOp, WhereOp, FmaOp), _broadcast),
    **dict.fromkeys(
        (
            *(
                AdaLayerNormOp,
                BatchNormInferenceOp,
                GatedResidualOp,
                GroupNormOp,
                LayerNorm2dOp,
                LayerNormOp,
                RmsNormOp,
            ),
            *(ArgsortOp, CastOp, CummaxOp, CumprodOp, CumsumOp, DequantizeOp, QuantizeOp, RopeOp, StopGradientOp),
            *(ErfcOp, Expm1Op, IsFiniteOp, Log1pOp, LogicalNotOp, NarrowOp, TopKOp),
            *(DynamicUpdateSliceOp, ScatterAddOp, ScatterElementsOp, ScatterNdOp),
        ),
        _first,
    ),
    **dict.fromkeys((ArgMaxOp, ArgMinOp, ArgReduceOp), _arg_extremum),
    **dict.fromkeys((ConvOp, ConvTransposeOp, PoolOp), _window),
    AttentionOp: _attention,
    ConcatOp: _concat,
    GatherElementsOp: _gather_elements,
    GatherNdOp: _gather_nd,
    GatherOp: _gather,
    MatMulOp: _matmul,
    PadOp: _pad,
    ReduceOp: _reduce,
    TileOp: _tile,
    TransposeOp: _transpose,
}
