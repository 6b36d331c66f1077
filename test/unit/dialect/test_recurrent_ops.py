"""Recurrent layers against their equations written for one sequence, and what lengths and directions mean."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from graph_op import compute, compute_all
from one_op import evaluate
from xdsl.dialects.builtin import ModuleOp, f64, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from rlx_dialect.attributes import Direction, RnnActivation
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import GruOp, LstmOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import DYNAMIC, Shaped

STEPS, BATCH, WIDTH, UNITS = 4, 3, 2, 5
GATES = {"rnn": 1, "gru": 3, "lstm": 4}


def values(*dims: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(dims)


def operands(kind: str, ways: int = 1) -> tuple[Array, Array, Array, Array]:
    """Input, weight, recurrence and bias."""
    rows = GATES[kind] * UNITS
    return (
        values(STEPS, BATCH, WIDTH, seed=1),
        values(ways, rows, WIDTH, seed=2),
        values(ways, rows, UNITS, seed=3),
        values(ways, 2 * rows, seed=4),
    )


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def parts(kind: str, x: Array, w: Array, r: Array, b: Array, h: Array) -> tuple[list[Array], list[Array]]:
    """What each gate adds for the input and for the state."""
    gates = GATES[kind]
    return np.split(x @ w[0].T + np.split(b[0], 2)[0], gates, axis=-1), np.split(
        h @ r[0].T + np.split(b[0], 2)[1], gates, axis=-1
    )


def layer(g: Graph, kind: str, *tensors: Tensor, direction: Direction = Direction.FORWARD) -> tuple[Tensor, ...]:
    x, w, r, b = tensors
    build: Callable[..., tuple[Tensor, ...]] = getattr(g, kind)
    return build(x, w, r, bias=b, direction=direction)


@pytest.mark.parametrize("activation", RnnActivation)
def test_rnn(activation: RnnActivation):
    x, w, r, b = operands("rnn")
    start = values(1, BATCH, UNITS, seed=5)
    output, last = compute_all(
        lambda g, x, w, r, b, h: g.rnn(x, w, r, bias=b, initial_h=h, activation=activation), x, w, r, b, start
    )
    h = start[0]
    for t in range(STEPS):
        (read,), (loop,) = parts("rnn", x[t], w, r, b, h)
        h = np.tanh(read + loop) if activation is RnnActivation.TANH else np.maximum(read + loop, 0)
        np.testing.assert_allclose(output[t, 0], h)
    np.testing.assert_allclose(last[0], h)


@pytest.mark.parametrize("before", [False, True])
def test_gru(before: bool):
    x, w, r, b = operands("gru")
    output, last = compute_all(lambda g, x, w, r, b: g.gru(x, w, r, bias=b, linear_before_reset=before), x, w, r, b)
    h = np.zeros((BATCH, UNITS))
    for t in range(STEPS):
        read, loop = parts("gru", x[t], w, r, b, h)
        z, reset = sigmoid(read[0] + loop[0]), sigmoid(read[1] + loop[1])
        inner = reset * loop[2] if before else parts("gru", x[t], w, r, b, reset * h)[1][2]
        h = (1 - z) * np.tanh(read[2] + inner) + z * h
        np.testing.assert_allclose(output[t, 0], h)
    np.testing.assert_allclose(last[0], h)


def test_lstm():
    x, w, r, b = operands("lstm")
    peepholes = values(1, 3 * UNITS, seed=6)
    output, last_h, last_c = compute_all(
        lambda g, x, w, r, b, p: g.lstm(x, w, r, bias=b, peepholes=p), x, w, r, b, peepholes
    )
    h, c = np.zeros((2, BATCH, UNITS))
    by_i, by_o, by_f = np.split(peepholes[0], 3)
    for t in range(STEPS):
        i, o, f, g = (p + q for p, q in zip(*parts("lstm", x[t], w, r, b, h)))
        new = sigmoid(f + by_f * c) * c + sigmoid(i + by_i * c) * np.tanh(g)
        h, c = sigmoid(o + by_o * new) * np.tanh(new), new
        np.testing.assert_allclose(output[t, 0], h)
    np.testing.assert_allclose(last_h[0], h)
    np.testing.assert_allclose(last_c[0], c)


@pytest.mark.parametrize("kind", GATES)
def test_reverse_reads_from_the_end(kind: str):
    x, w, r, b = operands(kind)
    forward = compute_all(lambda g, x, w, r, b: layer(g, kind, x, w, r, b), x[::-1].copy(), w, r, b)
    backward = compute_all(lambda g, x, w, r, b: layer(g, kind, x, w, r, b, direction=Direction.REVERSE), x, w, r, b)
    np.testing.assert_allclose(backward[0], forward[0][::-1])
    for a, b in zip(backward[1:], forward[1:]):
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize(("way", "direction"), [(0, Direction.FORWARD), (1, Direction.REVERSE)])
@pytest.mark.parametrize("kind", GATES)
def test_bidirectional_is_two_layers(kind: str, way: int, direction: Direction):
    x, *weights = operands(kind, 2)
    both = compute_all(lambda g, x, w, r, b: layer(g, kind, x, w, r, b, direction=Direction.BIDIRECTIONAL), x, *weights)
    one = compute_all(
        lambda g, x, w, r, b: layer(g, kind, x, w, r, b, direction=direction),
        x,
        *(array[way : way + 1] for array in weights),
    )
    np.testing.assert_allclose(both[0][:, way], one[0][:, 0])
    for a, b in zip(both[1:], one[1:]):
        np.testing.assert_allclose(a[way], b[0])


@pytest.mark.parametrize("direction", [Direction.FORWARD, Direction.REVERSE])
def test_lengths(direction: Direction):
    """A shorter sequence gives what it gives alone, then zeros; NaN there is not read."""
    x, w, r, _ = operands("gru")
    x[2:, 1] = np.nan
    lengths, start = np.array([STEPS, 2, 0], np.int32), values(1, BATCH, UNITS, seed=5)
    output, last = compute_all(
        lambda g, x, w, r, n, h: g.gru(x, w, r, lengths=n, initial_h=h, direction=direction), x, w, r, lengths, start
    )
    alone, last_alone = compute_all(
        lambda g, x, w, r, h: g.gru(x, w, r, initial_h=h, direction=direction), x[:2, 1:2], w, r, start[:, 1:2]
    )
    np.testing.assert_allclose(output[:2, :, 1:2], alone)
    np.testing.assert_allclose(last[:, 1:2], last_alone)
    np.testing.assert_array_equal(output[2:, :, 1], 0)
    np.testing.assert_array_equal(output[:, :, 2], 0)
    np.testing.assert_array_equal(last[:, 2], start[:, 2])


def test_no_steps():
    _, w, r, _ = operands("rnn")
    start = values(1, BATCH, UNITS)
    output, last = compute_all(
        lambda g, x, w, r, h: g.rnn(x, w, r, initial_h=h), np.zeros((0, BATCH, WIDTH)), w, r, start
    )
    assert output.shape == (0, 1, BATCH, UNITS)
    np.testing.assert_array_equal(last, start)


def test_rounded_once():
    x, w, r, _ = (array.astype(np.float16) for array in operands("rnn"))
    got = compute(lambda g, x, w, r: g.rnn(x, w, r)[0], x, w, r)
    exact = compute(lambda g, x, w, r: g.rnn(x, w, r)[0], *(array.astype(np.float64) for array in (x, w, r)))
    np.testing.assert_array_equal(got, exact.astype(np.float16))


@pytest.mark.parametrize("steps", [1, 7, 20])
@pytest.mark.parametrize("direction", Direction)
def test_plain_form(direction: Direction, steps: int):
    """Step by step and as a scan, with lengths."""
    ways = 2 if direction is Direction.BIDIRECTIONAL else 1
    _, w, r, b = operands("lstm", ways)
    x, lengths = values(steps, BATCH, WIDTH, seed=1), np.array([steps, steps // 2, 0], np.int64)

    def make(given: Sequence[SSAValue]) -> LstmOp:
        x, w, r, b, n = given
        return LstmOp(x, w, r, bias=b, lengths=n, direction=direction)

    whole = evaluate(make, x, w, r, b, lengths)
    np.testing.assert_allclose(evaluate(make, x, w, r, b, lengths, plain=True), whole, atol=1e-12)


@pytest.mark.parametrize("direction", [Direction.FORWARD, Direction.REVERSE])
def test_plain_form_of_steps_known_at_run_time(direction: Direction):
    """Forwards the steps are counted from the start, backwards from the end."""
    x, w, r, _ = operands("gru")
    lengths = np.array([STEPS, 1, 0], np.int32)
    types = [
        Shaped((DYNAMIC, BATCH, WIDTH), f64),
        Shaped(w.shape, f64),
        Shaped(r.shape, f64),
        Shaped((BATCH,), i32),
    ]
    block = Block(arg_types=[each.type for each in types])
    op = GruOp(*block.args[:3], lengths=block.args[3], direction=direction)
    plain = decompose(op)
    assert plain is not None
    block.add_ops([*plain.ops, ReturnOp(plain.results[0])])
    signature = ([each.type for each in types], [plain.results[0].type])
    op.drop_all_references()
    module = ModuleOp([FuncOp("f", signature, Region(block))])
    module.verify()
    (got,) = run(module, "f", [x, w, r, lengths]).values()
    expected = compute(lambda g, x, w, r, n: g.gru(x, w, r, lengths=n, direction=direction)[0], x, w, r, lengths)
    np.testing.assert_allclose(got, expected, atol=1e-12)
