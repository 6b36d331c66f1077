"""Quantisation and products of quantised matrices in plain ops."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CodeScheme, CompareKind, ReduceKind
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.decompose.spectral import constant
from rlx_dialect.dtypes import is_float, numpy_dtype
from rlx_dialect.ops import (
    CastOp,
    CompareOp,
    ConcatOp,
    ConvOp,
    DequantizeOp,
    DequantMatMulOp,
    ExpandOp,
    FakeQuantizeBackwardOp,
    FakeQuantizeLSQBackwardScaleOp,
    FakeQuantizeLSQBackwardXOp,
    FakeQuantizeLSQOp,
    FakeQuantizeOp,
    FmaOp,
    GatherOp,
    IsFiniteOp,
    QConv2dOp,
    QMatMulOp,
    QuantizeOp,
    ReshapeOp,
    ScaledMatMulOp,
    ScaledQuantScaleOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.ops.quantization import FakeOp, integer, is_single
from rlx_dialect.shapes import DYNAMIC, count, shaped


def as_type(to: Plain, value: SSAValue, element: Attribute) -> SSAValue:
    return value if shaped(value).element == element else to.add(CastOp(value, element)).result


def spread(to: Plain, scale: SSAValue, like: SSAValue, axis: int | None, block: int | None) -> SSAValue | None:
    """A scale or zero point so that it broadcasts to `like`; None where that takes a size that is not known."""
    import numpy as np

    lies, value = shaped(scale), shaped(like)
    if axis is None or (block is None and is_single(lies)):
        return scale if lies.rank == 0 else to.add(ReshapeOp(scale, ())).result
    axis %= value.rank
    if block is None:
        return to.along(scale, axis, value.rank)
    size = value.dims[axis]
    if size == DYNAMIC:
        return None
    places = constant(to, np.arange(size) // block, i32)
    return to.add(GatherOp(scale, places, axis=axis)).result


def _wide(element: Attribute) -> bool:
    """Whether numbers of this type do not all fit into f32."""
    return element == i32


@plain_form(DequantizeOp)
def dequantize(op: DequantizeOp) -> Decomposition | None:
    """None for blocks of an axis whose size is not known."""
    to = Plain()
    axis, block = integer(op.axis), integer(op.block)
    scale = spread(to, to.widened(op.scale), op.input, axis, block)
    if scale is None:
        return None
    exact = i64 if _wide(shaped(op.input).element) else shaped(scale).element
    value = as_type(to, op.input, exact)
    if op.zero_point is not None:
        zero = spread(to, as_type(to, op.zero_point, exact), op.input, axis, block)
        if zero is None:
            return None
        value = to.minus(value, zero)
    return to.done(to.narrowed(to.times(as_type(to, value, shaped(scale).element), scale), op.result))


def _bounds(element: Attribute) -> tuple[float, float]:
    """The least and the greatest number of a quantised type."""
    import numpy as np

    from rlx_dialect.reference.quantization import largest_float

    if is_float(element):
        return -largest_float(element), largest_float(element)
    limits = np.iinfo(numpy_dtype(element).name)
    return float(limits.min), float(limits.max)


@plain_form(QuantizeOp)
def quantize(op: QuantizeOp) -> Decomposition | None:
    """None for blocks of an axis whose size is not known."""
    element = shaped(op.result).element
    to = Plain()
    axis, block = integer(op.axis), integer(op.block)
    scale = spread(to, to.widened(op.scale), op.input, axis, block)
    if scale is None:
        return None
    whole = to.binary(BinaryKind.DIV, to.widened(op.input), scale)
    if not is_float(element):
        known = to.add(CompareOp(CompareKind.EQ, whole, whole)).result
        rest = _rest(to, to.widened(op.input), scale, whole) if _wide(element) else None
        whole = to.add(WhereOp(known, to.activated(Activation.ROUND, whole), to.scalar(0.0, whole))).result
        if rest is not None:
            whole = to.plus(_clamped(to, as_type(to, whole, i64), -(1 << 40), 1 << 40), rest)
    if op.zero_point is not None:
        zero = spread(to, as_type(to, op.zero_point, shaped(whole).element), op.input, axis, block)
        if zero is None:
            return None
        whole = to.plus(whole, zero)
    return to.done(as_type(to, _clamped(to, whole, *_bounds(element)), element))


def _rest(to: Plain, value: SSAValue, scale: SSAValue, whole: SSAValue) -> SSAValue:
    """What a rounded quotient lacks to the whole number that is nearest to the exact one, in i64."""
    steps = to.add(ExpandOp(scale, shaped(value).dims, to.sizes(value))).result
    over = to.add(FmaOp(to.activated(Activation.NEG, whole), steps, value)).result
    finite = to.add(WhereOp(to.add(IsFiniteOp(whole)).result, over, to.scalar(0.0, over))).result
    rest = to.activated(Activation.ROUND, to.binary(BinaryKind.DIV, finite, scale))
    return _clamped(to, as_type(to, rest, i64), -(1 << 40), 1 << 40)


def _clamped(to: Plain, value: SSAValue, low: float, high: float) -> SSAValue:
    raised = to.binary(BinaryKind.MAX, value, to.scalar(low, value))
    return to.binary(BinaryKind.MIN, raised, to.scalar(high, value))


@plain_form(ScaledQuantScaleOp)
def scaled_quant_scale(op: ScaledQuantScaleOp) -> Decomposition:
    to = Plain()
    value = to.widened(op.input)
    axes = range(shaped(value).rank)
    largest = to.reduce(ReduceKind.MAX, to.activated(Activation.ABS, value), axes, keep_dims=False)
    positive = to.binary(BinaryKind.MAX, largest, to.scalar(0.0, largest))
    scale = to.binary(BinaryKind.DIV, positive, to.scalar(_bounds(op.to)[1], largest))
    nothing = to.add(CompareOp(CompareKind.EQ, scale, to.scalar(0.0, largest))).result
    return to.done(as_type(to, to.add(WhereOp(nothing, to.scalar(1.0, largest), scale)).result, f32))


def _multiples(to: Plain, op: FakeOp, input: SSAValue, scale: SSAValue) -> tuple[SSAValue, SSAValue]:
    """`input / scale`, where 0 / 0 is 0, and the scale, which broadcasts to it, both wide enough to compute in."""
    value = to.widened(input)
    steps = spread(to, to.widened(scale), input, integer(op.axis), None)
    steps = scale if steps is None else steps
    zeros = (to.compare(CompareKind.EQ, each, to.scalar(0.0, each)) for each in (value, steps))
    nothing = to.binary(BinaryKind.BIT_AND, *zeros)
    return to.where(nothing, to.scalar(0.0, value), to.binary(BinaryKind.DIV, value, steps)), steps


def _rounded(to: Plain, op: FakeOp, whole: SSAValue, steps: SSAValue) -> SSAValue:
    return to.times(_clamped(to, to.activated(Activation.ROUND, whole), -op.largest, op.largest), steps)


@plain_form(FakeQuantizeOp)
def fake_quantize(op: FakeQuantizeOp) -> Decomposition | None:
    """None without a scale over no elements."""
    to = Plain()
    if op.scale is not None:
        return to.done(to.narrowed(_rounded(to, op, *_multiples(to, op, op.input, op.scale)), op.result))
    value = to.widened(op.input)
    rank, axis = shaped(value).rank, integer(op.axis)
    if count(shaped(value).dims) == 0:
        return None
    axes = [i for i in range(rank) if axis is None or i != axis % rank]
    largest = to.reduce(ReduceKind.MAX, to.activated(Activation.ABS, value), axes)
    steps = to.binary(BinaryKind.DIV, largest, to.scalar(op.largest, value))
    nothing = to.add(CompareOp(CompareKind.EQ, steps, to.scalar(0.0, value))).result
    safe = to.add(WhereOp(nothing, to.scalar(1.0, value), steps)).result
    whole = to.binary(BinaryKind.DIV, value, safe)
    return to.done(to.narrowed(_rounded(to, op, whole, steps), op.result))


@plain_form(FakeQuantizeLSQOp)
def fake_quantize_lsq(op: FakeQuantizeLSQOp) -> Decomposition:
    to = Plain()
    return to.done(to.narrowed(_rounded(to, op, *_multiples(to, op, op.input, op.scale)), op.result))


def _passed(to: Plain, op: FakeOp, input: SSAValue, scale: SSAValue, gradient: SSAValue) -> SSAValue:
    """The gradient where the input is within the largest multiple, else 0."""
    whole, _ = _multiples(to, op, input, scale)
    size = to.activated(Activation.ABS, whole)
    inside = to.add(CompareOp(CompareKind.LE, size, to.scalar(op.largest, size))).result
    return to.add(WhereOp(inside, gradient, to.scalar(0.0, gradient))).result


@plain_form(FakeQuantizeBackwardOp)
def fake_quantize_backward(op: FakeQuantizeBackwardOp) -> Decomposition:
    to = Plain()
    return to.done(op.gradient if op.scale is None else _passed(to, op, op.input, op.scale, op.gradient))


@plain_form(FakeQuantizeLSQBackwardXOp)
def fake_quantize_lsq_backward_x(op: FakeQuantizeLSQBackwardXOp) -> Decomposition:
    to = Plain()
    return to.done(_passed(to, op, op.input, op.scale, op.gradient))


@plain_form(FakeQuantizeLSQBackwardScaleOp)
def fake_quantize_lsq_backward_scale(op: FakeQuantizeLSQBackwardScaleOp) -> Decomposition:
    to = Plain()
    whole, steps = _multiples(to, op, op.input, op.scale)
    most = to.scalar(op.largest, whole)
    clipped = _clamped(to, to.activated(Activation.ROUND, whole), -op.largest, op.largest)
    inside = to.compare(CompareKind.LE, to.activated(Activation.ABS, whole), most)
    slopes = to.times(to.widened(op.gradient), to.where(inside, to.minus(clipped, whole), clipped))
    laid = shaped(steps)
    summed = [axis for axis in range(shaped(whole).rank) if laid.rank == 0 or laid.dims[axis - laid.rank] == 1]
    total = to.reduce(ReduceKind.SUM, slopes, summed, keep_dims=False)
    return to.done(to.narrowed(to.add(ReshapeOp(total, shaped(op.scale).dims, to.sizes(op.scale))).result, op.result))


@plain_form(QMatMulOp)
def qmatmul(op: QMatMulOp) -> Decomposition:
    to = Plain()
    lhs, rhs = as_type(to, op.lhs, i32), as_type(to, op.rhs, i32)
    if op.lhs_zero_point is not None:
        zero = as_type(to, op.lhs_zero_point, i32)
        lhs = to.minus(lhs, zero if shaped(zero).rank == 0 else to.along(zero, -2, 2))
    if op.rhs_zero_point is not None:
        rhs = to.minus(rhs, as_type(to, op.rhs_zero_point, i32))
    return to.done(to.matmul(lhs, rhs))


@plain_form(QConv2dOp)
def qconv2d(op: QConv2dOp) -> Decomposition:
    to = Plain()
    value, weight = as_type(to, op.input, i32), as_type(to, op.weight, i32)
    if op.input_zero_point is not None:
        value = to.minus(value, as_type(to, op.input_zero_point, i32))
    if op.weight_zero_point is not None:
        zero = as_type(to, op.weight_zero_point, i32)
        weight = to.minus(weight, zero if shaped(zero).rank == 0 else to.along(zero, 0, 4))
    return to.done(to.add(ConvOp(value, weight, op.config)).result)


def in_pairs(to: Plain, codes: SSAValue, scheme: CodeScheme, element: Attribute) -> SSAValue:
    """`[.., K / 2, N]` bytes as the `[.., K, N]` numbers that their halves stand for; K is known."""
    import numpy as np

    from rlx_dialect.reference.quantization import unpacked

    *outer, rows, columns = shaped(codes).dims
    low = to.binary(BinaryKind.BIT_AND, codes, to.scalar(15, codes))
    high = to.binary(BinaryKind.SHR, codes, to.scalar(4, codes))
    sizes = to.sizes(codes)
    halves = [to.add(ReshapeOp(half, (*outer, rows, 1, columns), sizes)).result for half in (low, high)]
    pairs = to.add(ConcatOp(halves, axis=-2)).result
    whole = to.add(ReshapeOp(pairs, (*outer, 2 * rows, columns), sizes)).result
    table = unpacked(np.arange(16, dtype=np.uint8).reshape(1, 16), scheme)[0]
    return to.add(GatherOp(constant(to, table, element), as_type(to, whole, i32))).result


@plain_form(DequantMatMulOp)
def dequant_matmul(op: DequantMatMulOp) -> Decomposition | None:
    """None where the number of rows of a weight in codes, or in blocks, is not known."""
    rows, block = shaped(op.weight).dims[0], integer(op.block)
    if rows == DYNAMIC and (block is not None or op.codes is not CodeScheme.PLAIN):
        return None
    to = Plain()
    value = to.widened(op.input)
    element = shaped(value).element
    plain = op.codes is CodeScheme.PLAIN
    weight = as_type(to, op.weight, element) if plain else in_pairs(to, op.weight, op.codes, element)
    axis = 1 if block is None else 0
    if op.zero_point is not None:
        zero = spread(to, as_type(to, op.zero_point, element), weight, axis, block)
        weight = weight if zero is None else to.minus(weight, zero)
    scale = spread(to, as_type(to, op.scale, element), weight, axis, block)
    weight = weight if scale is None else to.times(weight, scale)
    return to.done(to.narrowed(to.matmul(value, weight), op.result))


@plain_form(ScaledMatMulOp)
def scaled_matmul(op: ScaledMatMulOp) -> Decomposition:
    to = Plain()
    lhs, rhs = as_type(to, op.lhs, f32), as_type(to, op.rhs, f32)
    product = to.matmul(lhs, to.add(TransposeOp(rhs, [1, 0])).result)
    scales = [
        scale if shaped(scale).rank == 0 else to.add(ReshapeOp(scale, ())).result
        for scale in (op.lhs_scale, op.rhs_scale)
    ]
    return to.done(as_type(to, to.times(product, to.times(*scales)), shaped(op.result).element))
