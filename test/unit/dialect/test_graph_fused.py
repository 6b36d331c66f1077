"""The builder's methods for fused ops make what their plain form computes."""

from collections.abc import Callable

import numpy as np
import pytest

from rlx_dialect.attributes import Activation, AdaNormKind, AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.graph.fused import LayerTensors
from rlx_dialect.ops import AttentionConfig
from rlx_dialect.reference import run
from rlx_dialect.shapes import ShapeError

CONFIG = AttentionConfig.make(2, 4, causal_offset=0, masked_rows=MaskedRows.ZERO)


class Operands:
    """Arguments of the shapes that the programs below use, made when first asked for."""

    def __init__(self, g: Graph):
        self.g = g
        self.made: dict[str, Tensor] = {}

    def __call__(self, name: str, *shape: int, dtype: str = "f32") -> Tensor:
        if name not in self.made:
            self.made[name] = self.g.input(name, shape, dtype)
        return self.made[name]


Pair = tuple[Tensor, Tensor]


def matmul_bias_act(g: Graph, o: Operands) -> Pair:
    x, w, b = o("x", 2, 3, 8), o("w", 8, 8), o("b", 8)
    return g.fused_matmul_bias_act(x, w, b, Activation.RELU), g.relu(x @ w + b)


def matmul_residual(g: Graph, o: Operands) -> Pair:
    x, w, r = o("x", 2, 3, 8), o("w", 8, 8), o("r", 2, 3, 8)
    return g.fused_matmul_residual(x, w, r), x @ w + r


def swiglu(g: Graph, o: Operands) -> Pair:
    x = o("x", 2, 3, 8)
    gate, up = g.narrow(x, 2, 0, 4), g.narrow(x, 2, 4, 4)
    return g.fused_swiglu(x, gate_first=True, cast_to="f64"), g.cast(up * g.silu(gate), "f64")


def lora(g: Graph, o: Operands) -> Pair:
    x, w, a, b = o("x", 2, 3, 8), o("w", 8, 8), o("down", 8, 2), o("up", 2, 8)
    return g.lora_matmul(x, w, a, b, 0.5), x @ w + (x @ a @ b) * 0.5


def residual_ln(g: Graph, o: Operands) -> Pair:
    x, r, gamma, beta = o("x", 2, 3, 8), o("r", 2, 3, 8), o("g", 8), o("b", 8)
    return g.fused_residual_ln(x, r, gamma, beta, 1e-3, bias=beta), g.layer_norm(x + r + beta, gamma, beta, 1e-3)


def residual_rms_norm(g: Graph, o: Operands) -> Pair:
    x, r, gamma, beta = o("x", 2, 3, 8), o("r", 2, 3, 8), o("g", 8), o("b", 8)
    return g.fused_residual_rms_norm(x, r, gamma, beta, 1e-3), g.rms_norm(x + r, gamma, beta, 1e-3)


def ada(g: Graph, o: Operands) -> Pair:
    x, scale, shift = o("x", 2, 3, 8), o("scale", 2, 1, 8), o("shift", 8)
    n = g.rms_norm(x, g.full((8,), 1), g.zeros((8,)), 1e-3)
    return g.ada_layer_norm(x, scale, shift, 1e-3, AdaNormKind.RMS_NORM), n * (scale + 1) + shift


def gated(g: Graph, o: Operands) -> Pair:
    x, y, gate = o("x", 2, 3, 8), o("y", 2, 3, 8), o("gate", 2, 1, 8)
    return g.gated_residual(x, y, gate), x + gate * y


def grouped(g: Graph, o: Operands) -> Pair:
    x, w = o("x", 2, 3, 8), o("w", 8, 8)
    stacked = g.reshape(g.concat([w, w * 2], 0), (2, 8, 8))
    chosen = g.constant(np.array([[0, 1, 0], [1, 1, 0]], np.int32))
    return g.grouped_matmul(x, stacked, chosen), (x @ w) * (g.reshape(g.cast(chosen, "f32"), (2, 3, 1)) + 1)


