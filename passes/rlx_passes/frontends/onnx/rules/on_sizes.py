"""What NumPy does with arrays of integers some of which are sizes known at run time only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rlx_dialect.dims import Dim, Size, Undecided, at_least, equal
from rlx_dialect.dtypes import element_type, numpy_dtype
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import element_type as name_of
from rlx_passes.frontends.onnx.model import Array
from rlx_passes.frontends.onnx.node import Node
from rlx_passes.frontends.onnx.rules.sizes import has_dims
from rlx_passes.frontends.onnx.values import Value

Sizes: TypeAlias = "NDArray[np.object_]"
"""Numbers and `Dim`s."""


def _sizes(node: Node, at: int = 0) -> Sizes:
    """What is known of input `at`, a float that is a whole number as an integer."""
    value = node.value(at)
    if value is None or value.known is None:
        raise Refusal(f"input {at} is left out")
    array: Sizes = np.empty(value.known.shape, object)
    array[...] = np.reshape([_whole(each) for each in value.known.ravel().tolist()], array.shape)
    return array


def _whole(number: Any) -> Any:
    if isinstance(number, float):
        if not number.is_integer():
            raise Undecided("a size is reckoned with a fraction")
        return int(number)
    return number


def _constant(node: Node, at: int) -> Array:
    known = node.constant(at)
    if known is None:
        raise Refusal(f"input {at} is left out")
    return known


def _axes(node: Node, at: int) -> tuple[int, ...] | None:
    axes = node.listed("axes", at)
    return None if axes is None else tuple(axes)


def _gather(node: Node) -> Array:
    return np.take(_sizes(node), _constant(node, 1), node.attributes.get("axis", 0))


def _gather_nd(node: Node) -> Array:
    if node.attributes.get("batch_dims", 0):
        raise Undecided("sizes in batches")
    return _sizes(node)[tuple(np.moveaxis(_constant(node, 1), -1, 0))]


def _scatter_nd(node: Node) -> Array:
    if node.attributes.get("reduction", "none") != "none":
        raise Undecided("sizes are combined")
    array = _sizes(node).copy()
    array[tuple(np.moveaxis(_constant(node, 1), -1, 0))] = _sizes(node, 2)
    return array


def _slice(node: Node) -> Array:
    array = _sizes(node)
    starts, ends = node.listed("starts", 1) or [], node.listed("ends", 2) or []
    axes, steps = node.listed("axes", 3) or range(len(starts)), node.integers(4) or [1] * len(starts)
    index = [slice(None)] * array.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps):
        # Past the front means nothing is left out, which Python spells None.
        stop = None if step < 0 and end < -array.shape[axis] else end
        index[axis] = slice(start, stop, step)
    return array[tuple(index)]


def _split(node: Node) -> list[Array]:
    array, axis = _sizes(node), node.attributes.get("axis", 0)
    lengths = node.listed("split", 1)
    if lengths is None:
        count = node.attributes.get("num_outputs", len(node.outputs))
        lengths = [-(-array.shape[axis] // count)] * count
    return np.split(array, np.cumsum(lengths)[:-1].tolist(), axis)


def _concat(node: Node) -> Array:
    return np.concatenate([_sizes(node, at) for at in range(len(node.inputs))], axis=node.attributes["axis"])


def _unsqueeze(node: Node) -> Array:
    return np.expand_dims(_sizes(node), _axes(node, 1) or ())


def _flatten(node: Node) -> Array:
    array, axis = _sizes(node), node.attributes.get("axis", 1)
    at = axis % array.ndim if axis < 0 else axis
    return array.reshape(int(np.prod(array.shape[:at])), -1)


def _reshape(node: Node) -> Array:
    array, dims = _sizes(node), _constant(node, 1).tolist()
    if not node.attributes.get("allowzero", 0):
        dims = [array.shape[at] if wanted == 0 else wanted for at, wanted in enumerate(dims)]
    return array.reshape(dims)


def _expand(node: Node) -> Array:
    array = _sizes(node)
    return np.broadcast_to(array, np.broadcast_shapes(array.shape, tuple(_constant(node, 1).tolist())))


def _tile(node: Node) -> Array:
    return np.tile(_sizes(node), _constant(node, 1).tolist())


def _elementwise(operator: Callable[[Any], Any]) -> Callable[[Node], Array]:
    apply = np.frompyfunc(operator, 1, 1)
    return lambda node: np.asarray(apply(_sizes(node)), object)


def _folded(operator: Callable[[Any, Any], Any]) -> Callable[[Node], Array]:
    apply: Callable[[Array, Array], Array] = np.frompyfunc(operator, 2, 1)
    return lambda node: reduce(apply, (_sizes(node, at) for at in range(len(node.inputs))))


def _compared(operator: Callable[[Size, Size], bool]) -> Callable[[Node], Array]:
    pairwise = _folded(operator)
    return lambda node: np.asarray(pairwise(node)).astype(np.bool_)


def _product(a: Size, b: Size) -> Size:
    return a * b


def _quotient(a: Size, b: Size) -> Size:
    """ONNX divides integers towards zero, which is downwards where nothing is negative."""
    if not (at_least(a, 0) and at_least(b, 1)):
        raise Undecided("a negative number is divided")
    return a // b


def _exact(a: Size, b: Size) -> Size:
    """The quotient of floats, where it is a whole number."""
    quotient = _quotient(a, b)
    if quotient * b != a:
        raise Undecided("a size is divided into fractions")
    return quotient


def _magnitude(a: Size) -> Size:
    try:
        return a if at_least(a, 0) else -a
    except Undecided:
        if at_least(-a, 0):
            return -a
        raise


def _div(node: Node) -> Array:
    return _folded(_exact if node.dtype(0).startswith("f") else _quotient)(node)


def _where(node: Node) -> Array:
    return np.where(_constant(node, 0), _sizes(node, 1), _sizes(node, 2))


def _reduced(operator: Callable[[Size, Size], Size], start: int) -> Callable[[Node], Array]:
    apply = np.frompyfunc(operator, 2, 1)

    def rule(node: Node) -> Array:
        array, axes = _sizes(node), _axes(node, 1)
        if not axes:
            if node.attributes.get("noop_with_empty_axes", 0):
                return array
            axes = tuple(range(array.ndim))
        keep = bool(node.attributes.get("keepdims", 1))
        for axis in sorted((each % array.ndim for each in axes), reverse=True):
            array = np.asarray(apply.reduce(array, axis=axis, keepdims=keep, initial=start), object)
        return array

    return rule


def _range(node: Node) -> Array:
    """The numbers themselves where it is known how many they are."""
    start, limit, step = (_sizes(node, at).item() for at in range(3))
    count = -((start - limit) // step) if step else start
    if isinstance(count, Dim) or isinstance(step, Dim) or not step:
        raise Undecided("how many numbers there are is known at run time only")
    return np.array([start + at * step for at in range(count)], object)


_ON_SIZES: Mapping[str, Callable[[Node], Array | list[Array]]] = {
    "Identity": _sizes,
    "Gather": _gather,
    "GatherND": _gather_nd,
    "ScatterND": _scatter_nd,
    "Slice": _slice,
    "Split": _split,
    "Concat": _concat,
    "Squeeze": lambda node: np.squeeze(_sizes(node), _axes(node, 1)),
    "Unsqueeze": _unsqueeze,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Expand": _expand,
    "Tile": _tile,
    "Range": _range,
    "Cast": _sizes,
    "Floor": _sizes,
    "Ceil": _sizes,
    "Round": _sizes,
    "Add": _folded(lambda a, b: a + b),
    "Sub": _folded(lambda a, b: a - b),
    "Mul": _folded(_product),
    "Div": _div,
    "Mod": _folded(lambda a, b: a - _quotient(a, b) * b),
    "Neg": _elementwise(lambda a: -a),
    "Abs": _elementwise(_magnitude),
    "Sign": _elementwise(lambda a: 0 if equal(a, 0) else 1 if at_least(a, 0) else -1),
    "Max": _folded(lambda a, b: a if at_least(a, b) else b),
    "Min": _folded(lambda a, b: b if at_least(a, b) else a),
    "Equal": _compared(equal),
    "Greater": _compared(lambda a, b: not at_least(b, a)),
    "GreaterOrEqual": _compared(at_least),
    "Less": _compared(lambda a, b: not at_least(a, b)),
    "LessOrEqual": _compared(lambda a, b: at_least(b, a)),
    "Where": _where,
    "ReduceProd": _reduced(_product, 1),
    "ReduceSum": _reduced(lambda a, b: a + b, 0),
}

_WHOLE = frozenset({"i32", "i64", "f32", "f64"})
"""The types whose numbers sizes can be: they are exact there up to 2^24 and more."""


def _typed(node: Node) -> str:
    """The element type of the result."""
    if node.op_type == "Cast":
        return name_of(node.attributes["to"])
    return node.dtype(1 if node.op_type == "Where" else 0)


def _checked(rule: Callable[[Node], Array | list[Array]]) -> Callable[[Node], list[Value | Array]]:
    def checked(node: Node) -> list[Value | Array]:
        results = rule(node)
        arrays = results if isinstance(results, list) else [results]
        return [_result(node, name, np.asarray(each)) for name, each in zip(node.outputs, arrays)]

    return checked


def _result(node: Node, name: str, array: Array) -> Value | Array:
    if array.dtype != object:
        return array
    dtype = _typed(node)
    if dtype not in _WHOLE:
        raise Undecided(f"sizes in {dtype}")
    return Value(name, array, sized=dtype) if has_dims(array) else array.astype(numpy_dtype(element_type(dtype)))


ON_SIZES: Mapping[str, Callable[[Node], list[Value | Array]]] = {
    name: _checked(rule) for name, rule in _ON_SIZES.items()
}
"""Ops on integers, some of them sizes. Raises `Undecided` if these matter, `Refusal` for an unknown operand."""
