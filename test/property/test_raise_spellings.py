"""Activations and norms in random spellings become one op of the same values."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import context, random_inputs
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import ActivationOp
from rlx_dialect.reference import run
from rlx_dialect.signature import find_function
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.registry.composite import flatten

CHANNELS, GROUPS = 6, 3


@dataclass(frozen=True)
class Choices:
    """What differs between the spellings; each function reads what it needs."""

    swapped: bool
    """Operands of sums and products the other way round."""
    divided: bool
    """Constants divided by, or their reciprocals multiplied."""
    early: bool
    """A factor before the function, or after it."""
    powers: bool
    """Squares and cubes by `pow`, or by products."""
    inverted: bool
    """Roots and sums as reciprocals."""
    summed: bool
    """Means as sums over the count."""
    clamped: bool
    """The op `clamp`, or a maximum and a minimum."""


CHOICES = st.builds(Choices, *(st.booleans() for _ in range(7)))


class Writer:
    """Writes one spelling."""

    def __init__(self, how: Choices):
        self.how, self.g = how, Graph()

    def plus(self, x: Tensor, y: Tensor | float) -> Tensor:
        return self.g.binary(BinaryKind.ADD, *((y, x) if self.how.swapped else (x, y)))

    def times(self, x: Tensor, y: Tensor | float) -> Tensor:
        return self.g.binary(BinaryKind.MUL, *((y, x) if self.how.swapped else (x, y)))

    def over(self, x: Tensor, number: float) -> Tensor:
        return x / number if self.how.divided else self.times(x, 1 / number)

    def power(self, x: Tensor, exponent: int) -> Tensor:
        if self.how.powers:
            return self.g.binary(BinaryKind.POW, x, float(exponent))
        return x * x if exponent == 2 else self.times(x, x * x)

    def clip(self, x: Tensor, low: float, high: float) -> Tensor:
        g = self.g
        if self.how.clamped:
            return g.clamp(x, low, high)
        return g.maximum(g.minimum(x, high), low) if self.how.early else g.minimum(g.maximum(low, x), high)

    def mean(self, x: Tensor, axes: tuple[int, ...]) -> Tensor:
        if not self.how.summed:
            return self.g.mean(x, axes, True)
        return self.over(self.g.sum(x, axes, True), float(np.prod([x.shape[axis] for axis in axes])))

    def divided_by_root(self, x: Tensor, square: Tensor) -> Tensor:
        root = self.g.sqrt(square)
        return self.times(x, self.g.activation(Activation.RECIP, root)) if self.how.inverted else x / root

    def hard_sigmoid(self, x: Tensor) -> Tensor:
        if self.how.early:
            return self.clip(self.plus(self.over(x, 6.0), 0.5), 0.0, 1.0)
        return self.over(self.clip(self.plus(x, 3.0), 0.0, 6.0), 6.0)

    def hard_swish(self, x: Tensor) -> Tensor:
        if self.how.powers:
            return self.times(x, self.hard_sigmoid(x))
        line = self.clip(self.plus(x, 3.0), 0.0, 6.0)
        return self.times(self.over(x, 6.0), line) if self.how.early else self.over(self.times(line, x), 6.0)

    def quick_gelu(self, x: Tensor) -> Tensor:
        g, steep = self.g, self.over(x, 1 / 1.702)
        if self.how.early:
            return self.times(x, g.activation(Activation.SIGMOID, steep))
        below = self.plus(g.exp(-steep), 1.0)
        return self.times(g.activation(Activation.RECIP, below) if self.how.inverted else 1.0 / below, x)

    def gelu_approx(self, x: Tensor) -> Tensor:
        inner = self.times(self.plus(x, self.times(self.power(x, 3), 0.044715)), (2 / np.pi) ** 0.5)
        curve = self.plus(self.g.tanh(inner), 1.0)
        half = self.over(x, 2.0) if self.how.early else x
        return self.times(half, curve) if self.how.early else self.over(self.times(half, curve), 2.0)

    def tanh(self, x: Tensor) -> Tensor:
        g = self.g
        if self.how.early:
            sigmoid = g.activation(Activation.SIGMOID, self.times(x, 2.0))
            return self.plus(self.times(sigmoid, 2.0), -1.0)
        first, second = g.exp(x), g.exp(-x)
        return (first - second) / self.plus(first, second)

    def rms_norm(self, x: Tensor) -> Tensor:
        square = self.plus(self.mean(self.power(x, 2), (3,)), 1e-5)
        return self.times(self.divided_by_root(x, square), self.plus(self.g.param("w", (4,)), 1.0))

    def group_norm(self, x: Tensor) -> Tensor:
        g, dims = self.g, x.shape
        rows = dims[1] // GROUPS * dims[2] * dims[3]
        split = (dims[0], GROUPS, rows) if self.how.early else (dims[0], GROUPS, dims[1] // GROUPS, dims[2] * dims[3])
        axes = tuple(range(2, len(split)))
        groups = g.reshape(x, split)
        centred = groups - self.mean(groups, axes)
        normed = self.divided_by_root(centred, self.plus(self.mean(self.power(centred, 2), axes), 1e-5))
        gain, shift = (g.reshape(g.param(name, (dims[1],)), (dims[1], 1, 1)) for name in "wb")
        return self.plus(self.times(g.reshape(normed, dims), gain), shift)


FUNCTIONS = ("hard_sigmoid", "hard_swish", "quick_gelu", "gelu_approx", "tanh", "rms_norm", "group_norm")


def raised(before: ModuleOp) -> ModuleOp:
    """`before` after raising, once the values were compared."""
    after = before.clone()
    for pass_ in flatten((RaisePass(),)):
        pass_.apply(context(), after)
        after.verify()
    inputs = random_inputs(find_function(before))
    wanted, got = run(before, None, inputs)["y"], run(after, None, inputs)["y"]
    np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)
    return after


@settings(max_examples=150)
@given(CHOICES, st.sampled_from(FUNCTIONS))
def test_one_op_of_the_same_values(how: Choices, function: str):
    writer = Writer(how)
    x = writer.g.input("x", (2, CHANNELS, 3, 4))
    writer.g.output("y", getattr(writer, function)(x))
    module = raised(writer.g.module())
    names = (op.kind.data if isinstance(op, ActivationOp) else op.name.removeprefix("rlx.") for op in module.walk())
    computing = Counter(name for name in names if name not in ("builtin.module", "func.func", "func.return"))
    del computing["arith.constant"]
    del computing["reshape"]
    if function == "rms_norm":
        assert computing.pop("binary") == 1, "the gain is 1 + w"
    assert computing == {function: 1}
