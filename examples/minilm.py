"""
all-MiniLM-L6-v2, the sentence encoder, written with the Graph builder.

    python examples/minilm.py > examples/minilm.mlir            # the program, four sentences of 32 tokens
    python examples/minilm.py --batch 1 --tokens 128            # another size

Param names are the keys of the model's safetensors file. Inputs are token ids, the attention mask (1 for a token, 0 for
padding) and token type ids, all i32 `[batch, tokens]`; outputs are hidden states and the normalised sentence embedding.
"""

import argparse
import sys

from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import CompareKind
from rlx_dialect.builder import Graph, Tensor

LAYERS, HIDDEN, HEADS, INTERMEDIATE = 6, 384, 12, 1536
HEAD_DIM = HIDDEN // HEADS
VOCABULARY, POSITIONS, TOKEN_TYPES = 30522, 512, 2
EPSILON = 1e-12
LOWEST = -3.4028234663852886e38
"""The most negative finite f32: what hidden scores are replaced by."""


class MiniLM:
    """The network's blocks; each appends to one graph and names its params below a prefix."""

    def __init__(self, batch: int, tokens: int):
        self.graph = Graph("main")
        self.batch, self.tokens = batch, tokens

    def linear(self, x: Tensor, name: str, inputs: int, outputs: int) -> Tensor:
        """`x @ weight^T + bias`; checkpoints store the weight as `[outputs, inputs]`."""
        weight = self.graph.param(f"{name}.weight", (outputs, inputs))
        bias = self.graph.param(f"{name}.bias", (outputs,))
        return x @ self.graph.transpose(weight, (1, 0)) + bias

    def norm(self, x: Tensor, name: str) -> Tensor:
        gamma = self.graph.param(f"{name}.weight", (HIDDEN,))
        beta = self.graph.param(f"{name}.bias", (HIDDEN,))
        return self.graph.layer_norm(x, gamma, beta, EPSILON)

    def embed(self, ids: Tensor, types: Tensor) -> Tensor:
        """The sum of what a token, its place and its type stand for, normalised."""
        g = self.graph
        words = g.param("embeddings.word_embeddings.weight", (VOCABULARY, HIDDEN))
        places = g.param("embeddings.position_embeddings.weight", (POSITIONS, HIDDEN))
        kinds = g.param("embeddings.token_type_embeddings.weight", (TOKEN_TYPES, HIDDEN))
        total = g.gather(words, ids) + g.gather(kinds, types) + g.narrow(places, 0, 0, self.tokens)
        return self.norm(total, "embeddings.LayerNorm")

    def split_heads(self, x: Tensor) -> Tensor:
        """`[batch, heads, tokens, head_dim]`"""
        split = self.graph.reshape(x, (self.batch, self.tokens, HEADS, HEAD_DIM))
        return self.graph.transpose(split, (0, 2, 1, 3))

    def attention(self, x: Tensor, keep: Tensor, name: str) -> Tensor:
        """`keep` is i1 `[batch, 1, 1, tokens]`: the keys that may be seen."""
        g = self.graph
        query, key, value = (
            self.split_heads(self.linear(x, f"{name}.self.{part}", HIDDEN, HIDDEN))
            for part in ("query", "key", "value")
        )
        scores = query @ g.transpose(key, (0, 1, 3, 2)) * HEAD_DIM**-0.5
        weights = g.softmax(g.where(keep, scores, LOWEST))
        merged = g.reshape(g.transpose(weights @ value, (0, 2, 1, 3)), (self.batch, self.tokens, HIDDEN))
        return self.norm(self.linear(merged, f"{name}.output.dense", HIDDEN, HIDDEN) + x, f"{name}.output.LayerNorm")

    def layer(self, x: Tensor, keep: Tensor, name: str) -> Tensor:
        attended = self.attention(x, keep, f"{name}.attention")
        inner = self.graph.gelu(self.linear(attended, f"{name}.intermediate.dense", HIDDEN, INTERMEDIATE))
        outer = self.linear(inner, f"{name}.output.dense", INTERMEDIATE, HIDDEN)
        return self.norm(outer + attended, f"{name}.output.LayerNorm")

    def pool(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """The mean over the tokens of a sentence, scaled to length 1."""
        g = self.graph
        weight = g.reshape(g.cast(mask, "f32"), (self.batch, self.tokens, 1))
        mean = g.sum(hidden * weight, (1,)) / g.maximum(g.sum(weight, (1,)), 1e-9)
        length = g.sqrt(g.sum(mean * mean, (1,), keep_dims=True))
        return mean / g.maximum(length, 1e-12)

    def build(self) -> ModuleOp:
        g, size = self.graph, (self.batch, self.tokens)
        ids = g.input("input_ids", size, "i32")
        mask = g.input("attention_mask", size, "i32")
        types = g.input("token_type_ids", size, "i32")
        keep = g.reshape(g.compare(CompareKind.NE, mask, 0), (self.batch, 1, 1, self.tokens))
        hidden = self.embed(ids, types)
        for index in range(LAYERS):
            hidden = self.layer(hidden, keep, f"encoder.layer.{index}")
        g.output("last_hidden_state", hidden)
        g.output("embedding", self.pool(hidden, mask))
        return g.module()


def minilm(batch: int = 4, tokens: int = 32) -> ModuleOp:
    """The program for `batch` sentences of `tokens` tokens each; at most 512 tokens."""
    return MiniLM(batch, tokens).build()


def main() -> None:
    parser = argparse.ArgumentParser(description="Print all-MiniLM-L6-v2 as an RLX program.")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=32)
    args = parser.parse_args()
    if not (args.batch > 0 and 0 < args.tokens <= POSITIONS):
        parser.error(f"batch must be positive and tokens between 1 and {POSITIONS}")
    sys.stdout.write(str(minilm(args.batch, args.tokens)) + "\n")


if __name__ == "__main__":
    main()
