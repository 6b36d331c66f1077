"""Gradients of a scan against central differences of the scan, and against their plain form."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from graph_op import compute_all
from one_op import normal, slopes
from programs import parse
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import ScanGradientOp, ScanOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import ShapeError

RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Loop:
    """A scan of one carried value and one scanned tensor: a round, and its chain rule."""

    shapes: Sequence[tuple[int, ...]]
    """Of the carried value, of the scanned tensor, of the captures."""

    def round(self, h: Tensor, x: Tensor, *captures: Tensor) -> tuple[Tensor, Tensor]:
        """The next carried value and the output."""
        raise NotImplementedError

    def chain(self, dh: Tensor, h: Tensor, x: Tensor, dy: Tensor, *captures: Tensor) -> tuple[Tensor, ...]:
        """The gradients by h, x and the captures."""
        raise NotImplementedError


class Linear(Loop):
    """`h' = w * h + x`, `y = v * h'`"""

    def round(self, h: Tensor, x: Tensor, *captures: Tensor) -> tuple[Tensor, Tensor]:
        w, v = captures
        after = w * h + x
        return after, v * after

    def chain(self, dh: Tensor, h: Tensor, x: Tensor, dy: Tensor, *captures: Tensor) -> tuple[Tensor, ...]:
        w, v = captures
        total = dh + v * dy
        return total * w, total, total * h, dy * (w * h + x)


class TanhRnn(Loop):
    """`h' = tanh(h @ u + x @ w)`, `y = h * h'`"""

    def round(self, h: Tensor, x: Tensor, *captures: Tensor) -> tuple[Tensor, Tensor]:
        after = h.graph.tanh(h @ captures[0] + x @ captures[1])
        return after, h * after

    def chain(self, dh: Tensor, h: Tensor, x: Tensor, dy: Tensor, *captures: Tensor) -> tuple[Tensor, ...]:
        g, (u, w) = dh.graph, captures
        after, _ = self.round(h, x, u, w)
        inner = (dh + dy * h) * (1 - after * after)
        ut, wt, ht, xt = (g.transpose(each, (1, 0)) for each in (u, w, h, x))
        return inner @ ut + dy * after, inner @ wt, ht @ inner, xt @ inner


LOOPS = {"linear": Linear([(3,), (5, 3), (3,), (3,)]), "tanh_rnn": TanhRnn([(2, 3), (4, 2, 5), (3, 3), (5, 3)])}


def operands(loop: Loop) -> list[Array]:
    return [RNG.standard_normal(shape) for shape in loop.shapes]


def forward(loop: Loop, values: Sequence[Array], reverse: bool) -> list[Array]:
    """The last carried value, the outputs, and the carried value that each round read."""

    def body(h: Tensor, x: Tensor, *captures: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return *loop.round(h, x, *captures), h

    def build(g: Graph, *tensors: Tensor) -> Sequence[Tensor]:
        return g.scan(tensors[:1], tensors[1:2], body, captures=tensors[2:], reverse=reverse)

    return compute_all(build, *values)


def backward(loop: Loop, values: Sequence[Array], weights: Sequence[Array], reverse: bool) -> list[Array]:
    """The gradients by the start, by the captures and by the scanned tensor."""

    def by_start(dh: Tensor, h: Tensor, x: Tensor, dy: Tensor, *captures: Tensor) -> Sequence[Tensor]:
        by_h, _, *by_captures = loop.chain(dh, h, x, dy, *captures)
        return [by_h, *by_captures]

    def by_entries(dh: Tensor, h: Tensor, x: Tensor, dy: Tensor, *captures: Tensor) -> Sequence[Tensor]:
        return loop.chain(dh, h, x, dy, *captures)[:2]

    def build(g: Graph, *tensors: Tensor) -> Sequence[Tensor]:
        dh, states, xs, dys, *captures = tensors
        how = {"scanned": [xs], "output_gradients": [dys], "captures": captures}
        start = g.scan_backward([dh], [states], by_start, **how, reverse=reverse)
        return [*start, *g.scan_backward_xs([dh], [states], by_entries, **how, reverse=reverse)]

    states = forward(loop, values, reverse)[2]
    return compute_all(build, weights[0], states, values[1], weights[1], *values[2:])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LOOPS)
def test_gradients(name: str, reverse: bool):
    loop = LOOPS[name]
    values = operands(loop)
    weights = [normal(result.shape, i) for i, result in enumerate(forward(loop, values, reverse)[:2])]
    by_start, *by_captures, by_scanned = backward(loop, values, weights, reverse)

    def loss(at: int, value: Array) -> Array:
        """What the weights make of both results, as one number."""
        moved = [*values[:at], value, *values[at + 1 :]]
        results = forward(loop, moved, reverse)
        return np.array(sum(float((weight * result).sum()) for weight, result in zip(weights, results)))

    for at, got in enumerate([by_start, by_scanned, *by_captures]):
        expected = slopes(lambda value, at=at: loss(at, value), values[at], np.array(1.0))
        np.testing.assert_allclose(got, expected, atol=1e-8, err_msg=f"operand {at}")


def test_states_without_a_gradient():
    """`h' = i * h`, `i' = i + 1`, as an integer: the gradient by h is the product of all i."""
    h, i = np.array([2.0, 3.0]), np.array(2, np.int64)

    def forward_round(h: Tensor, i: Tensor) -> Sequence[Tensor]:
        return [h * h.graph.cast(i, "f64"), i + 1, h, i]

    def build(g: Graph, h: Tensor, i: Tensor, dh: Tensor) -> Sequence[Tensor]:
        _, _, states, counts = g.scan([h, i], [], forward_round, length=3)
        return g.scan_backward([dh], [states, counts], lambda dh, h, i: dh * dh.graph.cast(i, "f64"))

    (got,) = compute_all(build, h, i, np.array([1.0, -1.0]))
    np.testing.assert_array_equal(got, [2 * 3 * 4, -2 * 3 * 4])


def test_two_carried_values():
    """A momentum: `v' = m v + x`, `p' = p - v'`."""
    p, v, xs, m = RNG.standard_normal(2), RNG.standard_normal(2), RNG.standard_normal((4, 2)), np.array(0.9)
    dp, dv = RNG.standard_normal((2, 2))

    def step(p: Tensor, v: Tensor, x: Tensor, m: Tensor) -> Sequence[Tensor]:
        after = m * v + x
        return [p - after, after, v]

    def chain(dp: Tensor, dv: Tensor, p: Tensor, v: Tensor, m: Tensor) -> Sequence[Tensor]:
        after = dv - dp
        return [dp, after * m, dp.graph.sum(after * v, [0])]

    def run_forward(g: Graph, p: Tensor, v: Tensor, xs: Tensor, m: Tensor) -> Sequence[Tensor]:
        return g.scan([p, v], [xs], step, captures=[m])

    def run_backward(g: Graph, dp: Tensor, dv: Tensor, vs: Tensor, m: Tensor) -> Sequence[Tensor]:
        return g.scan_backward([dp, dv], [vs, vs], chain, captures=[m])

    states = compute_all(run_forward, p, v, xs, m)[2]
    got = compute_all(run_backward, dp, dv, states, m)

    def loss(p: Array, v: Array, m: Array) -> Array:
        last_p, last_v, _ = compute_all(run_forward, p, v, xs, m)
        return np.array((last_p * dp).sum() + (last_v * dv).sum())

    one = np.array(1.0)
    np.testing.assert_allclose(got[0], slopes(lambda p: loss(p, v, m), p, one), atol=1e-8)
    np.testing.assert_allclose(got[1], slopes(lambda v: loss(p, v, m), v, one), atol=1e-8)
    np.testing.assert_allclose(got[2], slopes(lambda m: loss(p, v, m), m, one), atol=1e-8)


PROGRAM = """
func.func @f(%g: tensor<4xf16>, %cs: tensor<?x4xf16>, %xs: tensor<?x4xf16>, %w: tensor<?xf16>)
    -> (tensor<4xf16>, tensor<?xf16>, tensor<?x4xf16>) {
  %0, %1 = rlx.scan_backward(%a = %g) states(%c = %cs) over(%e = %xs) captures(%f = %w) REVERSE
      : (tensor<4xf16>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?xf16>) -> (tensor<4xf16>, tensor<?xf16>) {
    %3 = rlx.binary mul %a, %e : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %4 = rlx.reduce sum %a axes [0] : tensor<4xf16> -> tensor<f16>
    %5 = rlx.binary mul %4, %f : (tensor<f16>, tensor<?xf16>) -> tensor<?xf16>
    rlx.yield %3, %5 : tensor<4xf16>, tensor<?xf16>
  }
  %2 = rlx.scan_backward_xs(%a = %g) states(%c = %cs) over(%e = %xs) REVERSE
      : (tensor<4xf16>, tensor<?x4xf16>, tensor<?x4xf16>) -> tensor<?x4xf16> {
    %6 = rlx.binary mul %a, %e : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %7 = rlx.binary add %a, %c : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    rlx.yield %6, %7 : tensor<4xf16>, tensor<4xf16>
  }
  func.return %0, %1, %2 : tensor<4xf16>, tensor<?xf16>, tensor<?x4xf16>
}"""


def taken_apart(module: ModuleOp) -> ModuleOp:
    for op in [op for op in module.walk() if isinstance(op, ScanGradientOp)]:
        plain = decompose(op)
        assert plain is not None
        Rewriter.insert_op(plain.ops, InsertPoint.before(op))
        Rewriter.replace_op(op, [], plain.results)
    module.verify()
    return module


@pytest.mark.parametrize("reverse", ["", "reverse"])
@pytest.mark.parametrize("rounds", [4, 1, 0])
def test_plain_form_has_the_same_value(rounds: int, reverse: str):
    text = PROGRAM.replace("REVERSE", reverse)
    g, w = (RNG.standard_normal(size).astype(np.float16) for size in (4, 3))
    cs, xs = RNG.standard_normal((2, rounds, 4)).astype(np.float16)
    expected = run(parse(text), "f", [g, cs, xs, w])
    module = taken_apart(parse(text))
    assert len([op for op in module.walk() if isinstance(op, ScanOp)]) == 2
    for name, got in run(module, "f", [g, cs, xs, w]).items():
        np.testing.assert_allclose(got, expected[name], rtol=1e-3)
    if not rounds:
        np.testing.assert_array_equal(expected["out0"], g)
        np.testing.assert_array_equal(expected["out1"], np.zeros(3))
        assert expected["out2"].shape == (0, 4)


def test_sums_of_halves_do_not_stop_at_2048():
    """In f16 itself `2048 + 1 == 2048`."""
    ones = np.ones(4096, np.float16)

    def build(g: Graph, dy: Tensor, w: Tensor) -> Sequence[Tensor]:
        return g.scan_backward([], [], lambda dy, w: dy * w, output_gradients=[dy], captures=[w])

    assert compute_all(build, ones, np.array(1, np.float16)) == [4096]


def test_stacks_of_different_length():
    ones = np.ones((3, 4), np.float16)
    with pytest.raises(ValueError, match="dim 0 of input 'arg1' must be equal to dim 0 of input 'arg2', got 3 and 2"):
        run(parse(PROGRAM.replace("REVERSE", "")), "f", [ones[0], ones, ones[:2], ones[0]])


def test_a_wrong_chain_rule_is_refused_where_it_is_given():
    g = Graph("f")
    dh, states = g.input("dh", (3,)), g.input("states", (4, 3))
    with pytest.raises(ShapeError, match=r"body must yield the 1 carried gradients, got 0"):
        g.scan_backward([dh], [states], lambda dh, h: ())
    with pytest.raises(ShapeError, match=r"carried gradient #0 is tensor<3xf32>, but value #0 that body yields is"):
        g.scan_backward([dh], [states], outer)
    with pytest.raises(ShapeError, match=r"body must yield at most 1 gradients, got 2"):
        g.scan_backward_xs([dh], [states], lambda dh, h: (dh, dh))


def outer(a: Tensor, b: Tensor) -> Tensor:
    return a.graph.binary(BinaryKind.MUL, a.graph.reshape(a, (3, 1)), b)
