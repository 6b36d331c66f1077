"""MiniLM's hidden states by hand in f32 over an array library: NumPy, jax.numpy or torch, by a small table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

LAYERS, HEADS, HEAD_DIM, HIDDEN = 6, 12, 32, 384
EPSILON = 1e-12
LOWEST = -3.4028234663852886e38

Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]
Ternary = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class Library:
    """What the network needs beyond operators; `permute` moves axes."""

    gelu: Unary
    softmax: Unary
    layer_norm: Ternary
    permute: Binary
    where: Ternary


def hidden_states(lib: Library, w: Mapping[str, Any], ids: Any, keep: Any, types: Any) -> Any:
    """`[batch, tokens, 384]` for token ids, boolean mask and token types `[batch, tokens]`, by a checkpoint."""
    batch, tokens = ids.shape

    def linear(x: Any, name: str) -> Any:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        return lib.layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def split(x: Any) -> Any:
        return lib.permute(x.reshape(batch, tokens, HEADS, HEAD_DIM), (0, 2, 1, 3))

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][types]
    x = norm(x + w["embeddings.position_embeddings.weight"][:tokens], "embeddings.LayerNorm")
    visible = keep[:, None, None, :]
    for index in range(LAYERS):
        name = f"encoder.layer.{index}"
        query, key, value = (split(linear(x, f"{name}.attention.self.{part}")) for part in ("query", "key", "value"))
        scores = query @ lib.permute(key, (0, 1, 3, 2)) * HEAD_DIM**-0.5
        attended = lib.softmax(lib.where(visible, scores, LOWEST)) @ value
        merged = lib.permute(attended, (0, 2, 1, 3)).reshape(batch, tokens, HIDDEN)
        x = norm(linear(merged, f"{name}.attention.output.dense") + x, f"{name}.attention.output.LayerNorm")
        inner = lib.gelu(linear(x, f"{name}.intermediate.dense"))
        x = norm(linear(inner, f"{name}.output.dense") + x, f"{name}.output.LayerNorm")
    return x
