"""Conditions on the places of queries and keys, as programs write them for sizes that only a run knows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, Triangle
from rlx_dialect.constants import scalar
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ExpandOp,
    FullOp,
    IotaOp,
    ReshapeOp,
    TransposeOp,
    TriluOp,
)
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.attention_bands import EVERYWHERE, Band
from rlx_passes.rewriting.constants import is_truth
from rlx_passes.rewriting.legality import dims_of, tensor_type

DEPTH = 16
"""How many ops deep a value is read."""

COUNTING = (i32, i64)
"""Integers that do not run over where places are counted, as a difference of unsigned ones does."""

OPPOSITE = {
    CompareKind.LT: CompareKind.GE,
    CompareKind.LE: CompareKind.GT,
    CompareKind.GT: CompareKind.LE,
    CompareKind.GE: CompareKind.LT,
    CompareKind.NE: CompareKind.EQ,
    CompareKind.EQ: CompareKind.NE,
}

QUERY, KEY = 2, 1
"""The axes of places, counted from the end."""


@dataclass(frozen=True)
class Line:
    """A whole number for each element: `start` and so many for each step along an axis, counted from the end."""

    start: int
    steps: Mapping[int, int] = field(default_factory=dict[int, int])

    def plus(self, other: "Line", times: int = 1) -> "Line":
        steps = dict(self.steps)
        for axis, step in other.steps.items():
            steps[axis] = steps.get(axis, 0) + times * step
        return Line(self.start + times * other.start, {axis: step for axis, step in steps.items() if step})


def band_between(value: SSAValue, inverted: bool) -> Band | None:
    """What a condition on the last two axes, queries and keys, shows, if that is a band that its text says."""
    owner = value.owner
    if isinstance(owner, FullOp):
        shows = bool(owner.value.value.data) == is_truth(value)
        return EVERYWHERE if shows != inverted else None
    if isinstance(owner, TriluOp) and constant_number(owner.input):
        kind = CompareKind.GE if owner.triangle is Triangle.UPPER else CompareKind.LE
        return bounded(kind, owner.diagonal.value.data, inverted == is_truth(value))
    if not isinstance(owner, CompareOp):
        return None
    left, right = line_of(owner.lhs), line_of(owner.rhs)
    if left is None or right is None:
        return None
    apart = left.plus(right, -1)
    if apart.steps == {KEY: 1, QUERY: -1}:
        return bounded(owner.comparison, -apart.start, inverted)
    if apart.steps == {KEY: -1, QUERY: 1}:
        return bounded(MIRRORED.get(owner.comparison, owner.comparison), apart.start, inverted)
    return None


MIRRORED = {
    CompareKind.LT: CompareKind.GT,
    CompareKind.LE: CompareKind.GE,
    CompareKind.GT: CompareKind.LT,
    CompareKind.GE: CompareKind.LE,
}


def bounded(kind: CompareKind, bound: int, inverted: bool) -> Band | None:
    """The band of the keys whose place less that of the query compares so with a number."""
    match OPPOSITE[kind] if inverted else kind:
        case CompareKind.LE:
            return Band(None, bound)
        case CompareKind.LT:
            return Band(None, bound - 1)
        case CompareKind.GE:
            return Band(bound, None)
        case CompareKind.GT:
            return Band(bound + 1, None)
        case CompareKind.EQ:
            return Band(bound, bound)
        case _:
            return None


def constant_number(value: SSAValue) -> float | None:
    """The one number that all elements are, whatever their count."""
    while isinstance(value.owner, ExpandOp):
        value = value.owner.input
    return float(value.owner.value.value.data) if isinstance(value.owner, FullOp) else scalar(value)


def line_of(value: SSAValue, depth: int = DEPTH) -> Line | None:
    """An integer value as a line, by the ops that compute it."""
    if not depth or tensor_type(value).element_type not in COUNTING:
        return None
    number = constant_number(value)
    if number is not None:
        return Line(int(number))
    owner, rank = value.owner, len(dims_of(value))
    match owner:
        case IotaOp():
            return Line(0, {rank - owner.axis.value.data % rank: 1})
        case CastOp():
            return line_of(owner.input, depth - 1)
        case ReshapeOp() | ExpandOp() | TransposeOp():
            inner = line_of(owner.input, depth - 1)
            return None if inner is None else moved(inner, owner)
        case ActivationOp() if owner.activation is Activation.NEG:
            inner = line_of(owner.input, depth - 1)
            return None if inner is None else Line(0).plus(inner, -1)
        case BinaryOp() if owner.binary in (BinaryKind.ADD, BinaryKind.SUB):
            left, right = line_of(owner.lhs, depth - 1), line_of(owner.rhs, depth - 1)
            if left is None or right is None:
                return None
            return left.plus(right, 1 if owner.binary is BinaryKind.ADD else -1)
        case _:
            return None


def moved(line: Line, op: ReshapeOp | ExpandOp | TransposeOp) -> Line | None:
    """The line after an op that moves axes; None where an axis along which it steps is split, joined or stretched."""
    before, after = dims_of(op.input), dims_of(op.result)
    if isinstance(op, TransposeOp):
        places = op.permutation.get_values()
        to = {len(before) - axis: len(after) - place for place, axis in enumerate(places)}
    elif isinstance(op, ExpandOp):
        to = {axis: axis for axis in line.steps if before[-axis] == after[-axis]}
    else:
        old = [axis for axis in range(1, len(before) + 1) if before[-axis] != 1]
        new = [axis for axis in range(1, len(after) + 1) if after[-axis] != 1]
        if [before[-axis] for axis in old] != [after[-axis] for axis in new] or before.count(DYNAMIC) > 1:
            return None
        to = dict(zip(old, new))
    if not line.steps.keys() <= to.keys():
        return None
    return Line(line.start, {to[axis]: step for axis, step in line.steps.items()})
