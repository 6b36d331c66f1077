"""ONNX models written node by node, with the weights inside."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

# The package is untyped in part, and optional.
helper: Any = import_module("onnx.helper")
numpy_helper: Any = import_module("onnx.numpy_helper")

OPSET, IR_VERSION = 20, 9


class Model:
    """Nodes in the making; every method gives the name of a value. `weights` are looked up by name."""

    def __init__(self, weights: Mapping[str, Any] | None = None):
        self.weights = weights or {}
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.inputs: list[Any] = []

    def input(self, name: str, shape: Sequence[int], dtype: type = np.float32) -> str:
        self.inputs.append(self._info(name, shape, np.dtype(dtype)))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any, name: str | None = None) -> str:
        name = name or f"c{len(self.constants)}"
        self.constants[name] = value
        return name

    def sizes(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def weight(self, key: str) -> str:
        return self.constant(self.weights[key], key)

    def bytes(self, **outputs: tuple[str, Sequence[int]]) -> bytes:
        """The file of a model that gives values, f32 and of these shapes, by these names."""
        for name, (value, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [value], [name]))
        f32 = np.dtype(np.float32)
        graph = helper.make_graph(
            self.nodes,
            "model",
            self.inputs,
            [self._info(name, shape, f32) for name, (_, shape) in outputs.items()],
            [numpy_helper.from_array(np.asarray(value), name) for name, value in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION).SerializeToString()

    def _info(self, name: str, shape: Sequence[int], dtype: Any) -> Any:
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), list(shape))
