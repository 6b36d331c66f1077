"""ONNX models op by op, by NumPy or torch: what a user of an array library gets without a compiler."""

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

# The packages are untyped in part.
onnx: Any = import_module("onnx")
operator: Any = import_module("operator")

Op = Callable[..., Any]
Unary = Callable[[Any], Any]
Function = Callable[[Mapping[str, Any]], dict[str, Any]]
"""From inputs by name to outputs by name."""

SIZES = frozenset(("ReduceMean", "Reshape", "Slice", "Unsqueeze"))
"""Ops whose further operands are constant sizes."""


def run(model: bytes, ops: Mapping[str, Op], array: Unary) -> Function:
    """The function that a model is; `array` makes an array of the library."""
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


def _reshape(x: Any, sizes: Any) -> Any:
    return x.reshape(sizes[0])


def _slice(x: Any, sizes: Any) -> Any:
    (start,), (end,), (axis,) = sizes
    return x[(slice(None),) * axis + (slice(start, end),)]


def _unsqueeze(x: Any, sizes: Any) -> Any:
    for axis in sizes[0]:
        x = x.reshape(*x.shape[:axis], 1, *x.shape[axis:])
    return x


def _identity(x: Any) -> Any:
    return x


SHARED: dict[str, Op] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": operator.truediv,
    "MatMul": operator.matmul,
    "Neg": operator.neg,
    "Abs": abs,
    "Identity": _identity,
    "Reshape": _reshape,
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
    "Gather": operator.getitem,
}


def numpy_ops() -> dict[str, Op]:
    lib: Any = np

    def erf(x: Any) -> Any:
        """Abramowitz and Stegun 7.1.26, to 1.5e-7: NumPy has no error function."""
        t = 1 / (1 + lib.float32(0.3275911) * abs(x))
        sum = lib.float32(1.061405429)
        for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            sum = sum * t + lib.float32(coefficient)
        return lib.sign(x) * (1 - sum * t * lib.exp(-x * x))

    def softmax(x: Any, axis: int) -> Any:
        powers = lib.exp(x - x.max(axis, keepdims=True))
        return powers / powers.sum(axis, keepdims=True)

    def layer_norm(x: Any, gain: Any, shift: Any, axis: int, epsilon: float) -> Any:
        centred = x - x.mean(axis, keepdims=True)
        root = lib.sqrt((centred * centred).mean(axis, keepdims=True) + lib.float32(epsilon))
        return centred / root * gain + shift

    def mean(x: Any, sizes: Any, keepdims: int) -> Any:
        return x.mean(tuple(sizes[0]), keepdims=bool(keepdims))

    def transpose(x: Any, perm: Any) -> Any:
        return x.transpose(perm)

    def concat(*parts: Any, axis: int) -> Any:
        return lib.concatenate(parts, axis)

    def gelu(x: Any, approximate: bytes = b"none") -> Any:
        if approximate == b"tanh":
            inner = lib.float32(math.sqrt(2 / math.pi)) * (x + lib.float32(0.044715) * x * x * x)
            return lib.float32(0.5) * x * (1 + lib.tanh(inner))
        return lib.float32(0.5) * x * (1 + erf(x * lib.float32(math.sqrt(0.5))))

    unary: dict[str, Unary] = {
        "Relu": lambda x: lib.maximum(x, lib.float32(0)),
        "Sigmoid": lambda x: 1 / (1 + lib.exp(-x)),
    }
    same = {"Max": "maximum", "Min": "minimum", "Exp": "exp", "Tanh": "tanh", "Sqrt": "sqrt", "Where": "where"}
    other: dict[str, Op] = {"Reciprocal": lib.reciprocal, "Softmax": softmax, "LayerNormalization": layer_norm}
    other["Gelu"] = gelu
    moved: dict[str, Op] = {"ReduceMean": mean, "Transpose": transpose, "Concat": concat}
    return SHARED | unary | other | moved | {name: getattr(lib, word) for name, word in same.items()}


def torch_ops() -> dict[str, Op]:
    torch: Any = import_module("torch")
    functional: Any = torch.nn.functional

    def softmax(x: Any, axis: int) -> Any:
        return functional.softmax(x, axis)

    def layer_norm(x: Any, gain: Any, shift: Any, axis: int, epsilon: float) -> Any:
        return functional.layer_norm(x, x.shape[axis:], gain, shift, epsilon)

    def mean(x: Any, sizes: Any, keepdims: int) -> Any:
        return x.mean(sizes[0], keepdim=bool(keepdims))

    def transpose(x: Any, perm: Any) -> Any:
        return x.permute(perm)

    def concat(*parts: Any, axis: int) -> Any:
        return torch.cat(parts, axis)

    def gelu(x: Any, approximate: bytes = b"none") -> Any:
        return functional.gelu(x, approximate=approximate.decode())

    def conv(x: Any, weight: Any, bias: Any, strides: Any, pads: Any) -> Any:
        return functional.conv2d(x, weight, bias, strides, pads[:2])

    def max_pool(x: Any, kernel_shape: Any, strides: Any, pads: Any) -> Any:
        return functional.max_pool2d(x, kernel_shape, strides, pads[:2])

    same = ("Exp", "Tanh", "Sqrt", "Where", "Relu", "Reciprocal", "Sigmoid")
    named: dict[str, Op] = {name: getattr(torch, name.lower()) for name in same}
    other: dict[str, Op] = {"Max": torch.maximum, "Min": torch.minimum, "Gelu": gelu}
    rows: dict[str, Op] = {"Softmax": softmax, "LayerNormalization": layer_norm, "ReduceMean": mean}
    windows: dict[str, Op] = {"Conv": conv, "MaxPool": max_pool}
    return SHARED | named | other | rows | windows | {"Transpose": transpose, "Concat": concat}
