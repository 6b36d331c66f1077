"""Recurrent layers in plain ops: few steps one after the other, more of them as a scan."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, CompareKind, Direction, RnnActivation
from rlx_dialect.decompose.loops import Values, scan
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import (
    CastOp,
    CompareOp,
    ConcatOp,
    ExpandOp,
    GruOp,
    LstmOp,
    NarrowOp,
    ReshapeOp,
    RnnOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.ops.recurrent import directions
from rlx_dialect.shapes import DYNAMIC, shaped

MOST_UNROLLED = 16
"""The steps of the longest layer that is written step by step."""

Recurrent = RnnOp | GruOp | LstmOp
Step = Callable[[Plain, SSAValue, Sequence[SSAValue], "Weights"], list[SSAValue]]
"""The states after a step, given what it reads, the states before and the weights of its direction."""


@dataclass(frozen=True)
class Weights:
    """What a direction multiplies with, transposed, and adds; `peepholes` last, where there are any."""

    values: Sequence[SSAValue]
    gates: int

    def sums(self, to: Plain, value: SSAValue, beside_input: bool) -> list[SSAValue]:
        """What each gate adds for the input, or for the state."""
        factor, bias = self.values[0 if beside_input else 1], self.values[2 if beside_input else 3]
        return parts(to, to.matmul(value, factor, bias), self.gates)


def part(to: Plain, value: SSAValue, at: int, count: int) -> SSAValue:
    """Part `at` of the last axis cut into `count`."""
    *outer, whole = own_sizes(value)
    width = whole // count
    if isinstance(width, int):
        return to.add(NarrowOp(value, axis=-1, start=at * width, length=width)).result
    groups = to.laid(value, (*outer, count, width))
    return to.laid(to.add(NarrowOp(groups, axis=-2, start=at, length=1)).result, (*outer, width))


def parts(to: Plain, value: SSAValue, count: int) -> list[SSAValue]:
    return [value] if count == 1 else [part(to, value, at, count) for at in range(count)]


def entry(to: Plain, value: SSAValue, at: int) -> SSAValue:
    """Entry `at` of the first axis."""
    narrowed = to.add(NarrowOp(value, axis=0, start=at, length=1)).result
    return to.add(ReshapeOp(narrowed, shaped(value).dims[1:], to.sizes(narrowed))).result


def stacked(to: Plain, values: Sequence[SSAValue], axis: int) -> SSAValue:
    """The values as entries of a new axis."""
    dims = shaped(values[0]).dims
    lies = (*dims[:axis], 1, *dims[axis:])
    return to.add(ConcatOp([to.add(ReshapeOp(x, lies, to.sizes(x))).result for x in values], axis=axis)).result


def kept(to: Plain, lengths: SSAValue, at: SSAValue, new: SSAValue, old: SSAValue) -> SSAValue:
    """`new` for the sequences that are longer than step `at`, `old` for the others."""
    longer = to.add(CompareOp(CompareKind.GT, lengths, at)).result
    column = to.add(ReshapeOp(longer, (shaped(longer).dims[0], 1), to.sizes(longer))).result
    return to.add(WhereOp(column, new, old)).result


@dataclass(frozen=True)
class Run:
    """One direction of a layer."""

    step: Step
    weights: Weights
    lengths: SSAValue | None
    backwards: bool

    def one(
        self,
        to: Plain,
        x: SSAValue,
        at: SSAValue | None,
        states: Sequence[SSAValue],
        lengths: SSAValue | None,
        weights: Weights,
    ) -> tuple[list[SSAValue], SSAValue]:
        """The states after a step, and its output."""
        new = self.step(to, x, states, weights)
        if lengths is None or at is None:
            return new, new[0]
        output = kept(to, lengths, at, new[0], to.scalar(0.0, new[0]))
        return [kept(to, lengths, at, a, b) for a, b in zip(new, states)], output

    def unrolled(self, to: Plain, value: SSAValue, states: Sequence[SSAValue]) -> tuple[SSAValue, list[SSAValue]]:
        """All outputs `[T, B, H]` and the last states, step by step."""
        steps, outputs = range(shaped(value).dims[0]), dict[int, SSAValue]()
        current = list(states)
        for t in reversed(steps) if self.backwards else steps:
            at = None if self.lengths is None else to.scalar(t, self.lengths)
            current, outputs[t] = self.one(to, entry(to, value, t), at, current, self.lengths, self.weights)
        return stacked(to, [outputs[t] for t in steps], 0), current

    def scanned(self, to: Plain, value: SSAValue, states: Sequence[SSAValue]) -> tuple[SSAValue, list[SSAValue]]:
        """The same as a scan, which counts its steps where there are lengths."""
        counted = [] if self.lengths is None else [self._first(to, value, self.lengths)]
        carried = [*counted, *states]
        captures = [*self.weights.values, *([] if self.lengths is None else [self.lengths])]
        count = len(counted)

        def body(to: Plain, carried: Values, entries: Values, given: Values) -> tuple[Values, Values]:
            at, lengths = (carried[0], given[-1]) if counted else (None, None)
            weights = Weights(given[: len(self.weights.values)], self.weights.gates)
            new, output = self.one(to, entries[0], at, carried[count:], lengths, weights)
            after = [] if at is None else [to.plus(at, to.scalar(-1 if self.backwards else 1, at))]
            return [*after, *new], [output]

        results = scan(to, body, carried, [value], captures, reverse=self.backwards)
        return results[-1], results[count:-1]

    def _first(self, to: Plain, value: SSAValue, lengths: SSAValue) -> SSAValue:
        """The step that a direction begins with, of the type of `lengths`."""
        steps = shaped(value).dims[0]
        if not self.backwards or steps != DYNAMIC:
            return to.scalar(steps - 1 if self.backwards else 0, lengths)
        count = to.narrowed(to.laid(to.number(to.size(value, 0)), ()), lengths)
        return to.minus(count, to.scalar(1, count))


def layer(op: Recurrent, step: Step, gates: int) -> Decomposition | None:
    """Every direction, then all of them joined. None for no steps."""
    steps = shaped(op.input).dims[0]
    ways = directions(op.way)
    backwards = [op.way is Direction.REVERSE, True][:ways]
    if steps == 0:
        return None
    to = Plain()
    input = to.widened(op.input)
    lengths = None if op.lengths is None else to.add(CastOp(op.lengths, i32)).result
    outputs: list[SSAValue] = []
    last: list[list[SSAValue]] = []
    for way in range(ways):
        run = Run(step, _weights(to, op, way, gates), lengths, backwards[way])
        states = [_start(to, op, state, way, input) for state in _states(op)]
        form = run.unrolled if steps != DYNAMIC and steps <= MOST_UNROLLED else run.scanned
        output, final = form(to, input, states)
        outputs.append(output)
        last.append(final)
    joined = stacked(to, outputs, 1)
    ends = [stacked(to, states, 0) for states in zip(*last)]
    return to.done(*(to.narrowed(x, op.input) for x in (joined, *ends)))


def _states(op: Recurrent) -> list[SSAValue | None]:
    return [op.initial_h, op.initial_c] if isinstance(op, LstmOp) else [op.initial_h]


def _start(to: Plain, op: Recurrent, state: SSAValue | None, way: int, input: SSAValue) -> SSAValue:
    """A state before the first step, `[B, H]`."""
    if state is not None:
        return to.widened(entry(to, state, way))
    lies = [(input, 1), (op.recurrence, 2)]
    dims = [shaped(value).dims[axis] for value, axis in lies]
    sizes = [to.size(value, axis) for (value, axis), dim in zip(lies, dims) if dim == DYNAMIC]
    return to.add(ExpandOp(to.scalar(0.0, input), dims, sizes)).result


def _weights(to: Plain, op: Recurrent, way: int, gates: int) -> Weights:
    """Their sizes are said by the number of units, which the states have, where only a run knows it."""
    units = own_sizes(op.recurrence)[2]

    def taken(value: SSAValue, count: int) -> SSAValue:
        """The part of this direction, whose first axis is as many times the units."""
        mine = to.widened(entry(to, value, way))
        return mine if isinstance(units, int) else to.laid(mine, (count * units, *own_sizes(mine)[1:]))

    factors = [to.add(TransposeOp(taken(weight, gates), [1, 0])).result for weight in (op.weight, op.recurrence)]
    if op.bias is None:
        biases = [to.row(0.0, factor, 1) for factor in factors]
    else:
        biases = parts(to, taken(op.bias, 2 * gates), 2)
    peepholes = op.peepholes if isinstance(op, LstmOp) else None
    more = [] if peepholes is None else [taken(peepholes, 3)]
    return Weights([*factors, *biases, *more], gates)


@plain_form(RnnOp)
def rnn(op: RnnOp) -> Decomposition | None:
    kind = Activation.TANH if op.function is RnnActivation.TANH else Activation.RELU

    def step(to: Plain, x: SSAValue, states: Sequence[SSAValue], weights: Weights) -> list[SSAValue]:
        (read,), (loop,) = weights.sums(to, x, True), weights.sums(to, states[0], False)
        return [to.activated(kind, to.plus(read, loop))]

    return layer(op, step, 1)


@plain_form(GruOp)
def gru(op: GruOp) -> Decomposition | None:
    def step(to: Plain, x: SSAValue, states: Sequence[SSAValue], weights: Weights) -> list[SSAValue]:
        (h,) = states
        read, loop = weights.sums(to, x, True), weights.sums(to, h, False)
        z, r = (to.activated(Activation.SIGMOID, to.plus(read[i], loop[i])) for i in (0, 1))
        if op.linear_before_reset is not None:
            inner = to.times(r, loop[2])
        else:
            factor, bias = part(to, weights.values[1], 2, 3), part(to, weights.values[3], 2, 3)
            inner = to.matmul(to.times(r, h), factor, bias)
        new = to.activated(Activation.TANH, to.plus(read[2], inner))
        return [to.plus(to.times(to.minus(to.scalar(1.0, z), z), new), to.times(z, h))]

    return layer(op, step, 3)


@plain_form(LstmOp)
def lstm(op: LstmOp) -> Decomposition | None:
    def step(to: Plain, x: SSAValue, states: Sequence[SSAValue], weights: Weights) -> list[SSAValue]:
        h, c = states
        i, o, f, g = (to.plus(a, b) for a, b in zip(weights.sums(to, x, True), weights.sums(to, h, False)))
        peepholes = parts(to, weights.values[4], 3) if len(weights.values) > 4 else None
        if peepholes is not None:
            i, f = to.plus(i, to.times(peepholes[0], c)), to.plus(f, to.times(peepholes[2], c))
        i, f = to.activated(Activation.SIGMOID, i), to.activated(Activation.SIGMOID, f)
        after = to.plus(to.times(f, c), to.times(i, to.activated(Activation.TANH, g)))
        if peepholes is not None:
            o = to.plus(o, to.times(peepholes[1], after))
        return [to.times(to.activated(Activation.SIGMOID, o), to.activated(Activation.TANH, after)), after]

    return layer(op, step, 4)
