"""Faults of other tools with norms and attention, by row, from StableHLO and ONNX text: imported, raised, fused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from fault_programs import WRITTEN, Program, attention, jax, jnp, kinds, normal, outputs

from rlx_dialect.attributes import MaskedRows, MaskKind
from rlx_dialect.ops import AttentionOp, FusedResidualLNOp, LayerNormOp
from rlx_passes.rewriting.miss import Reason

NOT_FROM_TEXT = {
    "k16": "the sums of a narrow norm are a matter of its lowering; from StableHLO text it is a test beside",
    "k20": "what is unfused is a fused op, which neither text can hold",
    "k58": "four norms of a whole model, which is among the models",
}
"""Rows of these chapters that have no program of their own here, and why."""


# Norms


def layer_norm(x: Any, axis: int = -1, epsilon: float = 1e-5) -> Any:
    centred = x - jnp.mean(x, axis, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(centred * centred, axis, keepdims=True) + epsilon)


def layer_norm_nodes(x: str, result: str, axis: int = -1, epsilon: str = "1e-5") -> str:
    return f"""
    {result}m = ReduceMean <axes = [{axis}], keepdims = 1> ({x})
    {result}c = Sub ({x}, {result}m)
    {result}q = Mul ({result}c, {result}c)
    {result}v = ReduceMean <axes = [{axis}], keepdims = 1> ({result}q)
    {result}e = Constant <value = float {{{epsilon}}}> ()
    {result}t = Add ({result}v, {result}e)
    {result}r = Sqrt ({result}t)
    {result} = Div ({result}c, {result}r)
    """


@WRITTEN
def test_k13_two_kinds_of_gelu_stay_two(written: str):
    def program(x: Any, v: Any, w: Any) -> Any:
        return jax.nn.gelu(x @ v, approximate=False) - jax.nn.gelu(x @ w, approximate=True)

    nodes = """
    a = MatMul (x, v)
    half = Constant <value = float {0.5}> ()
    one = Constant <value = float {1.0}> ()
    root = Constant <value = float {0.70710678}> ()
    a1 = Mul (a, root)
    a2 = Erf (a1)
    a3 = Add (a2, one)
    a4 = Mul (a, half)
    a5 = Mul (a4, a3)
    b = MatMul (x, w)
    cubic = Constant <value = float {0.044715}> ()
    slope = Constant <value = float {0.79788456}> ()
    b1 = Mul (b, b)
    b2 = Mul (b1, b)
    b3 = Mul (b2, cubic)
    b4 = Add (b, b3)
    b5 = Mul (b4, slope)
    b6 = Tanh (b5)
    b7 = Add (b6, one)
    b8 = Mul (b, half)
    b9 = Mul (b8, b7)
    y = Sub (a5, b9)
    """
    module, _ = Program(program, nodes, {"x": normal(4, 8), "v": normal(8, 8), "w": normal(8, 8)}).fused(written)
    assert [len(re.findall(rf"\b{kind}\b", str(module))) for kind in ("gelu", "gelu_approx")] == [1, 1]


@WRITTEN
def test_k17_infinities_are_kept_and_no_constant_is_made_narrower(written: str):
    """-1e12 is -inf in f16 once it is cast, after the sum; what is shown keeps its value."""

    def program(x: Any, keep: Any) -> Any:
        total = jnp.minimum(x, jnp.inf) + jnp.where(keep, 0.0, -1e12)
        return jnp.maximum(total.astype("float16").astype("float32"), -1e30)

    nodes = """
    high = Constant <value = float {inf}> ()
    zero = Constant <value = float {0.0}> ()
    low = Constant <value = float {-1e12}> ()
    floor = Constant <value = float {-1e30}> ()
    a = Min (x, high)
    h = Where (keep, zero, low)
    t = Add (a, h)
    n = Cast <to = 10> (t)
    w = Cast <to = 1> (n)
    y = Max (w, floor)
    """
    x, keep = normal(2, 6), np.arange(12).reshape(2, 6) % 3 != 0
    module, _ = Program(program, nodes, {"x": x, "keep": keep}).fused(written)
    (got,) = outputs(module, {"x": x, "keep": keep})
    np.testing.assert_array_equal(got, np.where(keep, x.astype(np.float16), np.float32(-1e30)).astype(np.float32))


NORMED = {"x": normal(2, 4, 16), "r": normal(2, 4, 16), "w": normal(16), "b": normal(16)}


@WRITTEN
@pytest.mark.parametrize("swapped", [False, True])
def test_k18_the_sum_that_is_returned_is_the_second_result(written: str, swapped: bool):
    def program(x: Any, r: Any, w: Any, b: Any) -> Any:
        s = r + x if swapped else x + r
        return layer_norm(s) * w + b, s

    nodes = f"s = Add ({'r, x' if swapped else 'x, r'})" + layer_norm_nodes("s", "n") + "g = Mul (n, w)\ny = Add (g, b)"
    module, _ = Program(program, nodes, NORMED, ("y", "s")).fused(written)
    (norm,) = (op for op in module.walk() if isinstance(op, FusedResidualLNOp))
    assert norm.sum is not None
    assert norm.sum.uses.get_length() == 1


@WRITTEN
def test_k19_a_gain_of_rank_three_is_taken_as_a_row(written: str):
    def program(x: Any, w: Any, b: Any) -> Any:
        return layer_norm(x) * w + b

    nodes = layer_norm_nodes("x", "n") + "g = Mul (n, w)\ny = Add (g, b)"
    arrays = {"x": NORMED["x"], "w": normal(1, 1, 16), "b": NORMED["b"]}
    module, _ = Program(program, nodes, arrays).fused(written)
    assert kinds(module)["layer_norm"] == 1


@WRITTEN
def test_k21_a_norm_along_another_axis_stays(written: str):
    def program(x: Any, w: Any) -> Any:
        return layer_norm(x, 1) * w

    nodes = layer_norm_nodes("x", "n", 1) + "y = Mul (n, w)"
    module, reasons = Program(program, nodes, {"x": normal(2, 8, 16), "w": normal(8, 1)}).fused(written)
    assert not {"layer_norm", "rms_norm", "group_norm", "fused_residual_ln"} & kinds(module).keys()
    assert Reason.AXIS in reasons


@WRITTEN
def test_k22_without_an_epsilon_it_is_zero(written: str):
    """From ONNX a norm without attributes: the axis is the last one and the epsilon 1e-5 there."""

    def program(x: Any, w: Any, b: Any) -> Any:
        centred = x - jnp.mean(x, -1, keepdims=True)
        return centred / jnp.sqrt(jnp.mean(centred * centred, -1, keepdims=True)) * w + b

    arrays = {name: NORMED[name] for name in "xwb"}
    module, _ = Program(program, "y = LayerNormalization (x, w, b)", arrays).fused(written)
    (norm,) = (op for op in module.walk() if isinstance(op, LayerNormOp))
    assert norm.epsilon.value.data == (1e-5 if written == "onnx" else 0.0)


@WRITTEN
def test_k23_an_rms_norm_keeps_the_mean(written: str):
    def program(x: Any, w: Any) -> Any:
        return x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * w

    nodes = """
    q = Mul (x, x)
    m = ReduceMean <axes = [-1], keepdims = 1> (q)
    e = Constant <value = float {1e-6}> ()
    t = Add (m, e)
    r = Sqrt (t)
    n = Div (x, r)
    y = Mul (n, w)
    """
    module, _ = Program(program, nodes, {"x": normal(4, 16) + np.float32(3), "w": NORMED["w"]}).fused(written)
    assert (kinds(module)["rms_norm"], kinds(module)["layer_norm"]) == (1, 0)


@WRITTEN
def test_k57_a_residual_that_stretches_is_no_residual(written: str):
    def program(x: Any, r: Any, w: Any, b: Any) -> Any:
        return layer_norm(x + r) * w + b

    nodes = "s = Add (x, r)" + layer_norm_nodes("s", "n") + "g = Mul (n, w)\ny = Add (g, b)"
    module, reasons = Program(program, nodes, {**NORMED, "r": normal(16)}).fused(written)
    assert (kinds(module)["layer_norm"], kinds(module)["fused_residual_ln"]) == (1, 0)
    assert Reason.RESIDUAL_BROADCASTS in reasons


# Attention

QKV = {"q": normal(2, 4, 6, 8), "k": normal(2, 4, 6, 8), "v": normal(2, 4, 6, 8)}
SCALE = "scale = Constant <value = float {0.35355338}> ()\n"
SCORES = f"{SCALE}kt = Transpose <perm = [0, 1, 3, 2]> (k)\nm = MatMul (q, kt)\nd = Mul (m, scale)\n"
WEIGHTED = "p = Softmax <axis = -1> (c)\ny = MatMul (p, v)\n"


def scores(q: Any, k: Any) -> Any:
    return q @ jnp.swapaxes(k, -1, -2) * 8**-0.5


@WRITTEN
def test_k24_a_padding_mask_is_not_causal(written: str):
    hidden = np.where(np.arange(6) < 4, 0, -1e9).astype(np.float32)

    def program(q: Any, k: Any, v: Any) -> Any:
        return jax.nn.softmax(scores(q, k) + hidden) @ v

    nodes = SCORES + "h = Constant <value = float[6] {0.0, 0.0, 0.0, 0.0, -1e9, -1e9}> ()\nc = Add (d, h)\n" + WEIGHTED
    module, _ = Program(program, nodes, QKV).fused(written)
    assert (attention(module).config.causal_offset, attention(module).masking) == (None, MaskKind.KEYS)


@WRITTEN
@pytest.mark.parametrize(("axes", "found"), [((1, 2, 3, 0), 0), ((0, 2, 3, 1), 1)])
def test_k25_keys_that_mix_the_batch_are_no_keys(written: str, axes: tuple[int, ...], found: int):
    """All sizes are 4, so that any permutation gives a product. The second one is that of keys that lie by place."""

    def program(q: Any, k: Any, v: Any) -> Any:
        return jax.nn.softmax(q @ jnp.transpose(k, axes)) @ v

    nodes = f"kt = Transpose <perm = {list(axes)}> (k)\nc = MatMul (q, kt)\n" + WEIGHTED
    module, reasons = Program(program, nodes, {name: normal(4, 4, 4, 4) for name in "qkv"}).fused(written)
    assert sum(isinstance(op, AttentionOp) for op in module.walk()) == found
    assert found or Reason.LAYOUT in reasons


SHOWN = np.arange(12).reshape(2, 1, 1, 6) % 3 != 1
SHOWN[1] = False


@WRITTEN
def test_k26_a_scale_on_both_sides_is_taken_once_and_nan_becomes_zero(written: str):
    def program(q: Any, k: Any, v: Any, keep: Any) -> Any:
        s = 8**-0.25
        p = jax.nn.softmax(jnp.where(keep, (q * s) @ jnp.swapaxes(k * s, -1, -2), -jnp.inf))
        return jnp.where(jnp.isnan(p), 0.0, p) @ v

    nodes = """
    s = Constant <value = float {0.59460354}> ()
    qs = Mul (q, s)
    ks = Mul (k, s)
    kt = Transpose <perm = [0, 1, 3, 2]> (ks)
    m = MatMul (qs, kt)
    low = Constant <value = float {-inf}> ()
    c = Where (keep, m, low)
    p = Softmax <axis = -1> (c)
    n = IsNaN (p)
    zero = Constant <value = float {0.0}> ()
    w = Where (n, zero, p)
    y = MatMul (w, v)
    """
    module, _ = Program(program, nodes, {**QKV, "keep": SHOWN}).fused(written)
    config = attention(module).config
    assert (config.scale, config.masked_rows) == (8**-0.5, MaskedRows.ZERO)


@WRITTEN
@pytest.mark.parametrize("tiled", [False, True])
def test_k27_only_heads_in_a_row_are_repeated_heads(written: str, tiled: bool):
    def program(q: Any, k: Any, v: Any) -> Any:
        k, v = (jnp.tile(x, (1, 2, 1, 1)) if tiled else jnp.repeat(x, 2, 1) for x in (k, v))
        return jax.nn.softmax(scores(q, k)) @ v

    repeats = "\n".join(
        f"""
        {x}1 = Unsqueeze ({x}, at)
        {x}2 = Expand ({x}1, wide)
        {x}r = Reshape ({x}2, joined)
        """
        for x in "kv"
    )
    constants = (
        f"at = Constant <value_ints = [{1 if tiled else 2}]> ()\nwide = Constant <value_ints = [2, 2, 2, 6, 8]> ()\n"
    )
    constants += "joined = Constant <value_ints = [2, 4, 6, 8]> ()\n"
    nodes = constants + repeats + SCORES.replace("(k)", "(kr)") + WEIGHTED.replace("(c)", "(d)").replace("v)", "vr)")
    module, _ = Program(program, nodes, {"q": QKV["q"], "k": normal(2, 2, 6, 8), "v": normal(2, 2, 6, 8)}).fused(
        written
    )
    config = attention(module).config
    assert (config.heads, config.kv_heads) == (4, 4 if tiled else 2)


@WRITTEN
@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize(("number", "rows"), [("-3.4028235e38", MaskedRows.UNIFORM), ("-inf", MaskedRows.NAN)])
def test_k28_a_row_of_hidden_keys_gives_what_it_gave(written: str, number: str, rows: MaskedRows, added: bool):
    def program(q: Any, k: Any, v: Any, keep: Any) -> Any:
        low = jnp.float32(float(number))
        found = scores(q, k)
        return jax.nn.softmax(found + jnp.where(keep, 0.0, low) if added else jnp.where(keep, found, low)) @ v

    nodes = SCORES + f"low = Constant <value = float {{{number}}}> ()\n"
    if added:
        nodes += "zero = Constant <value = float {0.0}> ()\nh = Where (keep, zero, low)\nc = Add (d, h)\n"
    else:
        nodes += "c = Where (keep, d, low)\n"
    module, _ = Program(program, nodes + WEIGHTED, {**QKV, "keep": SHOWN}).fused(
        written, equal_nan=rows is MaskedRows.NAN
    )
    assert (attention(module).masking, attention(module).config.masked_rows) == (MaskKind.KEYS, rows)


@WRITTEN
def test_k29_two_dims_stay_two(written: str):
    def program(q: Any, k: Any, v: Any) -> Any:
        return jax.nn.softmax(q @ k.T) @ v

    nodes = "kt = Transpose <perm = [1, 0]> (k)\nc = MatMul (q, kt)\n" + WEIGHTED
    module, _ = Program(program, nodes, {"q": normal(3, 8), "k": normal(5, 8), "v": normal(5, 4)}).fused(written)
    assert attention(module).result.type.get_shape() == (3, 4)


def test_every_row_of_these_chapters_is_here_or_says_why_not():
    here = {name[5:8] for name in globals() if name.startswith("test_k")}
    rows = {f"k{number}" for number in (13, *range(16, 30), 57, 58)}
    assert rows == here | NOT_FROM_TEXT.keys()
    assert not here & NOT_FROM_TEXT.keys()
