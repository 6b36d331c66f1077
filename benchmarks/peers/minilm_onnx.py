"""MiniLM's hidden states as an ONNX model, node by node, with the weights inside."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from peers.minilm_arrays import EPSILON, HEAD_DIM, HEADS, HIDDEN, LAYERS, LOWEST
from peers.onnx_model import Model


def build(weights: Mapping[str, Any], batch: int, tokens: int) -> bytes:
    """A model of opset 20 with inputs `ids`, `keep` and `types` and the output `hidden`."""
    m = Model(weights)
    for name, dtype in (("ids", np.int32), ("keep", np.bool_), ("types", np.int32)):
        m.input(name, (batch, tokens), dtype)
    words = m.node("Gather", m.weight("embeddings.word_embeddings.weight"), "ids")
    types = m.node("Gather", m.weight("embeddings.token_type_embeddings.weight"), "types")
    places = m.constant(weights["embeddings.position_embeddings.weight"][:tokens])
    x = _norm(m, m.node("Add", m.node("Add", words, types), places), "embeddings.LayerNorm")
    visible = m.node("Unsqueeze", "keep", m.sizes(1, 2))
    heads, packed = m.sizes(batch, tokens, HEADS, HEAD_DIM), m.sizes(batch, tokens, HIDDEN)
    scale, lowest = m.constant(np.float32(HEAD_DIM**-0.5)), m.constant(np.float32(LOWEST))
    for index in range(LAYERS):
        name = f"encoder.layer.{index}"
        query, key, value = (
            m.node("Reshape", _linear(m, x, f"{name}.attention.self.{part}"), heads)
            for part in ("query", "key", "value")
        )
        query, value = (m.node("Transpose", part, perm=[0, 2, 1, 3]) for part in (query, value))
        scores = m.node("Mul", m.node("MatMul", query, m.node("Transpose", key, perm=[0, 2, 3, 1])), scale)
        probabilities = m.node("Softmax", m.node("Where", visible, scores, lowest), axis=-1)
        attended = m.node("Transpose", m.node("MatMul", probabilities, value), perm=[0, 2, 1, 3])
        output = _linear(m, m.node("Reshape", attended, packed), f"{name}.attention.output.dense")
        x = _norm(m, m.node("Add", output, x), f"{name}.attention.output.LayerNorm")
        inner = m.node("Gelu", _linear(m, x, f"{name}.intermediate.dense"))
        x = _norm(m, m.node("Add", _linear(m, inner, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")
    return m.bytes(hidden=(x, (batch, tokens, HIDDEN)))


def _linear(m: Model, x: str, name: str) -> str:
    weight = m.constant(np.ascontiguousarray(m.weights[f"{name}.weight"].T), f"{name}.weight")
    return m.node("Add", m.node("MatMul", x, weight), m.weight(f"{name}.bias"))


def _norm(m: Model, x: str, name: str) -> str:
    gain, shift = m.weight(f"{name}.weight"), m.weight(f"{name}.bias")
    return m.node("LayerNormalization", x, gain, shift, axis=-1, epsilon=EPSILON)
