"""ONNX models op by op, by NumPy or torch: what a user of an array library gets without a compiler."""

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

onnx: Any = import_module("onnx")

Op = Callable[..., Any]
Function = Callable[[Mapping[str, Any]], dict[str, Any]]
"""From inputs by name to outputs by name."""


def run(
    model: bytes, ops: Mapping[str, Op], array: Callable[[Any], Any]
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """The function that a model is: from inputs by name to outputs by name; `array` makes one of the library."""
    graph = onnx.load_from_string(model).graph
    constants = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    arrays = {name: array(np.array(value)) for name, value in constants.items()}
    steps: list[tuple[Op, list[str], str, dict[str, Any]]] = []
    for node in graph.node:
        attributes = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        inputs = list(node.input)
        if node.op_type in SIZES:
            attributes["sizes"] = [constants[name].tolist() for name in inputs[1:]]
            inputs = inputs[:1]
        steps.append((ops[node.op_type], inputs, node.output[0], attributes))
    outputs = [each.name for each in graph.output]

    def call(inputs: Mapping[str, Any]) -> dict[str, Any]:
        values = {**arrays, **inputs}
        for op, names, result, attributes in steps:
            values[result] = op(*(values[name] for name in names), **attributes)
        return {name: values[name] for name in outputs}

    return call


SIZES = frozenset(("ReduceMean", "Reshape", "Slice", "Unsqueeze"))
"""Ops whose further operands are constant sizes."""


def _slice(x: Any, sizes: Any) -> Any:
    (start,), (end,), (axis,) = sizes
    return x[(slice(None),) * axis + (slice(start, end),)]


def _unsqueeze(x: Any, sizes: Any) -> Any:
    for axis in sizes[0]:
        x = x.reshape(*x.shape[:axis], 1, *x.shape[axis:])
    return x


SHARED: dict[str, Op] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
    "MatMul": lambda a, b: a @ b,
    "Neg": lambda x: -x,
    "Abs": abs,
    "Identity": lambda x: x,
    "Reshape": lambda x, sizes: x.reshape(sizes[0]),
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
    "Gather": lambda table, at: table[at],
}


def numpy_ops() -> dict[str, Op]:
    def erf(x: Any) -> Any:
        """Abramowitz and Stegun 7.1.26, to 1.5e-7: NumPy has no error function."""
        t = 1 / (1 + np.float32(0.3275911) * np.abs(x))
        poly = np.float32(1.061405429)
        for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            poly = poly * t + np.float32(coefficient)
        return np.sign(x) * (1 - poly * t * np.exp(-x * x))

    def softmax(x: Any, axis: int) -> Any:
        powers = np.exp(x - x.max(axis, keepdims=True))
        return powers / powers.sum(axis, keepdims=True)

    def layer_norm(x: Any, gain: Any, shift: Any, axis: int, epsilon: float) -> Any:
        centred = x - x.mean(axis, keepdims=True)
        root = np.sqrt((centred * centred).mean(axis, keepdims=True) + np.float32(epsilon))
        return centred / root * gain + shift

    half, over_root = np.float32(0.5), np.float32(math.sqrt(0.5))
    return SHARED | {
        "Max": np.maximum,
        "Min": np.minimum,
        "Relu": lambda x: np.maximum(x, np.float32(0)),
        "Exp": np.exp,
        "Tanh": np.tanh,
        "Sqrt": np.sqrt,
        "Reciprocal": lambda x: 1 / x,
        "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "Gelu": lambda x: half * x * (1 + erf(x * over_root)),
        "Softmax": softmax,
        "LayerNormalization": layer_norm,
        "ReduceMean": lambda x, sizes, keepdims: x.mean(tuple(sizes[0]), keepdims=bool(keepdims)),
        "Transpose": lambda x, perm: np.transpose(x, perm),
        "Concat": lambda *parts, axis: np.concatenate(parts, axis),
        "Where": np.where,
    }


def torch_ops() -> dict[str, Op]:
    torch: Any = import_module("torch")
    functional: Any = torch.nn.functional
    return SHARED | {
        "Max": torch.maximum,
        "Min": torch.minimum,
        "Relu": torch.relu,
        "Exp": torch.exp,
        "Tanh": torch.tanh,
        "Sqrt": torch.sqrt,
        "Reciprocal": torch.reciprocal,
        "Sigmoid": torch.sigmoid,
        "Gelu": functional.gelu,
        "Softmax": lambda x, axis: functional.softmax(x, axis),
        "LayerNormalization": lambda x, gain, shift, axis, epsilon: functional.layer_norm(
            x, gain.shape, gain, shift, epsilon
        ),
        "ReduceMean": lambda x, sizes, keepdims: x.mean(sizes[0], keepdim=bool(keepdims)),
        "Transpose": lambda x, perm: x.permute(perm),
        "Concat": lambda *parts, axis: torch.cat(parts, axis),
        "Where": torch.where,
    }
