"""Recurrent layers, several on top of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rlx_dialect.attributes import Direction, RnnActivation
from rlx_dialect.builder import Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule

Layer = Callable[[Tensor, Tensor, Tensor, Tensor | None, Sequence[Tensor], Direction], Sequence[Tensor]]
"""From the input, weights, bias and first states of one layer to its states and the last ones."""


@rule("lstm.input")
def lstm(c: Call) -> Sequence[Tensor]:
    """Gates stand in the order i, f, g, o; the op has them as i, o, f, g."""

    def layer(
        x: Tensor, w: Tensor, r: Tensor, bias: Tensor | None, states: Sequence[Tensor], direction: Direction
    ) -> Sequence[Tensor]:
        return c.g.lstm(x, w, r, bias=bias, initial_h=states[0], initial_c=states[1], direction=direction)

    return stacked(c, c.tensors("hx"), (0, 3, 1, 2), layer)


@rule("gru.input")
def gru(c: Call) -> Sequence[Tensor]:
    """Gates stand in the order r, z, n; the op has them as z, r, n."""

    def layer(
        x: Tensor, w: Tensor, r: Tensor, bias: Tensor | None, states: Sequence[Tensor], direction: Direction
    ) -> Sequence[Tensor]:
        return c.g.gru(x, w, r, bias=bias, initial_h=states[0], direction=direction, linear_before_reset=True)

    return stacked(c, [c.tensor("hx")], (1, 0, 2), layer)


@rule("rnn_tanh.input", "rnn_relu.input")
def rnn(c: Call) -> Sequence[Tensor]:
    activation = RnnActivation.TANH if "tanh" in c.node.target else RnnActivation.RELU

    def layer(
        x: Tensor, w: Tensor, r: Tensor, bias: Tensor | None, states: Sequence[Tensor], direction: Direction
    ) -> Sequence[Tensor]:
        return c.g.rnn(x, w, r, bias=bias, initial_h=states[0], direction=direction, activation=activation)

    return stacked(c, [c.tensor("hx")], (0,), layer)


def stacked(c: Call, states: Sequence[Tensor], gates: Sequence[int], layer: Layer) -> Sequence[Tensor]:
    """Each layer reads what the one below gives, both directions side by side."""
    if c.flag("train") and c.real("dropout"):
        raise Refusal(f"dropout of {c.args['dropout']} in training mode; call module.eval() first")
    x, weights = c.tensor("input"), c.tensors("params")
    count, ways = c.integer("num_layers"), 2 if c.flag("bidirectional") else 1
    each = 4 if c.flag("has_biases") else 2
    if len(weights) != each * count * ways:
        raise Refusal("projected states")
    if c.flag("batch_first"):
        x = c.g.transpose(x, (1, 0, 2))
    direction = Direction.BIDIRECTIONAL if ways == 2 else Direction.FORWARD
    last: list[Sequence[Tensor]] = []
    for i in range(count):
        parts = [weights[each * (ways * i + way) :][:each] for way in range(ways)]
        first = [c.g.narrow(state, 0, ways * i, ways) if count > 1 else state for state in states]
        w, r = (joined(c, [ordered(c, part[k], gates) for part in parts]) for k in (0, 1))
        biases = [c.g.concat([ordered(c, part[k], gates) for k in (2, 3)], 0) for part in parts] if each == 4 else []
        output, *ends = layer(x, w, r, joined(c, biases) if biases else None, first, direction)
        x = side_by_side(c, output, x)
        last.append(ends)
    ends = [c.g.concat(each, 0) if count > 1 else each[0] for each in zip(*last)]
    return [c.g.transpose(x, (1, 0, 2)) if c.flag("batch_first") else x, *ends]


def ordered(c: Call, weight: Tensor, gates: Sequence[int]) -> Tensor:
    """The gates of a weight or bias in another order."""
    if list(gates) == sorted(gates):
        return weight
    size = weight.shape[0] // len(gates)
    return c.g.concat([c.g.narrow(weight, 0, gate * size, size) for gate in gates], 0)


def joined(c: Call, parts: Sequence[Tensor]) -> Tensor:
    """The directions of a weight on a new first axis."""
    rows = [c.g.reshape(part, (1, *part.shape)) for part in parts]
    return rows[0] if len(rows) == 1 else c.g.concat(rows, 0)


def side_by_side(c: Call, output: Tensor, x: Tensor) -> Tensor:
    """`[T, D, B, H]` as `[T, B, D H]`."""
    _, ways, _, width = output.shape
    steps, batch = (c.sizes.size(size, [x], axis) for axis, size in enumerate(extents(c)))
    return c.g.reshape(c.g.transpose(output, (0, 2, 1, 3)), [steps, batch, ways * width])


def extents(c: Call):
    """Steps and batch."""
    first, second = c.out.dims[:2]
    return (second, first) if c.flag("batch_first") else (first, second)
