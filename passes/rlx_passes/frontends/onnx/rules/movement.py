"""Ops that place elements elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, PadMode, Triangle
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size
from rlx_dialect.dtypes import element_type, is_integer
from rlx_dialect.shapes import normalize_axes
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result

PAD_MODES: Mapping[str, PadMode] = {
    "constant": PadMode.CONSTANT,
    "reflect": PadMode.REFLECT,
    "edge": PadMode.REPLICATE,
    "wrap": PadMode.CIRCULAR,
}


def pad(g: Graph, node: Node) -> Result:
    """Pads known on import are one op, others a gather on each axis."""
    x, dims = node.required(0), node.dims(0)
    given = list(node.attributes["pads"]) if "pads" in node.attributes else node.sizes(1)
    axes = normalize_axes(node.integers(3) or range(len(dims)), len(dims))
    if len(given) != 2 * len(axes):
        raise Refusal(f"there are {len(given)} pads for {len(axes)} axes")
    pads = dict(zip(axes, zip(given, given[len(axes) :])))
    mode = node.attributes.get("mode", "constant")
    if mode not in PAD_MODES:
        raise Refusal(f"mode is one of {', '.join(PAD_MODES)}, got '{mode}'")
    known = {axis: (low, high) for axis, (low, high) in pads.items() if isinstance(low, int) and isinstance(high, int)}
    value = node.value(2)
    if len(known) == len(pads) and (value is None or value.known is not None):
        low, high = ([known.get(axis, (0, 0))[end] for axis in range(len(dims))] for end in (0, 1))
        return g.pad(x, low, high, PAD_MODES[mode], _value(node, x.dtype))
    filler = g.full((), _value(node, x.dtype), x.dtype) if value is None else g.reshape(node.required(2), ())
    for axis, (low, high) in pads.items():
        if (low, high) != (0, 0):
            x = _padded(g, node, x, axis, low, high, PAD_MODES[mode], filler)
    return x


def _padded(g: Graph, node: Node, x: Tensor, axis: int, low: Size, high: Size, mode: PadMode, filler: Tensor) -> Tensor:
    """An axis between pads of any size; constants are read at an entry of their own, which comes behind all others."""
    dims = node.dims_of(x)
    size = node.counted(dims[axis])
    places = g.iota(node.shape([dims[axis] + low + high]), 0) - node.counted(low)
    if mode is PadMode.CONSTANT:
        one = node.expand(filler, [1 if at == axis else dim for at, dim in enumerate(dims)])
        there = g.binary(
            BinaryKind.BIT_AND, g.compare(CompareKind.GE, places, 0), g.compare(CompareKind.LT, places, size)
        )
        return g.gather(g.concat([x, one], axis), g.where(there, places, size), axis)
    last = node.counted(dims[axis] - 1)
    if mode is PadMode.CIRCULAR:
        places = g.binary(BinaryKind.MOD, g.binary(BinaryKind.MOD, places, size) + size, size)
    elif mode is PadMode.REFLECT:
        period = g.maximum(last * 2, 1) if isinstance(last, Tensor) else max(last * 2, 1)
        turned = g.binary(BinaryKind.MOD, g.activation(Activation.ABS, places), period)
        places = g.minimum(turned, period - turned)
    return g.gather(x, g.maximum(g.minimum(places, last), 0), axis)


def _value(node: Node, dtype: str) -> float:
    """What the pads hold."""
    number = node.number(2)
    value = node.attributes.get("value", 0.0) if number is None else number
    return int(value) if is_integer(element_type(dtype)) else value


def trilu(g: Graph, node: Node) -> Result:
    part = Triangle.UPPER if node.attributes.get("upper", 1) else Triangle.LOWER
    return g.trilu(part, node.required(0), int(node.number(1) or 0))


def reverse_sequence(g: Graph, node: Node) -> Result:
    """Of each entry of the batch the first so many elements in reverse order; the others stay."""
    x, dims = node.required(0), node.dims(0)
    time, batch = node.attributes.get("time_axis", 0), node.attributes.get("batch_axis", 1)
    if {time, batch} != {0, 1}:
        raise Refusal(f"time_axis and batch_axis are 0 and 1, got {time} and {batch}")
    row = _along(dims, time)
    places = g.iota(node.shape(row), time)
    lengths = node.reshape(node.required(1), _along(dims, batch))
    turned = g.where(g.compare(CompareKind.LT, places, lengths), lengths - 1 - places, places)
    return g.gather_elements(x, node.expand(turned, dims), time)


def _along(dims: tuple[Size, ...], axis: int) -> list[Size]:
    """The dims of a vector that goes along an axis."""
    return [size if at == axis else 1 for at, size in enumerate(dims)]


def eye_like(g: Graph, node: Node) -> Result:
    from rlx_passes.frontends.onnx.dtypes import element_type as name_of

    dims = node.dims(0)
    if len(dims) != 2:
        raise Refusal(f"the input must have 2 dims, got {len(dims)}")
    row, column = (g.iota(node.shape(_along(dims, axis)), axis) for axis in (0, 1))
    ones = g.compare(CompareKind.EQ, column, g.binary(BinaryKind.ADD, row, node.attributes.get("k", 0)))
    number = node.attributes.get("dtype")
    return g.cast(ones, node.required(0).dtype if number is None else name_of(number))


RULES: Mapping[str, NodeRule] = {
    "Pad": pad,
    "Trilu": trilu,
    "ReverseSequence": reverse_sequence,
    "EyeLike": eye_like,
}
