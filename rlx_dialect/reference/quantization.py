"""Quantisation and products of quantised matrices."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import Attribute

from rlx_dialect.attributes import CodeScheme
from rlx_dialect.dtypes import is_float, numpy_dtype
from rlx_dialect.ops import (
    DequantizeOp,
    DequantMatMulOp,
    FakeQuantizeBackwardOp,
    FakeQuantizeLSQBackwardScaleOp,
    FakeQuantizeLSQBackwardXOp,
    FakeQuantizeLSQOp,
    FakeQuantizeOp,
    QConv2dOp,
    QMatMulOp,
    QuantizeOp,
    ScaledMatMulOp,
    ScaledQuantScaleOp,
)
from rlx_dialect.ops.quantization import FakeOp, integer
from rlx_dialect.reference.convolution import conv
from rlx_dialect.reference.numeric import Array, element_of, rounded, wide

FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
"""The magnitudes of the codes of 4 bits with an exponent; the fourth bit is the sign."""


def spread(scale: Array, shape: tuple[int, ...], axis: int | None, block: int | None) -> Array:
    """A scale or zero point, one element for each of a tensor of `shape`, or broadcasting to it."""
    if axis is None or (block is None and scale.size == 1):
        return scale.reshape(())
    if block is None:
        lies = [1] * len(shape)
        lies[axis] = scale.size
        return scale.reshape(lies)
    return np.take(scale.repeat(block, axis=axis), range(shape[axis]), axis=axis)


def largest_float(element: Attribute) -> float:
    """The largest finite number of a float type."""
    ml: Any = ml_dtypes
    return float(ml.finfo(numpy_dtype(element)).max)


def saturated(value: Array, element: Attribute) -> Array:
    """`value` as `element`, its largest number where it is beyond that."""
    dtype = numpy_dtype(element)
    if is_float(element):
        largest = largest_float(element)
        return np.clip(value, -largest, largest).astype(dtype)
    bounds: Any = np.iinfo(dtype.name)
    return np.clip(value, bounds.min, bounds.max).astype(dtype)


def integers(value: Array) -> Array:
    """Wide enough to subtract zero points and to sum up products."""
    return value.astype(np.int64)


def unpacked(codes: Array, scheme: CodeScheme) -> Array:
    """`[.., K / 2, N]` bytes as the `[.., K, N]` numbers that their halves stand for."""
    *outer, rows, columns = codes.shape
    halves = np.stack([codes & 15, codes >> 4], axis=-2).reshape(*outer, 2 * rows, columns).astype(np.int64)
    if scheme is CodeScheme.INT4:
        return np.where(halves > 7, halves - 16, halves)
    return np.where(halves > 7, -1.0, 1.0) * FP4[halves & 7]


def multiples(op: FakeOp, value: Array, scale: Array | None) -> tuple[Array, Array]:
    """`value / scale`, and the scale, which broadcasts to it; 0 / 0 is 0."""
    axis = integer(op.axis)
    if scale is not None:
        steps = spread(wide(scale), value.shape, None if axis is None else axis % value.ndim, None)
    else:
        others = tuple(i for i in range(value.ndim) if axis is None or i != axis % value.ndim)
        steps = np.abs(value).max(axis=others, keepdims=True, initial=0) / op.largest
    return np.where(
        (value == 0) & (steps == 0), 0, value / np.where(steps == 0, np.where(value == 0, 1, 0), steps)
    ), steps


def fake(op: FakeOp, value: Array, scale: Array | None) -> Array:
    whole, steps = multiples(op, value, scale)
    return np.clip(np.rint(whole), -op.largest, op.largest) * steps


def passes(op: FakeOp, value: Array, scale: Array | None) -> Array:
    """Where the gradient passes through."""
    return np.abs(multiples(op, value, scale)[0]) <= op.largest if scale is not None else np.ones(value.shape, bool)


@register_impls
class QuantizationFunctions(InterpreterFunctions):
    @impl(QuantizeOp)
    def quantize(self, interpreter: Interpreter, op: QuantizeOp, args: tuple[Any, ...]):
        value, scale = wide(args[0]), wide(args[1])
        axis, block, element = integer(op.axis), integer(op.block), element_of(op.result)
        whole = value / spread(scale, value.shape, _from_start(axis, value), block)
        if not is_float(element):
            whole = np.where(np.isnan(whole), 0, np.rint(whole))
        if op.zero_point is not None:
            whole = whole + spread(wide(args[2]), value.shape, _from_start(axis, value), block)
        return (saturated(whole, element),)

    @impl(DequantizeOp)
    def dequantize(self, interpreter: Interpreter, op: DequantizeOp, args: tuple[Any, ...]):
        value, axis, block = args[0].astype(np.float64), _from_start(integer(op.axis), args[0]), integer(op.block)
        if op.zero_point is not None:
            value = value - spread(args[2].astype(np.float64), value.shape, axis, block)
        return (rounded(value * spread(wide(args[1]), value.shape, axis, block), op.result),)

    @impl(ScaledQuantScaleOp)
    def quant_scale(self, interpreter: Interpreter, op: ScaledQuantScaleOp, args: tuple[Any, ...]):
        largest = np.abs(wide(args[0])).max(initial=0)
        scale = largest / largest_float(op.to)
        return (rounded(np.where(scale == 0, 1, scale), op.result),)

    @impl(FakeQuantizeOp)
    def fake_quantize(self, interpreter: Interpreter, op: FakeQuantizeOp, args: tuple[Any, ...]):
        return (rounded(fake(op, wide(args[0]), args[1] if op.scale is not None else None), op.result),)

    @impl(FakeQuantizeBackwardOp)
    def fake_backward(self, interpreter: Interpreter, op: FakeQuantizeBackwardOp, args: tuple[Any, ...]):
        inside = passes(op, wide(args[0]), args[2] if op.scale is not None else None)
        return (rounded(np.where(inside, wide(args[1]), 0), op.result),)

    @impl(FakeQuantizeLSQOp)
    def lsq(self, interpreter: Interpreter, op: FakeQuantizeLSQOp, args: tuple[Any, ...]):
        return (rounded(fake(op, wide(args[0]), args[1]), op.result),)

    @impl(FakeQuantizeLSQBackwardXOp)
    def lsq_backward_x(self, interpreter: Interpreter, op: FakeQuantizeLSQBackwardXOp, args: tuple[Any, ...]):
        return (rounded(np.where(passes(op, wide(args[0]), args[1]), wide(args[2]), 0), op.result),)

    @impl(FakeQuantizeLSQBackwardScaleOp)
    def lsq_backward_scale(self, interpreter: Interpreter, op: FakeQuantizeLSQBackwardScaleOp, args: tuple[Any, ...]):
        value, scale, gradient = wide(args[0]), args[1], wide(args[2])
        whole, steps = multiples(op, value, scale)
        clipped = np.clip(np.rint(whole), -op.largest, op.largest)
        slopes = gradient * np.where(np.abs(whole) <= op.largest, clipped - whole, clipped)
        summed = tuple(i for i in range(value.ndim) if steps.ndim == 0 or steps.shape[i] == 1)
        return (rounded(slopes.sum(axis=summed).reshape(scale.shape), op.result),)

    @impl(QMatMulOp)
    def qmatmul(self, interpreter: Interpreter, op: QMatMulOp, args: tuple[Any, ...]):
        given = list(args[2:])
        lhs, rhs = integers(args[0]), integers(args[1])
        if op.lhs_zero_point is not None:
            lhs = lhs - integers(given.pop(0)).reshape(-1, 1)
        if op.rhs_zero_point is not None:
            rhs = rhs - integers(given.pop(0)).reshape(1, -1)
        return ((lhs @ rhs).astype(np.int32),)

    @impl(QConv2dOp)
    def qconv2d(self, interpreter: Interpreter, op: QConv2dOp, args: tuple[Any, ...]):
        given = list(args[2:])
        value, weight = integers(args[0]), integers(args[1])
        if op.input_zero_point is not None:
            value = value - integers(given.pop(0)).reshape(())
        if op.weight_zero_point is not None:
            weight = weight - integers(given.pop(0)).reshape(-1, 1, 1, 1)
        return (conv(value, weight, op.config).astype(np.int32),)

    @impl(DequantMatMulOp)
    def dequant_matmul(self, interpreter: Interpreter, op: DequantMatMulOp, args: tuple[Any, ...]):
        value, codes, scale = args[:3]
        whole = codes if op.codes is CodeScheme.PLAIN else unpacked(codes, op.codes)
        block = integer(op.block)
        axis = 1 if block is None else 0
        weight = whole.astype(np.float64)
        if op.zero_point is not None:
            weight = weight - spread(args[3].astype(np.float64), weight.shape, axis, block)
        return (rounded(wide(value) @ (weight * spread(wide(scale), weight.shape, axis, block)), op.result),)

    @impl(ScaledMatMulOp)
    def scaled_matmul(self, interpreter: Interpreter, op: ScaledMatMulOp, args: tuple[Any, ...]):
        lhs, rhs, lhs_scale, rhs_scale = map(wide, args)
        return (rounded(lhs @ rhs.T * (lhs_scale.reshape(()) * rhs_scale.reshape(())), op.result),)


def _from_start(axis: int | None, value: Array) -> int | None:
    return None if axis is None else axis % value.ndim
