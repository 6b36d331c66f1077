"""Recurrent layers, step by step in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Direction, RnnActivation
from rlx_dialect.ops import GruOp, LstmOp, RnnOp
from rlx_dialect.reference.elementwise import sigmoid
from rlx_dialect.reference.numeric import Array, rounded, wide

Step = Callable[[int, Array, Sequence[Array]], Sequence[Array]]
"""The states after a step, given the direction, what it reads and the states before; the first state is the output."""


def run_layer(way: Direction, step: Step, value: Array, lengths: Array, states: Sequence[Array]) -> list[Array]:
    """The first state after each step, `[T, D, B, H]`, and the last states, each `[D, B, H]`."""
    count, batch = value.shape[:2]
    ways = states[0].shape[0]
    output = np.zeros((count, *states[0].shape))
    last = [state.copy() for state in states]
    for direction in range(ways):
        backwards = way is Direction.REVERSE or direction == 1
        for at in range(batch):
            current = [state[direction, at] for state in states]
            steps = range(min(max(int(lengths[at]), 0), count))
            for t in reversed(steps) if backwards else steps:
                current = list(step(direction, value[t, at], current))
                output[t, direction, at] = current[0]
            for state, final in zip(last, current):
                state[direction, at] = final
    return [output, *last]


def operands(op: RnnOp | GruOp | LstmOp, args: Sequence[Array]) -> dict[str, Array]:
    """The operands that there are, by name."""
    names = ["input", "weight", "recurrence", "bias", "lengths", "initial_h", "initial_c", "peepholes"]
    there: list[SSAValue | None] = [getattr(op, name, None) for name in names]
    return dict(zip((name for name, value in zip(names, there) if value is not None), args))


class Layer:
    """The operands of a layer in float64, zeros where one is left out."""

    def __init__(self, op: RnnOp | GruOp | LstmOp, args: Sequence[Array], gates: int):
        given = operands(op, args)
        self.input, self.weight, self.recurrence = (wide(given[name]) for name in ("input", "weight", "recurrence"))
        steps, batch = self.input.shape[:2]
        ways, rows, units = self.recurrence.shape
        self.bias = wide(given["bias"]) if "bias" in given else np.zeros((ways, 2 * rows))
        self.lengths = given["lengths"] if "lengths" in given else np.full(batch, steps)
        self.states = [
            wide(given[name]) if name in given else np.zeros((ways, batch, units))
            for name in ("initial_h", "initial_c")
        ]
        self.peepholes = wide(given["peepholes"]) if "peepholes" in given else np.zeros((ways, 3 * units))
        self.gates = gates

    def read(self, way: int, x: Array) -> list[Array]:
        """What each gate adds for the input, its bias included."""
        beside_weight = np.split(self.bias[way], 2)[0]
        return np.split(self.weight[way] @ x + beside_weight, self.gates)

    def loop(self, way: int, h: Array) -> list[Array]:
        """What each gate adds for the state, its bias included."""
        beside_recurrence = np.split(self.bias[way], 2)[1]
        return np.split(self.recurrence[way] @ h + beside_recurrence, self.gates)


@register_impls
class RecurrentFunctions(InterpreterFunctions):
    @impl(RnnOp)
    def rnn(self, interpreter: Interpreter, op: RnnOp, args: tuple[Any, ...]):
        layer = Layer(op, args, 1)

        def step(way: int, x: Array, states: Sequence[Array]) -> Sequence[Array]:
            total = layer.read(way, x)[0] + layer.loop(way, states[0])[0]
            return [np.tanh(total) if op.function is RnnActivation.TANH else np.maximum(total, 0)]

        results = run_layer(op.way, step, layer.input, layer.lengths, layer.states[:1])
        return tuple(rounded(array, result) for array, result in zip(results, op.results))

    @impl(GruOp)
    def gru(self, interpreter: Interpreter, op: GruOp, args: tuple[Any, ...]):
        layer = Layer(op, args, 3)

        def step(way: int, x: Array, states: Sequence[Array]) -> Sequence[Array]:
            (h,) = states
            read, loop = layer.read(way, x), layer.loop(way, h)
            z, r = (sigmoid(read[i] + loop[i]) for i in (0, 1))
            after_reset = r * loop[2] if op.linear_before_reset is not None else layer.loop(way, r * h)[2]
            return [(1 - z) * np.tanh(read[2] + after_reset) + z * h]

        results = run_layer(op.way, step, layer.input, layer.lengths, layer.states[:1])
        return tuple(rounded(array, result) for array, result in zip(results, op.results))

    @impl(LstmOp)
    def lstm(self, interpreter: Interpreter, op: LstmOp, args: tuple[Any, ...]):
        layer = Layer(op, args, 4)

        def step(way: int, x: Array, states: Sequence[Array]) -> Sequence[Array]:
            h, c = states
            i, o, f, g = (a + b for a, b in zip(layer.read(way, x), layer.loop(way, h)))
            by_i, by_o, by_f = np.split(layer.peepholes[way], 3)
            after = sigmoid(f + by_f * c) * c + sigmoid(i + by_i * c) * np.tanh(g)
            return [sigmoid(o + by_o * after) * np.tanh(after), after]

        results = run_layer(op.way, step, layer.input, layer.lengths, layer.states)
        return tuple(rounded(array, result) for array, result in zip(results, op.results))
