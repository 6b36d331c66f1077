"""Convolutions found in linalg ops: their sizes, and how a kernel goes over the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from rlx_passes.lowerings.to_loops.contraction import Taps, is_summed, widenings
from rlx_passes.lowerings.to_loops.memrefs import is_contiguous, is_static, type_of
from rlx_passes.lowerings.to_loops.nests import dims_of


@dataclass(frozen=True)
class Axis:
    """Of a spatial axis: elements of the input; windows, and how far apart; taps of the kernel, and how far apart."""

    size: int
    count: int
    stride: int
    kernel: int
    dilation: int

    @property
    def phases(self) -> int:
        """How many parts of the axis are read, the one from each of the first elements on by steps of `stride`."""
        return max((tap * self.dilation) % self.stride for tap in range(self.kernel)) + 1

    @property
    def length(self) -> int:
        """The elements of a phase that windows reach; all of an axis that is one."""
        return self.size if self.stride == 1 else self.count + (self.kernel - 1) * self.dilation // self.stride


@dataclass(frozen=True)
class Convolution:
    """
    `out[n, g, m, o..] += sum over c and t.. of input[n, g, c, stride * o + dilation * t..] * weight[g, m, c, t..]`.

    All sizes are known, and elements lie side by side. `axes` are the spatial ones.
    """

    op: linalg.GenericOp
    axes: tuple[Axis, ...]

    @property
    def input(self) -> SSAValue:
        return self.op.inputs[0]

    @property
    def weight(self) -> SSAValue:
        return self.op.inputs[1]

    @property
    def out(self) -> SSAValue:
        return self.op.outputs[0]

    @property
    def has_steps(self) -> bool:
        return any(axis.stride > 1 for axis in self.axes)

    @property
    def strides(self) -> tuple[int, ...]:
        """How far apart neighbours along each axis lie in the input, or in a phase of it."""
        lengths = [axis.length for axis in self.axes]
        return tuple(prod(lengths[at + 1 :]) for at in range(len(lengths)))

    @property
    def columns(self) -> int:
        """From the first window to the last one, in elements of the input, or of a phase of it."""
        return sum((axis.count - 1) * stride for axis, stride in zip(self.axes, self.strides, strict=True)) + 1

    @property
    def taps(self) -> Taps:
        """The taps of a channel, from the element that the first one reads on."""
        number, shift = AffineExpr.dimension(0), AffineExpr.constant(0)
        kernel = [axis.kernel for axis in self.axes]
        phases = [axis.phases for axis in self.axes]
        whole = prod(axis.length for axis in self.axes)
        for at, (axis, stride) in enumerate(zip(self.axes, self.strides, strict=True)):
            inner = prod(kernel[at + 1 :])
            tap = (number if inner == 1 else number // inner) % axis.kernel
            place = tap * axis.dilation
            if axis.kernel == 1:
                continue
            if axis.stride == 1:
                shift = shift + place * stride
                continue
            shift = shift + (place % axis.stride) * (prod(phases[at + 1 :]) * whole) + (place // axis.stride) * stride
        return Taps(prod(kernel), shift)


def convolution_of(op: linalg.GenericOp) -> Convolution | None:
    """The convolution that a `linalg.generic` on memrefs is, of channels before spatial axes."""
    if op.results or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    values = (*op.inputs, *op.outputs)
    if not all(isinstance(value.type, MemRefType) for value in values):
        return None
    types = [type_of(value) for value in values]
    if not all(is_static(type) and is_contiguous(type) and 0 not in type.get_shape() for type in types):
        return None
    widened = widenings(op.body.block)
    if widened is None or widened[0] not in (None, arith.ExtFOp) or not is_summed(types[2].element_type):
        return None
    read, kernel, windows = (each.data for each in op.indexing_maps)
    rank = len(windows.results)
    weight, out = _loops(kernel), _loops(windows)
    if rank < 4 or len(read.results) != rank or len(weight) != rank or len(out) != rank:
        return None
    if {*weight, *out} != set(range(2 * rank - 2)) or weight[:2] != out[1:3]:
        return None
    leading = [AffineExpr.dimension(loop) for loop in (*out[:2], weight[2])]
    if list(read.results[:3]) != leading:
        return None
    axes: list[Axis] = []
    for at in range(3, rank):
        steps = _steps(read.results[at], out[at], weight[at], read.num_dims)
        if steps is None:
            return None
        size, taps, count = (type.get_shape()[at] for type in types)
        axes.append(Axis(size, count, steps[0] if count > 1 else 1, taps, steps[1] if taps > 1 else 1))
    return Convolution(op, tuple(axes))


def _loops(map: AffineMap) -> Sequence[int]:
    """The loop along each axis, none for a map of anything else."""
    loops = [each.position for each in map.results if isinstance(each, AffineDimExpr)]
    return loops if len(set(loops)) == len(map.results) else ()


def _steps(expr: AffineExpr, window: int, tap: int, loops: int) -> tuple[int, int] | None:
    """The stride and dilation of an index `stride * window + dilation * tap`."""
    if dims_of(expr) != {window, tap} or not _is_linear(expr):
        return None
    places = [expr.eval([int(loop == at) for loop in range(loops)], []) for at in (window, tap, -1)]
    return (places[0], places[1]) if places[2] == 0 and min(places[:2]) > 0 else None


def _is_linear(expr: AffineExpr) -> bool:
    if isinstance(expr, AffineBinaryOpExpr):
        known = expr.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
        return known and _is_linear(expr.lhs) and _is_linear(expr.rhs)
    return isinstance(expr, AffineDimExpr | AffineConstantExpr)
