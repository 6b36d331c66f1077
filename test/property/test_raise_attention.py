"""Attention in random spellings becomes one attention of the same values."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import context, random_inputs
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import BinaryKind, CompareKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import AttentionOp
from rlx_dialect.reference import Array, run
from rlx_dialect.signature import find_function
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.registry.composite import flatten

BATCH, QUERIES, KEYS, WIDTH = 2, 3, 5, 4
LOWEST = float(np.finfo(np.float32).min)

MASKS = (
    "none",
    "zero",
    "keys",
    "keys_added",
    "causal",
    "causal_added",
    "condition",
    "bias",
    "bias_and_keys",
    "keys_and_causal",
)


@dataclass(frozen=True)
class Spelling:
    """One way to write attention."""

    layout: str
    """How the arguments lie: `bhsd`, `bshd`, or packed as `bsm`."""
    kv_heads: int
    scale: str
    """Where the scale is: on `scores`, `query`, `key`, `both`, or nowhere."""
    divided: bool
    softcap: bool
    mask: str
    hidden: float
    """What hidden scores become."""
    softmax: str
    """`op`, written `out`, or written out with `full` broadcasts."""
    zeroed: bool
    einsum: bool
    merged: bool


SPELLINGS = st.builds(
    Spelling,
    layout=st.sampled_from(("bhsd", "bshd", "bsm")),
    kv_heads=st.sampled_from((4, 2)),
    scale=st.sampled_from(("scores", "query", "key", "both", "none")),
    divided=st.booleans(),
    softcap=st.booleans(),
    mask=st.sampled_from(MASKS),
    hidden=st.sampled_from((-np.inf, LOWEST)),
    softmax=st.sampled_from(("op", "out", "full")),
    zeroed=st.booleans(),
    einsum=st.booleans(),
    merged=st.booleans(),
)


class Writer:
    """Writes one spelling."""

    def __init__(self, spelling: Spelling):
        self.how = spelling
        self.g = Graph()

    def side(self, name: str, heads: int, length: int) -> Tensor:
        """`[b, h, s, d]`"""
        g, layout = self.g, self.how.layout
        if layout == "bhsd":
            return g.input(name, (BATCH, heads, length, WIDTH))
        if layout == "bshd":
            return g.transpose(g.input(name, (BATCH, length, heads, WIDTH)), (0, 2, 1, 3))
        packed = g.input(name, (BATCH, length, heads * WIDTH))
        return g.transpose(g.reshape(packed, (BATCH, length, heads, WIDTH)), (0, 2, 1, 3))

    def repeated(self, x: Tensor) -> Tensor:
        heads = self.how.kv_heads
        if heads == 4:
            return x
        split = self.g.reshape(x, (BATCH, heads, 1, KEYS, WIDTH))
        return self.g.reshape(self.g.expand(split, (BATCH, heads, 4 // heads, KEYS, WIDTH)), (BATCH, 4, KEYS, WIDTH))

    def scaled(self, x: Tensor, places: tuple[str, ...]) -> Tensor:
        if self.how.scale not in places:
            return x
        factor = WIDTH**-0.25 if self.how.scale == "both" else WIDTH**-0.5
        return x / (1 / factor) if self.how.divided else x * factor

    def hide(self, scores: Tensor, shown: Tensor) -> Tensor:
        return self.g.where(shown, scores, self.how.hidden)

    def masked(self, s: Tensor) -> Tensor:
        g, mask, hidden = self.g, self.how.mask, self.how.hidden
        keys = g.input("keys", (BATCH, KEYS), "i1")
        row = g.reshape(keys, (BATCH, 1, 1, KEYS))
        bias = g.input("bias", (4, QUERIES, KEYS))
        triangle = np.tril(np.ones((QUERIES, KEYS)), 1) > 0
        match mask:
            case "zero":
                return s + 0.0
            case "keys":
                return self.hide(s, row)
            case "keys_added":
                return s + g.where(row, g.full((), 0.0), hidden)
            case "causal":
                return self.hide(s, g.constant(triangle))
            case "causal_added":
                return s + g.constant(np.where(triangle, 0, hidden).astype(np.float32))
            case "condition":
                return self.hide(s, g.compare(CompareKind.GT, bias, 0.0))
            case "bias":
                return bias + s
            case "bias_and_keys":
                return g.where(row, s + bias, -np.inf)
            case "keys_and_causal":
                return self.hide(self.hide(s, row), g.constant(triangle))
            case _:
                return s

    def softmax(self, s: Tensor) -> Tensor:
        g, full = self.g, s.shape
        if self.how.softmax == "op":
            return g.softmax(s)

        def spread(x: Tensor) -> Tensor:
            kept = g.reshape(x, (*full[:-1], 1))
            return g.expand(kept, full) if self.how.softmax == "full" else kept

        powers = g.exp(s - spread(g.maximum(-np.inf, g.reduce(ReduceKind.MAX, s, (3,)))))
        return powers / spread(g.sum(powers, (3,)))

    def program(self) -> None:
        g, how = self.g, self.how
        q, k, v = self.side("q", 4, QUERIES), self.side("k", how.kv_heads, KEYS), self.side("v", how.kv_heads, KEYS)
        k, v = self.repeated(k), self.repeated(v)
        q, k = self.scaled(q, ("query", "both")), self.scaled(k, ("key", "both"))
        s = self.scaled(q @ g.transpose(k, (0, 1, 3, 2)), ("scores",))
        if how.softcap:
            s = 5.0 * g.tanh(s / 5.0)
        p = self.softmax(self.masked(s))
        if how.zeroed:
            p = g.where(g.compare(CompareKind.NE, p, p), 0.0, p)
        if how.einsum:
            y = g.transpose(g.transpose(v, (0, 1, 3, 2)) @ g.transpose(p, (0, 1, 3, 2)), (0, 1, 3, 2))
        else:
            y = p @ v
        if how.merged:
            y = g.reshape(g.transpose(y, (0, 2, 1, 3)), (BATCH, QUERIES, 4 * WIDTH))
        g.output("y", g.binary(BinaryKind.ADD, y, 1.0))


def inputs(module: ModuleOp) -> dict[str, Array]:
    """Random values; one sentence of the batch has no key that may be seen."""
    keys = np.array([[True, False, True, True, False], [False] * KEYS])
    return random_inputs(find_function(module)) | {"keys": keys}


@settings(max_examples=60)
@given(SPELLINGS)
def test_one_attention_of_the_same_values(spelling: Spelling):
    writer = Writer(spelling)
    writer.program()
    before = writer.g.module()
    after = before.clone()
    for pass_ in flatten((RaisePass(),)):
        pass_.apply(context(), after)
        after.verify()
    found = [op for op in after.walk() if isinstance(op, AttentionOp)]
    assert len(found) == 1
    assert found[0].config.kv_heads == spelling.kv_heads
    arguments = inputs(before)
    wanted, got = run(before, None, arguments)["y"], run(after, None, arguments)["y"]
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5, equal_nan=True)
