"""Rotary embeddings, the cache, grouped products and losses at hand-computed values and at their edges."""

import cmath
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from rlx_dialect.attributes import AdaNormKind, AttentionLayout, AttentionOperand, RopeStyle, RopeTable
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.graph.fused import LayerTensors
from rlx_dialect.ops import AttentionConfig
from rlx_dialect.reference import Array, run

Tensors = Sequence[Tensor]
Build = Callable[[Graph, Tensors], Tensor]

RNG = np.random.default_rng(2)


def evaluate(build: Build, *arrays: Array) -> Array:
    """`build(graph, tensors)` on the arrays."""
    g = Graph("f")
    names = {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32", "int64": "i64"}
    tensors = [g.input(f"x{i}", x.shape, names[x.dtype.name]) for i, x in enumerate(arrays)]
    g.output("y", build(g, tensors))
    return run(g.module(), "f", arrays)["y"]


def test_axial_rope_turns_columns_then_rows():
    x = RNG.standard_normal((2, 12, 8))
    got = evaluate(lambda g, t: g.axial_rope2d(t[0], axis=1, grid=(2, 3), theta=100.0), x)
    expected = np.empty_like(x)
    for b, s, p in np.ndindex(2, 12, 4):
        row, column = divmod(s % 6, 3)
        angle = (column if p < 2 else row) * 100.0 ** (-4 * (p % 2) / 8)
        turned = complex(x[b, s, 2 * p], x[b, s, 2 * p + 1]) * cmath.exp(1j * angle)
        expected[b, s, 2 * p], expected[b, s, 2 * p + 1] = turned.real, turned.imag
    np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("style", list(RopeStyle))
def test_a_full_table_of_equal_halves_is_a_half_table(style: RopeStyle):
    x, angles = RNG.standard_normal((2, 3, 5, 8)), RNG.standard_normal((2, 5, 3))
    full = np.concatenate([angles, angles], -1) if style is RopeStyle.NEOX else angles.repeat(2, -1)

    def rope(table: RopeTable) -> Build:
        return lambda g, t: g.rope(t[0], t[1], t[2], axis=2, n_rot=6, style=style, table=table)

    half = evaluate(rope(RopeTable.HALF), x, np.cos(angles), np.sin(angles))
    np.testing.assert_array_equal(evaluate(rope(RopeTable.FULL), x, np.cos(full), np.sin(full)), half)
    np.testing.assert_array_equal(half[..., 6:], x[..., 6:])
    np.testing.assert_allclose(np.linalg.norm(half, axis=-1), np.linalg.norm(x, axis=-1))


def test_a_turn_and_back_is_nothing():
    x, angles = RNG.standard_normal((2, 5, 3, 8)), RNG.standard_normal((5, 4))

    def there_and_back(g: Graph, t: Tensors) -> Tensor:
        return g.rope_backward(g.rope(t[0], t[1], t[2], axis=1), t[1], t[2], axis=1)

    np.testing.assert_allclose(evaluate(there_and_back, x, np.cos(angles), np.sin(angles)), x)


def test_kv_append_keeps_what_is_before():
    cache, rows = RNG.standard_normal((2, 6, 3)), RNG.standard_normal((2, 2, 3))
    got = evaluate(lambda g, t: g.kv_append(t[0], t[1], axis=-2, position=3), cache, rows)
    np.testing.assert_array_equal(got, np.concatenate([cache[:, :3], rows], 1))


def test_kv_append_beyond_a_cache_of_unknown_size():
    g = Graph("f")
    g.output("y", g.kv_append(g.input("c", (None, 3)), g.input("r", (2, 3)), axis=0, position=3))
    arrays = np.zeros((4, 3), np.float32), np.zeros((2, 3), np.float32)
    with pytest.raises(ValueError, match="dim 0 of input 'c' must be at least 5, got 4 and 5"):
        run(g.module(), "f", arrays)


def test_grouped_matmul_picks_a_matrix_for_each_row():
    x, w, i = RNG.standard_normal((2, 3, 4)), RNG.standard_normal((5, 4, 6)), np.array([[0, 4, 1], [2, 2, 0]], np.int32)
    got = evaluate(lambda g, t: g.grouped_matmul(t[0], t[1], t[2]), x, w, i)
    np.testing.assert_allclose(got, np.einsum("abk,abkn->abn", x, w[i]))


INDEXED: dict[str, tuple[Build, tuple[int, ...]]] = {
    "grouped_matmul": (lambda g, t: g.grouped_matmul(g.zeros((2, 4)), g.zeros((3, 4, 5)), t[0]), (2,)),
    "softmax_cross_entropy_with_logits": (
        lambda g, t: g.softmax_cross_entropy_with_logits(g.zeros((2, 3)), t[0]),
        (2,),
    ),
    "softmax_cross_entropy_backward": (
        lambda g, t: g.softmax_cross_entropy_backward(g.zeros((2, 3)), t[0], g.zeros((2,))),
        (2,),
    ),
    "gather_backward": (lambda g, t: g.gather_backward(g.zeros((2, 4)), t[0], 3), (2,)),
}


@pytest.mark.parametrize("index", [3, -1])
@pytest.mark.parametrize("name", INDEXED)
def test_an_index_outside(name: str, index: int):
    build, shape = INDEXED[name]
    with pytest.raises(IndexError, match=rf"rlx.{name}: index {index} is outside of \[0, 3\)"):
        evaluate(build, np.full(shape, index, np.int64))


def test_cross_entropies_agree():
    logits, labels = RNG.standard_normal((2, 4, 3)) * 50, np.array([[3, 0, 1], [2, 2, 2]], np.int32)
    shares = np.moveaxis(np.eye(4)[labels], -1, 1).copy()
    by_label = evaluate(lambda g, t: g.softmax_cross_entropy_with_logits(t[0], t[1], 1), logits, labels)
    np.testing.assert_allclose(evaluate(lambda g, t: g.softmax_cross_entropy(t[0], t[1], 1), logits, shares), by_label)


def test_norms_of_halves_do_not_overflow():
    x = np.full((1, 4, 8), 300.0, np.float16)
    x[0, :, ::2] = -300.0
    ones, zeros = np.ones(4, np.float16), np.zeros(4, np.float16)
    got = evaluate(lambda g, t: g.group_norm(t[0], t[1], t[2], 2), x, ones, zeros)
    np.testing.assert_array_equal(got, np.sign(x))


def empty(*shape: int) -> Array:
    return np.zeros(shape, np.float32)


CONFIG = AttentionConfig.make(2, 2)
BSM = AttentionLayout.BSM
NOTHING: dict[str, tuple[Build, tuple[Array, ...], tuple[int, ...]]] = {
    "swiglu_of_no_columns": (lambda g, t: g.fused_swiglu(t[0]), (empty(3, 0),), (3, 0)),
    "residual_of_no_columns": (
        lambda g, t: g.fused_residual_rms_norm(t[0], t[0], t[1], t[1]),
        (empty(3, 0), empty(0)),
        (3, 0),
    ),
    "ada_of_no_rows": (
        lambda g, t: g.ada_layer_norm(t[0], t[1], t[1], norm=AdaNormKind.RMS_NORM),
        (empty(0, 4), empty(4)),
        (0, 4),
    ),
    "ada_of_no_columns": (lambda g, t: g.ada_layer_norm(t[0], t[0], t[0]), (empty(2, 0),), (2, 0)),
    "lora_of_rank_0": (
        lambda g, t: g.lora_matmul(t[0], t[1], t[2], t[3], 1.0),
        (empty(2, 3), empty(3, 4), empty(3, 0), empty(0, 4)),
        (2, 4),
    ),
    "layer_of_no_tokens": (
        lambda g, t: g.fused_transformer_layer(t[0], LayerTensors(t[1], t[2], t[3], t[2], t[2], t[3]), CONFIG),
        (empty(2, 0, 4), empty(4, 12), empty(4, 4), empty(4)),
        (2, 0, 4),
    ),
    "grouped_of_no_rows": (
        lambda g, t: g.grouped_matmul(t[0], t[1], g.constant(np.zeros(0, np.int32))),
        (empty(0, 3), empty(2, 3, 4)),
        (0, 4),
    ),
    "rope_of_no_tokens": (lambda g, t: g.rope(t[0], t[1], t[1], axis=1), (empty(2, 0, 4), empty(0, 2)), (2, 0, 4)),
    "axial_of_no_grids": (lambda g, t: g.axial_rope2d(t[0], axis=0, grid=(2, 2)), (empty(0, 4),), (0, 4)),
    "append_to_nothing": (
        lambda g, t: g.kv_append(t[0], t[1], axis=0, position=0),
        (empty(0, 4), empty(0, 4)),
        (0, 4),
    ),
    "groups_of_no_samples": (lambda g, t: g.group_norm(t[0], t[1], t[1], 2), (empty(0, 4, 3), empty(4)), (0, 4, 3)),
    "groups_of_no_pixels": (lambda g, t: g.group_norm(t[0], t[1], t[1], 2), (empty(2, 4, 0), empty(4)), (2, 4, 0)),
    "pixels_of_no_channels": (
        lambda g, t: g.layer_norm2d(t[0], t[1], t[1]),
        (empty(2, 0, 3, 3), empty(0)),
        (2, 0, 3, 3),
    ),
    "losses_of_no_rows": (lambda g, t: g.softmax_cross_entropy(t[0], t[0]), (empty(0, 3),), (0,)),
    "losses_of_no_classes": (lambda g, t: g.softmax_cross_entropy(t[0], t[0]), (empty(2, 0),), (2,)),
    "labels_of_no_rows": (
        lambda g, t: g.softmax_cross_entropy_with_logits(t[0], g.constant(np.zeros(0, np.int32))),
        (empty(0, 3),),
        (0,),
    ),
    "input_gradient_of_no_columns": (
        lambda g, t: g.layer_norm_backward_input(t[0], t[1], t[0]),
        (empty(2, 0), empty(0)),
        (2, 0),
    ),
    "gamma_gradient_of_no_rows": (lambda g, t: g.rms_norm_backward_gamma(t[0], t[0]), (empty(0, 3),), (3,)),
    "group_gradient_of_no_samples": (
        lambda g, t: g.group_norm_backward_input(t[0], t[1], t[0], 2),
        (empty(0, 4, 3), empty(4)),
        (0, 4, 3),
    ),
    "cumsum_of_nothing": (lambda g, t: g.cumsum_backward(t[0], 1, exclusive=True), (empty(2, 0),), (2, 0)),
    "gather_of_nothing": (
        lambda g, t: g.gather_backward(t[0], g.constant(np.zeros(0, np.int32)), 3),
        (empty(0, 4),),
        (3, 4),
    ),
    "ada_gradient_of_no_rows": (
        lambda g, t: g.ada_layer_norm_backward(t[0], t[1], t[1], t[0]),
        (empty(0, 4), empty(4)),
        (8,),
    ),
    "attention_gradient_of_no_tokens": (
        lambda g, t: g.attention_backward(AttentionOperand.KEY, t[0], t[0], t[0], t[0], CONFIG, layout=BSM),
        (empty(1, 0, 4),),
        (1, 0, 4),
    ),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing(name: str):
    """Dims of size 0 give what is left, zeros where anything is."""
    build, arrays, shape = NOTHING[name]
    got = evaluate(build, *arrays)
    np.testing.assert_array_equal(got, np.zeros(shape, np.float32))
