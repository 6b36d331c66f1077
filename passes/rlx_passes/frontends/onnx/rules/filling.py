"""Tensors made of numbers and sizes alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rlx_dialect.attributes import Activation, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size
from rlx_dialect.dtypes import element_type, is_complex, is_float
from rlx_dialect.shapes import normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import dtype_of_array
from rlx_passes.frontends.onnx.model import Array
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result

CONSTANTS: Mapping[str, str] = {"value_float": "f", "value_floats": "f", "value_int": "q", "value_ints": "q"}
"""The attributes of a Constant that are no tensor, and the letter by which NumPy knows their type."""


def constant(g: Graph, node: Node) -> Result:
    if len(node.attributes) != 1:
        raise Refusal(f"needs one attribute with the value, got {', '.join(node.attributes) or 'none'}")
    ((name, value),) = node.attributes.items()
    if name == "value":
        return value
    if name not in CONSTANTS:
        raise Refusal(f"attribute '{name}' has no counterpart in the dialect")
    return np.asarray(value, CONSTANTS[name])


def constant_of_shape(g: Graph, node: Node) -> Result:
    value: Array = node.attributes.get("value", np.zeros(1, np.float32))
    dtype, dims = dtype_of_array(value), node.sizes(0)
    if value.size != 1:
        raise Refusal(f"attribute 'value' must hold one number, it has {value.size}")
    if is_complex(element_type(dtype)):
        return node.expand(node.emitter.constant(value.reshape(())), dims)
    return g.filled(node.shape(dims), value.item(), dtype)


def range_(g: Graph, node: Node) -> Result:
    """Numbers from a start in steps to before a limit: `start + i * step`."""
    dtype = node.dtype(0)
    known = [value is not None and value.known is not None and value.known.dtype != object for value in node.inputs]
    if is_float(element_type(dtype)) and all(known):
        return _range_of_floats(g, node, dtype)
    step = node.size(2) if known[2] and not is_float(element_type(dtype)) else None
    if step == 0 or (known[2] and not node.number(2)):
        raise Refusal("the step is 0")
    if not isinstance(step, int):
        return _range_of_a_run(g, node, dtype)
    start, limit = node.size(0), node.size(1)
    room = limit - start if step > 0 else start - limit
    count = room if abs(step) == 1 else (room + (abs(step) - 1)) // abs(step)
    numbers = g.iota(node.shape([max(count, 0) if isinstance(count, int) else count]), 0, dtype)
    if step != 1:
        numbers = numbers * step
    return numbers if start == 0 else numbers + node.counted(start, dtype)


def _range_of_floats(g: Graph, node: Node, dtype: str) -> Tensor:
    """In f64, rounded once."""
    start, limit, step = (float(node.number(at)) for at in range(3))
    if not np.isfinite([start, limit, step]).all():
        raise Refusal(f"from {start} to {limit} in steps of {step} is no finite number of entries")
    count = max(0, int(np.ceil((limit - start) / step)))
    return g.cast(g.iota([count], 0, "f64") * step + start, dtype)


def _range_of_a_run(g: Graph, node: Node, dtype: str) -> Tensor:
    """The same, of which the program finds the number of entries."""
    wide = "f64" if is_float(element_type(dtype)) else "i64"
    start, limit, step = (g.cast(g.reshape(node.required(at), ()), wide) for at in range(3))
    room = limit - start
    if wide == "f64":
        count = g.cast(g.activation(Activation.CEIL, room / step), "i64")
    else:
        whole = room / step
        more = g.compare(CompareKind.GT, (room - whole * step) * step, 0)
        count = whole + g.cast(more, "i64")
    (size,) = node.emitter.sizes_in(g.maximum(count, 0))
    return g.cast(g.iota(node.shape([size]), 0, wide) * step + start, dtype)


def one_hot(g: Graph, node: Node) -> Result:
    """An index counts from the end where it is negative; one outside of the depth is nowhere."""
    indices, values, dims = g.cast(node.required(0), "i64"), node.required(2), list(node.dims(0))
    depth = node.size(1)
    axis = normalize_axis(node.attributes.get("axis", -1), len(dims) + 1)
    indices = g.where(g.compare(CompareKind.LT, indices, 0), indices + node.counted(depth), indices)
    column = node.reshape(indices, [*dims[:axis], 1, *dims[axis:]])
    row: list[Size] = [1] * (len(dims) + 1)
    row[axis] = depth
    there = g.compare(CompareKind.EQ, column, g.iota(node.shape(row), axis))
    off, on = (g.reshape(g.narrow(values, 0, at, 1), ()) for at in range(2))
    return g.where(there, on, off)


RULES: Mapping[str, NodeRule] = {
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "Range": range_,
    "OneHot": one_hot,
}
