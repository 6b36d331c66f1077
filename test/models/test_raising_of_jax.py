"""What JAX makes of its own functions is found again, whatever its version writes for them."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import need_module, sampled

from rlx_dialect.ops import ActivationOp
from rlx_dialect.reference import Array, run
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import ConvertStableHLOToRLXPass
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.composite import flatten

HERE = Path(__file__).parent
RNG = np.random.default_rng(5)
MASK = np.arange(14).reshape(2, 1, 1, 7) % 3 > 0


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


X, W = (normal(4, 16),), (normal(4, 16), normal(16), normal(16))
QKV = (normal(2, 5, 4, 8), normal(2, 7, 4, 8), normal(2, 7, 4, 8))
SQUARE = (QKV[0], normal(2, 5, 4, 8), normal(2, 5, 4, 8))
GROUPED = (QKV[0], normal(2, 7, 2, 8), normal(2, 7, 2, 8))


class Functions:
    """Each function as a user of JAX writes it."""

    def __init__(self, jax: Any):
        self.jax, self.nn, self.numpy = jax, jax.nn, jax.numpy

    def gelu(self, x: Any) -> Any:
        return self.nn.gelu(x, approximate=False)

    def gelu_approx(self, x: Any) -> Any:
        return self.nn.gelu(x)

    def silu(self, x: Any) -> Any:
        return self.nn.silu(x)

    def sigmoid(self, x: Any) -> Any:
        return self.nn.sigmoid(x)

    def relu(self, x: Any) -> Any:
        return self.nn.relu(x)

    def softmax(self, x: Any) -> Any:
        return self.nn.softmax(x, axis=0)

    def layer_norm(self, x: Any, w: Any, b: Any) -> Any:
        root = self.numpy.sqrt(self.numpy.var(x, -1, keepdims=True) + 1e-5)
        return (x - x.mean(-1, keepdims=True)) / root * w + b

    def rms_norm(self, x: Any, w: Any, b: Any) -> Any:
        return x * self.jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * (1 + w) + b

    def hard_swish(self, x: Any) -> Any:
        return self.nn.hard_swish(x)

    def hard_sigmoid(self, x: Any) -> Any:
        return self.nn.hard_sigmoid(x)

    def relu6(self, x: Any) -> Any:
        return self.nn.relu6(x)

    def tanh(self, x: Any) -> Any:
        above, below = self.numpy.exp(x), self.numpy.exp(-x)
        return (above - below) / (above + below)

    def group_norm(self, x: Any, w: Any, b: Any) -> Any:
        groups = x.reshape(2, 2, -1)
        centred = groups - groups.mean(-1, keepdims=True)
        normed = centred * self.jax.lax.rsqrt(groups.var(-1, keepdims=True) + 1e-5)
        return normed.reshape(x.shape) * w[:, None, None] + b[:, None, None]

    def resized(self, x: Any) -> Any:
        return self.jax.image.resize(x, (2, 4, 12, 16), "nearest")

    def repeated(self, x: Any) -> Any:
        return self.numpy.repeat(self.numpy.repeat(x, 2, 2), 2, 3)

    def rope_of_halves(self, x: Any, cos: Any, sin: Any) -> Any:
        i, j = self.numpy.split(x, 2, -1)
        return self.numpy.concatenate([i * cos - j * sin, j * cos + i * sin], -1)

    def rope_of_neighbours(self, x: Any, cos: Any, sin: Any) -> Any:
        i, j = x[..., ::2], x[..., 1::2]
        return self.numpy.stack([i * cos - j * sin, j * cos + i * sin], -1).reshape(x.shape)

    def rope_of_complex_numbers(self, x: Any, cos: Any, sin: Any) -> Any:
        turned = self.jax.lax.complex(x[..., ::2], x[..., 1::2]) * self.jax.lax.complex(cos, sin)
        return self.numpy.stack([turned.real, turned.imag], -1).reshape(x.shape)

    def rope_computed(self, x: Any) -> Any:
        places = self.numpy.arange(x.shape[2])
        angles = self.numpy.outer(places, 1 / 10000 ** (self.numpy.arange(0, 8, 2) / 8))
        return self.rope_of_halves(x, self.numpy.cos(angles), self.numpy.sin(angles))

    def rope_rolled(self, x: Any, cos: Any, sin: Any) -> Any:
        signs = self.numpy.where(self.numpy.arange(8) < 4, -1.0, 1.0)
        return x * cos + self.numpy.roll(x, 4, -1) * signs * sin

    def einsum(self, q: Any, k: Any, v: Any) -> Any:
        scores = self.numpy.einsum("bqhd,bkhd->bhqk", q / np.float32(8**0.5), k)
        return self.numpy.einsum("bhqk,bkhd->bqhd", self.nn.softmax(scores), v)

    def grouped_einsum(self, q: Any, k: Any, v: Any) -> Any:
        scores = self.numpy.einsum("btkgd,bskd->bkgts", q.reshape(2, 5, 2, 2, 8), k) / np.float32(8**0.5)
        return self.numpy.einsum("bkgts,bskd->btkgd", self.nn.softmax(scores), v).reshape(2, 5, 32)

    def sdpa(self, q: Any, k: Any, v: Any) -> Any:
        return self.nn.dot_product_attention(q, k, v)

    def sdpa_masked(self, q: Any, k: Any, v: Any) -> Any:
        return self.nn.dot_product_attention(q, k, v, mask=MASK)

    def sdpa_causal(self, q: Any, k: Any, v: Any) -> Any:
        return self.nn.dot_product_attention(q, k, v, is_causal=True)


HEADS = normal(2, 4, 6, 8)

CASES: dict[str, tuple[str, tuple[Array, ...], str]] = {
    **{name: (name, X, name) for name in ("gelu", "gelu_approx", "silu", "sigmoid", "relu", "softmax")},
    **{name: (name, W, name) for name in ("layer_norm", "rms_norm")},
    **{name: (name, X, name) for name in ("hard_swish", "hard_sigmoid", "tanh")},
    "relu6": ("relu6", X, "clamp"),
    "group_norm": ("group_norm", (HEADS, normal(4), normal(4)), "group_norm"),
    **{name: (name, (HEADS,), "resize_nearest2x") for name in ("resized", "repeated")},
    **{
        name: (name, (HEADS, normal(6, 4), normal(6, 4)), "rope")
        for name in ("rope_of_halves", "rope_of_neighbours", "rope_of_complex_numbers")
    },
    "rope_computed": ("rope_computed", (HEADS,), "rope"),
    "rope_rolled": ("rope_rolled", (HEADS, normal(6, 8), normal(6, 8)), "rope"),
    "einsum": ("einsum", QKV, "attention"),
    "grouped_einsum": ("grouped_einsum", GROUPED, "attention"),
    "sdpa": ("sdpa", QKV, "attention"),
    "sdpa_grouped": ("sdpa", GROUPED, "attention"),
    "sdpa_masked": ("sdpa_masked", QKV, "attention"),
    "sdpa_causal": ("sdpa_causal", SQUARE, "attention"),
}
"""The function, its arguments, and the one op that raising finds."""

FORMS = {wanted for _, _, wanted in CASES.values()} | {"matmul", "dot_general", "gather", "concat"}


@sampled(4)
@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
@pytest.mark.parametrize("name", CASES)
def test_one_op_of_the_same_values(name: str, generic: bool):
    need_module("jax")
    jax: Any = importlib.import_module("jax")
    method, arguments, wanted = CASES[name]
    function: Any = getattr(Functions(jax), method)
    lowered = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
    module = parse_module(tool_context(), lowered.operation.get_asm(print_generic_op_form=generic), name)
    for pass_ in (ConvertStableHLOToRLXPass(), *flatten((RaisePass(),))):
        pass_.apply(tool_context(), module)
        module.verify()

    names = (op.kind.data if isinstance(op, ActivationOp) else op.name.removeprefix("rlx.") for op in module.walk())
    assert dict(Counter(found for found in names if found in FORMS)) == {wanted: 1}
    (got,) = run(module, None, arguments).values()
    np.testing.assert_allclose(got, function(*arguments), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("form", ["", ".generic"], ids=["pretty", "generic"])
def test_spectra_and_their_greatest_bin(form: str):
    """The power of a spectrum is the norm of its numbers, not root and square; the greatest bin is an op with index."""
    module = parse_module(tool_context(), (HERE / f"welch_peak{form}.mlir").read_text(), "welch_peak")
    for pass_ in (ConvertStableHLOToRLXPass(), *flatten((RaisePass(),))):
        pass_.apply(tool_context(), module)
        module.verify()
    found = Counter(op.name for op in module.walk())
    assert not [name for name in found if name.startswith(("stablehlo.", "chlo."))]
    wanted = {"rlx.rfft": 1, "rlx.complex_norm_sq": 1, "rlx.arg_reduce": 1, "rlx.activation": 0}
    assert {name: found[name] for name in wanted} == wanted

    with np.load(HERE / "welch_peak.npz") as recorded:
        arguments = [recorded[f"arg_{i}"] for i in range(2)]
        outputs = [recorded[f"out_{i}"] for i in range(3)]
    for got, expected in zip(run(module, None, arguments).values(), outputs, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
