"""Faults of other fusers that a raise could repeat, by row; the lit files hold the rest (K19, K21, K22, K25)."""

import numpy as np
import pytest
from programs import context

from rlx_dialect.attributes import BinaryKind, CompareKind, MaskedRows, MaskKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import ActivationOp, AttentionOp, LayerNormOp, RmsNormOp
from rlx_dialect.reference import Array, run
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.registry.composite import flatten

LOWEST = float(np.finfo(np.float32).min)
RNG = np.random.default_rng(0)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def check(graph: Graph, result: Tensor, *inputs: Array, atol: float = 2e-6) -> list[object]:
    """The ops after raising, once the values were compared."""
    graph.output("y", result)
    before = graph.module()
    after = before.clone()
    for pass_ in flatten((RaisePass(),)):
        pass_.apply(context(), after)
        after.verify()
    np.testing.assert_allclose(
        run(after, None, inputs)["y"], run(before, None, inputs)["y"], rtol=1e-5, atol=atol, equal_nan=True
    )
    return list(after.walk())


def one(ops: list[object], kind: type[AttentionOp]) -> AttentionOp:
    (found,) = (op for op in ops if isinstance(op, kind))
    return found


def sdpa_inputs(g: Graph, keys: int = 6, kv_heads: int = 4) -> tuple[Tensor, Tensor, Tensor]:
    return g.input("q", (2, 4, 6, 8)), g.input("k", (2, kv_heads, keys, 8)), g.input("v", (2, kv_heads, keys, 8))


def product(g: Graph, q: Tensor, k: Tensor) -> Tensor:
    return q @ g.transpose(k, (0, 1, 3, 2)) * 8**-0.5


QKV = (normal(2, 4, 6, 8), normal(2, 4, 6, 8), normal(2, 4, 6, 8))


def test_k13_each_gelu_stays_its_own_kind():
    g = Graph()
    x, v, w = g.input("x", (4, 8)), g.param("v", (8, 8)), g.param("w", (8, 8))
    a, b = x @ v, x @ w
    exact = 0.5 * a * (1.0 + g.erf(a * 0.5**0.5))
    curve = 0.5 * b * (1.0 + g.tanh((2 / np.pi) ** 0.5 * (b + 0.044715 * (b * b * b))))
    ops = check(g, exact - curve, normal(4, 8), normal(8, 8), normal(8, 8))
    assert [op.kind.data for op in ops if isinstance(op, ActivationOp)] == ["gelu", "gelu_approx"]


def test_k14_the_erfc_form_keeps_its_small_values():
    g = Graph()
    x = g.input("x", (64,))
    points = np.linspace(-8, -4, 64, dtype=np.float32)
    ops = check(g, 0.5 * x * g.erfc(x * -(0.5**0.5)), points, atol=1e-15)
    assert [op.kind.data for op in ops if isinstance(op, ActivationOp)] == ["gelu"]


@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_k23_the_mean_of_an_rms_norm_stays(offset: float):
    g = Graph()
    x = g.input("x", (4, 16))
    y = x + offset
    ops = check(g, y / g.sqrt(g.mean(y * y, (1,), True) + 1e-6), normal(4, 16))
    assert sum(isinstance(op, RmsNormOp) for op in ops) == 1
    assert not any(isinstance(op, LayerNormOp) for op in ops)


def test_k24_a_padding_mask_is_not_causal():
    g = Graph()
    q, k, v = sdpa_inputs(g)
    hidden = np.where(np.arange(6) < 4, 0, -1e9).astype(np.float32).reshape(1, 1, 1, 6)
    op = one(check(g, g.softmax(product(g, q, k) + g.constant(hidden)) @ v, *QKV), AttentionOp)
    assert (op.config.causal_offset, op.masking) == (None, MaskKind.KEYS)


def test_k26_a_scale_on_both_sides_is_taken_once_and_nan_becomes_zero():
    g = Graph()
    q, k, v = sdpa_inputs(g)
    keep = g.input("keep", (2, 1, 1, 6), "i1")
    s = 8**-0.25
    scores = (q * s) @ g.transpose(k * s, (0, 1, 3, 2))
    p = g.softmax(g.where(keep, scores, -np.inf))
    shown = np.ones((2, 1, 1, 6), bool)
    shown[1] = False
    result = g.where(g.compare(CompareKind.NE, p, p), 0.0, p) @ v
    op = one(check(g, result, *QKV, shown), AttentionOp)
    assert (op.config.scale, op.config.masked_rows, op.masking) == (8**-0.5, MaskedRows.ZERO, MaskKind.KEYS)


