"""MiniLM's hidden states as an ONNX model for ONNX Runtime, node by node, with the weights inside."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from peers.minilm_arrays import EPSILON, HEAD_DIM, HEADS, HIDDEN, LAYERS, LOWEST

# The package is untyped in part, and optional.
helper: Any = import_module("onnx.helper")
numpy_helper: Any = import_module("onnx.numpy_helper")
FLOAT, INT32, BOOL = 1, 6, 9


class Model:
    """Nodes in the making; every method gives the name of a value."""

    def __init__(self, weights: Mapping[str, Any]):
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any, name: str | None = None) -> str:
        name = name or f"c{len(self.constants)}"
        self.constants[name] = value
        return name

    def weight(self, key: str) -> str:
        return self.constant(self.weights[key], key)

    def linear(self, x: str, name: str) -> str:
        weight = self.constant(np.ascontiguousarray(self.weights[f"{name}.weight"].T), f"{name}.weight")
        return self.node("Add", self.node("MatMul", x, weight), self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        gain, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", x, gain, shift, axis=-1, epsilon=EPSILON)


def build(weights: Mapping[str, Any], batch: int, tokens: int) -> bytes:
    """A model of opset 20 with inputs `ids`, `keep` and `types` and the output `hidden`."""
    m = Model(weights)
    words = m.node("Gather", m.weight("embeddings.word_embeddings.weight"), "ids")
    types = m.node("Gather", m.weight("embeddings.token_type_embeddings.weight"), "types")
    places = m.constant(weights["embeddings.position_embeddings.weight"][:tokens])
    x = m.norm(m.node("Add", m.node("Add", words, types), places), "embeddings.LayerNorm")
    visible = m.node("Unsqueeze", "keep", m.constant(np.array([1, 2], np.int64)))
    heads = m.constant(np.array([batch, tokens, HEADS, HEAD_DIM], np.int64))
    packed = m.constant(np.array([batch, tokens, HIDDEN], np.int64))
    scale, lowest = m.constant(np.float32(HEAD_DIM**-0.5)), m.constant(np.float32(LOWEST))
    for index in range(LAYERS):
        name = f"encoder.layer.{index}"
        query, key, value = (
            m.node("Reshape", m.linear(x, f"{name}.attention.self.{part}"), heads) for part in ("query", "key", "value")
        )
        query, value = (m.node("Transpose", part, perm=[0, 2, 1, 3]) for part in (query, value))
        scores = m.node("Mul", m.node("MatMul", query, m.node("Transpose", key, perm=[0, 2, 3, 1])), scale)
        probabilities = m.node("Softmax", m.node("Where", visible, scores, lowest), axis=-1)
        attended = m.node("Transpose", m.node("MatMul", probabilities, value), perm=[0, 2, 1, 3])
        output = m.linear(m.node("Reshape", attended, packed), f"{name}.attention.output.dense")
        x = m.norm(m.node("Add", output, x), f"{name}.attention.output.LayerNorm")
        inner = m.node("Gelu", m.linear(x, f"{name}.intermediate.dense"))
        x = m.norm(m.node("Add", m.linear(inner, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")
    m.nodes[-1].output[0] = "hidden"
    graph = helper.make_graph(
        m.nodes,
        "minilm",
        [
            helper.make_tensor_value_info("ids", INT32, [batch, tokens]),
            helper.make_tensor_value_info("keep", BOOL, [batch, tokens]),
            helper.make_tensor_value_info("types", INT32, [batch, tokens]),
        ],
        [helper.make_tensor_value_info("hidden", FLOAT, [batch, tokens, HIDDEN])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in m.constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return model.SerializeToString()