def plain_block(g: Graph, o: Operands) -> Tensor:
    x, m = o("x", 2, 3, 8), o("m", 2, 3, dtype="i1")
    packed = x @ o("qkv", 8, 24) + o("qkv_b", 24)
    query, key, value = (g.narrow(packed, 2, start, 8) for start in (0, 8, 16))
    attended = g.attention(query, key, value, CONFIG, layout=AttentionLayout.BSM, mask=m, mask_kind=MaskKind.KEYS)
    return attended @ o("w", 8, 8) + o("b", 8)


def block(g: Graph, o: Operands) -> Pair:
    plain = plain_block(g, o)
    fused = g.fused_attention_block(
        *(o("x"), o("qkv"), o("w"), CONFIG), qkv_b=o("qkv_b"), out_b=o("b"), mask=o("m"), mask_kind=MaskKind.KEYS
    )
    return fused, plain


def layer(g: Graph, o: Operands) -> Pair:
    x, gamma = o("x", 2, 3, 8), o("g", 8)
    h = g.layer_norm(plain_block(g, o) + x, gamma, o("b"), 1e-3)
    up, up_b, down = o("fc1", 8, 24), o("fc1_b", 24), o("fc2", 24, 8)
    plain = g.layer_norm(g.silu(h @ up + up_b) @ down + gamma + h, o("b"), gamma, 1e-2)
    weights = LayerTensors(
        *(o("qkv"), o("w"), gamma, up, down, o("b")), *(o("qkv_b"), o("b"), o("b"), up_b, gamma, gamma)
    )
    fused = g.fused_transformer_layer(
        *(x, weights, CONFIG),
        activation=Activation.SILU,
        epsilon1=1e-3,
        epsilon2=1e-2,
        mask=o("m"),
        mask_kind=MaskKind.KEYS,
    )
    return fused, plain


PROGRAMS: tuple[Callable[[Graph, Operands], Pair], ...] = (
    *(
        matmul_bias_act,
        matmul_residual,
        swiglu,
        lora,
        residual_ln,
        residual_rms_norm,
        ada,
        gated,
        grouped,
        block,
        layer,
    ),
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_fused_is_plain(program: Callable[[Graph, Operands], Pair]):
    g = Graph("f")
    operands = Operands(g)
    fused, plain = program(g, operands)
    g.output("fused", fused)
    g.output("plain", plain)
    rng = np.random.default_rng(1)
    inputs = {
        name: rng.random(tensor.shape) < 0.6
        if tensor.dtype == "i1"
        else rng.standard_normal(tensor.shape).astype(np.float32)
        for name, tensor in operands.made.items()
    }
    results = run(g.module(), "f", inputs)
    np.testing.assert_allclose(results["fused"], results["plain"], rtol=5e-6, atol=5e-6)


def test_an_unknown_dtype_is_named():
    g = Graph()
    with pytest.raises(ValueError, match=r"dtype must be one of f32, .*, got 'f8'"):
        g.fused_swiglu(g.input("x", (2, 4)), cast_to="f8")


def test_biases_of_a_layer_come_together():
    g = Graph()
    o = Operands(g)
    v, w = o("v", 8), o("w", 8, 8)
    weights = LayerTensors(o("qkv", 8, 24), w, v, w, w, v, fc1_b=v)
    with pytest.raises(ShapeError, match="all biases must come together, qkv_b, out_b, ln1_b, fc2_b, ln2_b missing"):
        g.fused_transformer_layer(o("x", 2, 3, 8), weights, CONFIG)


def test_swiglu_ffn():
    g = Graph("f")
    o = Operands(g)
    g.output("y", g.swiglu_ffn(o("x", 2, 3, 4), o("up", 4, 6), o("gate", 4, 6), o("down", 6, 4)))
    rng = np.random.default_rng(1)
    x, up, gate, down = (rng.standard_normal(dims).astype(np.float32) for dims in ((2, 3, 4), (4, 6), (4, 6), (6, 4)))
    opened = x @ gate
    expected = ((x @ up) * opened / (1 + np.exp(-opened))) @ down
    np.testing.assert_allclose(run(g.module(), "f", [x, up, gate, down])["y"], expected, rtol=1e-4, atol=1e-5)
