"""Sorts, extrema and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import Extremum
from rlx_dialect.ops import ArgMaxOp, ArgMinOp, ArgReduceOp, ArgsortOp, HistogramOp, SortOp, TopKOp
from rlx_dialect.reference.numeric import Array, element_of, rounded, wide
from rlx_dialect.shape_rules.ordering import arg_reduce, top_k
from rlx_dialect.shapes import Shaped


def order(x: Array, axis: int, descending: bool) -> Array:
    """Which element comes at each place of the sorted axis; stable in both directions, NaN greater than all else."""
    x = wide(x)
    if not descending:
        return np.argsort(x, axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(backwards, axis)


def extremum_index(x: Array, kind: Extremum, axis: int, last: bool) -> Array:
    """The index of the extremum with the axis kept; NaN is one."""
    x = wide(x)
    find = np.argmax if kind is Extremum.MAX else np.argmin
    if not last:
        return find(x, axis, keepdims=True)
    return x.shape[axis] - 1 - find(np.flip(x, axis), axis, keepdims=True)


def counts(x: Array, bins: int, low: float, high: float) -> Array:
    x = wide(x).astype(np.float64)
    inside = x[(x >= low) & (x <= high)]
    places = np.floor((inside - low) * bins / (high - low)).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins)


@register_impls
class SortingFunctions(InterpreterFunctions):
    @impl(SortOp)
    def sort(self, interpreter: Interpreter, op: SortOp, args: tuple[Any, ...]):
        axis = op.axis.value.data
        return (np.take_along_axis(args[0], order(args[0], axis, op.descending is not None), axis),)

    @impl(ArgsortOp)
    def argsort(self, interpreter: Interpreter, op: ArgsortOp, args: tuple[Any, ...]):
        return (rounded(order(args[0], op.axis.value.data, op.descending is not None), op.result),)

    @impl(TopKOp)
    def top_k(self, interpreter: Interpreter, op: TopKOp, args: tuple[Any, ...]):
        x, axis, k = args[0], op.axis.value.data, op.k.value.data
        top_k(Shaped(x.shape, element_of(op.input)), k, axis, element_of(op.indices))
        indices = order(x, axis, op.smallest is None).take(np.arange(k), axis)
        return np.take_along_axis(x, indices, axis), rounded(indices, op.indices)

    @impl(ArgReduceOp)
    def arg_reduce(self, interpreter: Interpreter, op: ArgReduceOp, args: tuple[Any, ...]):
        x, axis = args[0], op.axis.value.data
        value, indices = arg_reduce(
            Shaped(x.shape, element_of(op.input)), axis, op.keep_dims is not None, element_of(op.indices)
        )
        found = extremum_index(x, op.extremum, axis, op.last is not None)
        chosen = np.take_along_axis(x, found, axis)
        return chosen.reshape(value.dims), rounded(found.reshape(indices.dims), op.indices)

    @impl(ArgMaxOp)
    def arg_max(self, interpreter: Interpreter, op: ArgMaxOp, args: tuple[Any, ...]):
        return (arg_extremum(op, Extremum.MAX, args[0]),)

    @impl(ArgMinOp)
    def arg_min(self, interpreter: Interpreter, op: ArgMinOp, args: tuple[Any, ...]):
        return (arg_extremum(op, Extremum.MIN, args[0]),)

    @impl(HistogramOp)
    def histogram(self, interpreter: Interpreter, op: HistogramOp, args: tuple[Any, ...]):
        bins = op.bins.value.data
        return (rounded(counts(args[0], bins, op.low.value.data, op.high.value.data), op.result),)


def arg_extremum(op: ArgMaxOp | ArgMinOp, kind: Extremum, x: Array) -> Array:
    """The index alone, of the result's type."""
    axis = op.axis.value.data
    shape = Shaped(x.shape, element_of(op.input))
    _, indices = arg_reduce(shape, axis, op.keep_dims is not None, element_of(op.result))
    return rounded(extremum_index(x, kind, axis, op.last is not None).reshape(indices.dims), op.result)