@pytest.mark.parametrize(("at", "kv_heads"), [(2, 2), (1, 4)])
def test_k27_only_heads_in_a_row_are_repeated_heads(at: int, kv_heads: int):
    g = Graph()
    q, k, v = sdpa_inputs(g, kv_heads=2)

    def repeated(x: Tensor) -> Tensor:
        split = [2, 2, 6, 8]
        single = g.reshape(x, [*split[:at], 1, *split[at:]])
        return g.reshape(g.expand(single, [*split[:at], 2, *split[at:]]), (2, 4, 6, 8))

    result = g.softmax(product(g, q, repeated(k))) @ repeated(v)
    op = one(check(g, result, QKV[0], normal(2, 2, 6, 8), normal(2, 2, 6, 8)), AttentionOp)
    assert (op.config.heads, op.config.kv_heads) == (4, kv_heads)


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize(("number", "rows"), [(LOWEST, MaskedRows.UNIFORM), (-np.inf, MaskedRows.NAN)])
def test_k28_a_row_of_hidden_keys_gives_what_it_gave(number: float, rows: MaskedRows, added: bool):
    g = Graph()
    q, k, v = sdpa_inputs(g)
    keep = g.input("keep", (2, 1, 1, 6), "i1")
    scores = product(g, q, k)
    scores = scores + g.where(keep, g.full((), 0.0), number) if added else g.where(keep, scores, number)
    shown = np.arange(12).reshape(2, 1, 1, 6) % 2 == 0
    shown[1] = False
    op = one(check(g, g.softmax(scores) @ v, *QKV, shown), AttentionOp)
    assert (op.masking, op.config.masked_rows) == (MaskKind.KEYS, rows)


def test_k28_beside_minus_1e9_f32_loses_a_score():
    """A row of hidden keys is the mean of the values; the other rows do not see the number."""
    g = Graph()
    q, k, v = sdpa_inputs(g)
    keep = g.input("keep", (2, 1, 1, 6), "i1")
    scores = product(g, q, k) + g.where(keep, g.full((), 0.0), -1e9)
    shown = np.arange(12).reshape(2, 1, 1, 6) % 2 == 0
    shown[1] = False
    op = one(check(g, g.softmax(scores) @ v, *QKV, shown), AttentionOp)
    assert (op.masking, op.config.masked_rows) == (MaskKind.KEYS, MaskedRows.UNIFORM)


@pytest.mark.parametrize(("number", "found"), [(-1e4, 0), (-65504.0, 0), (-np.inf, 1)])
def test_k28_beside_a_number_of_f16_a_score_keeps_some_digits(number: float, found: int):
    """Row 1 of the batch sees no key: its sums are multiples of 8 or 32, which neither a bias nor a key mask gives."""
    g = Graph()
    q, k, v = (g.input(name, (2, 4, 6, 8), "f16") for name in "qkv")
    keep = g.input("keep", (2, 1, 1, 6), "i1")
    zero = g.cast(g.full((), 0.0), "f16")
    scores = product(g, q, k) + g.where(keep, zero, g.cast(g.full((), number), "f16"))
    shown = np.arange(12).reshape(2, 1, 1, 6) % 2 == 0
    shown[1] = False
    halves = [(x * 4).astype(np.float16) for x in QKV]
    ops = check(g, g.softmax(scores) @ v, *halves, shown, atol=3e-2)
    assert sum(isinstance(op, AttentionOp) for op in ops) == found


def test_k28_a_number_added_under_a_causal_mask_is_a_bias_that_f64_loses_a_score_in():
    """The last row of the batch sees keys only by the causal mask: the mean of what the causal mask shows."""
    g = Graph()
    q, k, v = sdpa_inputs(g)
    keep = g.input("keep", (2, 1, 1, 6), "i1")
    lower = g.constant(np.tril(np.ones((6, 6), bool)))
    scores = g.where(lower, product(g, q, k) + g.where(keep, g.full((), 0.0), -1e9), -np.inf)
    shown = np.arange(12).reshape(2, 1, 1, 6) % 2 == 0
    shown[1] = False
    op = one(check(g, g.softmax(scores) @ v, *QKV, shown), AttentionOp)
    assert (op.masking, op.config.causal_offset) == (MaskKind.BIAS, 0)


@pytest.mark.parametrize("number", [LOWEST, -np.inf])
def test_a_condition_that_is_causal_and_on_keys_is_two(number: float):
    g = Graph()
    q, k, v = sdpa_inputs(g)
    keep = g.input("keep", (2, 1, 1, 6), "i1")
    both = g.binary(BinaryKind.BIT_AND, g.constant(np.tril(np.ones((6, 6), bool))), keep)
    shown = np.arange(12).reshape(2, 1, 1, 6) % 3 != 0
    shown[1] = False
    op = one(check(g, g.softmax(g.where(both, product(g, q, k), number)) @ v, *QKV, shown), AttentionOp)
    rows = MaskedRows.NAN if number == -np.inf else MaskedRows.UNIFORM
    assert (op.masking, op.config.causal_offset, op.config.masked_rows) == (MaskKind.KEYS, 0, rows)


def test_k29_two_dims_stay_two():
    g = Graph()
    q, k, v = g.input("q", (3, 8)), g.input("k", (5, 8)), g.input("v", (5, 4))
    op = one(check(g, g.softmax(q @ g.transpose(k, (1, 0))) @ v, normal(3, 8), normal(5, 8), normal(5, 4)), AttentionOp)
    assert op.result.type.get_shape() == (3, 4)


def test_a_square_of_another_value_is_no_variance():
    """A layer norm that would scale another value than it measures stays as it is."""
    g = Graph()
    x, y = g.input("x", (4, 8)), g.input("y", (4, 8))
    cx, cy = x - g.mean(x, (1,), True), y - g.mean(y, (1,), True)
    root = g.sqrt(g.mean(g.binary(BinaryKind.POW, cx, 2.0), (1,), True) + 1e-5)
    ops = check(g, cy / root, normal(4, 8), normal(4, 8))
    assert not any(isinstance(op, LayerNormOp | RmsNormOp) for op in ops)
