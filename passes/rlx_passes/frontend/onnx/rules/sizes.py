"""Shapes as values: what is known of them is carried along without any op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rlx_dialect.builder import Graph
from rlx_passes.frontend.dims import Dim, Size, Undecided, at_least, equal, product
from rlx_passes.frontend.onnx.emitter import is_sized
from rlx_passes.frontend.onnx.model import Array
from rlx_passes.frontend.onnx.node import Node, Result, Rule


def known_sizes(sizes: Sequence[Size] | Size) -> Array:
    """Sizes as what is known of a tensor of i64."""
    array = np.array(sizes, dtype=object)
    return array if any(isinstance(each, Dim) for each in array.ravel().tolist()) else array.astype(np.int64)


def shape(g: Graph, node: Node) -> Result:
    dims = node.dims(0)
    return known_sizes(dims[slice(node.attributes.get("start", 0), node.attributes.get("end"))])


def size(g: Graph, node: Node) -> Result:
    return known_sizes(product(list(node.dims(0))))


RULES: Mapping[str, Rule] = {"Shape": shape, "Size": size}
"""Ops that give sizes of a tensor, whatever else is known of it."""


def _array(node: Node, at: int) -> Any:
    value = node.value(at)
    return None if value is None else value.known


def _axes(node: Node, at: int) -> list[int] | None:
    """Of an op whose axes were an attribute before they became an input."""
    return list(node.attributes["axes"]) if "axes" in node.attributes else node.integers(at)


def _gather(node: Node) -> Array:
    return np.take(_array(node, 0), node.constant(1), node.attributes.get("axis", 0))


def _slice(node: Node) -> Array:
    array = _array(node, 0)
    if "starts" in node.attributes:
        starts, ends = node.attributes["starts"], node.attributes["ends"]
        axes, steps = node.attributes.get("axes"), None
    else:
        starts, ends, axes, steps = (node.integers(at) for at in range(1, 5))
    index = [slice(None)] * array.ndim
    for at, (start, end) in enumerate(zip(starts or (), ends or ())):
        step = steps[at] if steps else 1
        # Past the front means nothing is left out, which Python spells None.
        stop = None if step < 0 and end < -array.shape[axes[at] if axes else at] else end
        index[axes[at] if axes else at] = slice(start, stop, step)
    return array[tuple(index)]


def _concat(node: Node) -> Array:
    arrays = [_array(node, at) for at in range(len(node.inputs))]
    return np.concatenate(arrays, axis=node.attributes.get("axis", 0))


def _squeeze(node: Node) -> Array:
    axes = _axes(node, 1)
    return np.squeeze(_array(node, 0), None if axes is None else tuple(axes))


def _unsqueeze(node: Node) -> Array:
    return np.expand_dims(_array(node, 0), tuple(_axes(node, 1) or ()))


def _reshape(node: Node) -> Array:
    return _array(node, 0).reshape(node.integers(1))


def _binary(operator: Callable[[Any, Any], Any]) -> Callable[[Node], Array]:
    return lambda node: operator(_array(node, 0), _array(node, 1))


def _divided(a: Size, b: Size) -> Size:
    """ONNX divides towards zero, which is downwards where nothing is negative."""
    if not (at_least(a, 0) and at_least(b, 1)):
        raise Undecided("a negative number is divided")
    return a // b


def _pairwise(operator: Callable[[Size, Size], Any]) -> Callable[[Node], Array]:
    apply = np.frompyfunc(operator, 2, 1)
    return lambda node: apply(np.asarray(_array(node, 0), object), np.asarray(_array(node, 1), object))


def _compared(operator: Callable[[Size, Size], bool]) -> Callable[[Node], Array]:
    pairwise = _pairwise(operator)
    return lambda node: np.asarray(pairwise(node)).astype(np.bool_)


def _where(node: Node) -> Array:
    return np.where(node.constant(0), *(np.asarray(_array(node, at), object) for at in (1, 2)))


def _cast(node: Node) -> Array:
    if node.attributes["to"] != 7:
        raise Undecided("sizes are i64")
    return _array(node, 0)


def _reduce_product(node: Node) -> Array:
    axes = _axes(node, 1)
    keep = bool(node.attributes.get("keepdims", 1))
    return np.prod(_array(node, 0), axis=None if axes is None else tuple(axes), keepdims=keep)


def _folded(operator: Callable[[Size, Size], Size]) -> Callable[[Node], Array]:
    apply = np.frompyfunc(operator, 2, 1)

    def rule(node: Node) -> Array:
        first, *rest = (np.asarray(_array(node, at), object) for at in range(len(node.inputs)))
        for each in rest:
            first = apply(first, each)
        return first

    return rule


def _expand(node: Node) -> Array:
    array = _array(node, 0)
    return np.broadcast_to(array, np.broadcast_shapes(array.shape, tuple(node.integers(1) or ())))


_ON_SIZES: Mapping[str, Callable[[Node], Array]] = {
    "Identity": lambda node: _array(node, 0),
    "Gather": _gather,
    "Slice": _slice,
    "Concat": _concat,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Reshape": _reshape,
    "Expand": _expand,
    "Cast": _cast,
    "Add": _binary(np.add),
    "Sub": _binary(np.subtract),
    "Mul": _binary(np.multiply),
    "Div": _pairwise(_divided),
    "Mod": _pairwise(lambda a, b: a - _divided(a, b) * b),
    "Neg": lambda node: -_array(node, 0),
    "Max": _folded(lambda a, b: a if at_least(a, b) else b),
    "Min": _folded(lambda a, b: b if at_least(a, b) else a),
    "Equal": _compared(equal),
    "Greater": _compared(lambda a, b: not at_least(b, a)),
    "GreaterOrEqual": _compared(at_least),
    "Less": _compared(lambda a, b: not at_least(a, b)),
    "LessOrEqual": _compared(lambda a, b: at_least(b, a)),
    "Where": _where,
    "ReduceProd": _reduce_product,
}


def _checked(rule: Callable[[Node], Array]) -> Callable[[Node], Array]:
    def checked(node: Node) -> Array:
        array = np.asarray(rule(node))
        return known_sizes(array.tolist()).reshape(array.shape) if is_sized(array) else array

    return checked


ON_SIZES: Mapping[str, Callable[[Node], Array]] = {name: _checked(rule) for name, rule in _ON_SIZES.items()}
"""Ops on integers some of which are sizes. Raises `Undecided` where the result depends on them, `Unsupported` where an operand is not known."""
