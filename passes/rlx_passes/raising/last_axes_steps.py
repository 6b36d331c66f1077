"""How the elements along the last axes of a value come from those of its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from xdsl.ir import Block, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.constants import array_of, constant_of
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    ComplexOp,
    ConcatOp,
    ExpandOp,
    GatherOp,
    ImagOp,
    NarrowOp,
    RealOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from rlx_dialect.shapes import DYNAMIC, Dims, normalize_axis
from rlx_passes.raising.attention_operands import is_size
from rlx_passes.raising.forms import COMBINED, Form, filled, minus, negative, plus, times
from rlx_passes.rewriting.legality import dims_of, require
from rlx_passes.rewriting.miss import Reason

if TYPE_CHECKING:
    from rlx_dialect.reference import Array

MOST_ELEMENTS = 4096
"""How many elements the last axes may have together."""


class Step(NamedTuple):
    """What a value is made of: each source, how many of its axes are read, and how (arrays of forms in, one out)."""

    sources: tuple[tuple[SSAValue, int], ...]
    apply: Callable[[Sequence[Array]], Array]
    moves: bool = True
    """Whether elements are only placed, not computed."""


def of_one(source: SSAValue, axes: int, change: Callable[[Array], Array], moves: bool = True) -> Step:
    """A step with one source."""

    def apply(parts: Sequence[Array]) -> Array:
        return change(parts[0])

    return Step(((source, axes),), apply, moves)


def inner(value: SSAValue, axes: int) -> Dims:
    """The last `axes` dims of a value. Raises `Miss` where they are not known or large."""
    dims = dims_of(value)
    dims = dims[len(dims) - axes :]
    require(DYNAMIC not in dims, Reason.DYNAMIC, value)
    require(prod(dims) <= MOST_ELEMENTS, Reason.TOO_LARGE, value)
    return dims


def step_of(value: SSAValue, axes: int) -> Step | None:
    """How the last `axes` axes of a value come from its operands, or None where that is none of the known ways."""
    op = value.owner
    if isinstance(op, Block) or axes > len(dims_of(value)):
        return None
    outer = len(dims_of(value)) - axes
    match op:
        case BinaryOp() if op.binary in COMBINED:
            return _combined(op, axes)
        case ActivationOp() if op.activation is Activation.NEG:
            return of_one(op.input, axes, _negated, moves=False)
        case NarrowOp():
            return _narrowed(op, outer, axes)
        case SliceOp():
            return _sliced(op, outer, axes)
        case ConcatOp():
            return _joined(op, outer, axes)
        case GatherOp():
            return _gathered(op, outer, axes)
        case ReshapeOp():
            return _reshaped(op, outer, axes)
        case ExpandOp():
            return _stretched(op, axes)
        case TransposeOp():
            return _moved(op, outer, axes)
        case RealOp() | ImagOp():
            parts = complex_parts(op.input, axes)
            return None if parts is None else parts[isinstance(op, ImagOp)]
        case _:
            return None


def _negated(array: Array) -> Array:
    return filled(array.shape, [negative(form) for form in array.flat])


def _combined(op: BinaryOp, axes: int) -> Step:
    combine = COMBINED[op.binary]
    dims = inner(op.result, axes)

    def apply(parts: Sequence[Array]) -> Array:
        import numpy as np

        left, right = (np.broadcast_to(part, dims).flat for part in parts)
        return filled(dims, [combine(a, b) for a, b in zip(left, right)])

    return Step(tuple((v, min(axes, len(dims_of(v)))) for v in op.operands), apply, moves=False)


def _narrowed(op: NarrowOp, outer: int, axes: int) -> Step | None:
    axis = normalize_axis(op.axis.value.data, outer + axes) - outer
    if axis < 0:
        return None
    start, length = op.start.value.data, op.length.value.data
    return of_one(op.input, axes, lambda array: array.take(range(start, start + length), axis))


def _sliced(op: SliceOp, outer: int, axes: int) -> Step | None:
    starts, steps = op.starts.get_values(), op.steps.get_values()
    whole = all(start == 0 and step == 1 for start, step in zip(starts[:outer], steps[:outer]))
    if not whole or not _same_sizes(op, op.input, outer, outer):
        return None

    def change(array: Array) -> Array:
        for axis, size in enumerate(inner(op.result, axes)):
            start, step = starts[outer + axis], steps[outer + axis]
            array = array.take([start + step * i for i in range(size)], axis)
        return array

    return of_one(op.input, axes, change)


def _joined(op: ConcatOp, outer: int, axes: int) -> Step | None:
    axis = normalize_axis(op.axis.value.data, outer + axes) - outer
    if axis < 0:
        return None

    def apply(parts: Sequence[Array]) -> Array:
        import numpy as np

        return np.concatenate(parts, axis)

    return Step(tuple((part, axes) for part in op.inputs), apply)


def _gathered(op: GatherOp, outer: int, axes: int) -> Step | None:
    """A choice by constants; one axis stays one axis."""
    indices = constant_of(op.indices)
    axis = normalize_axis(op.axis.value.data, outer + axes) - outer
    if indices is None or len(dims_of(op.indices)) != 1 or axis < 0:
        return None
    places = [int(place) for place in array_of(indices)]
    if not all(0 <= place < inner(op.table, axes)[axis] for place in places):
        return None
    return of_one(op.table, axes, lambda array: array.take(places, axis))


def _reshaped(op: ReshapeOp, outer: int, axes: int) -> Step | None:
    """A reshape that keeps what lies outside of the last axes, ones in front left out."""
    dims, rank = inner(op.result, axes), len(dims_of(op.input))
    for count in range(1, rank + 1):
        before = dims_of(op.input)[rank - count :]
        if DYNAMIC in before or prod(before) != prod(dims):
            continue
        if _same_sizes(op, op.input, outer, rank - count):
            return of_one(op.input, count, lambda array: array.reshape(dims))
    return None


def _stretched(op: ExpandOp, axes: int) -> Step:
    dims = inner(op.result, axes)

    def change(array: Array) -> Array:
        import numpy as np

        return np.broadcast_to(array, dims)

    return of_one(op.input, min(axes, len(dims_of(op.input))), change)


def _moved(op: TransposeOp, outer: int, axes: int) -> Step | None:
    order = op.permutation.get_values()
    if list(order[:outer]) != list(range(outer)):
        return None
    return of_one(op.input, axes, lambda array: array.transpose([axis - outer for axis in order[outer:]]))


def _same_sizes(op: ReshapeOp | SliceOp, source: SSAValue, after: int, before: int) -> bool:
    """Whether the first `after` dims of the result are the first `before` dims of the input, ones in front left out."""
    new, old = list(enumerate(dims_of(op.result)[:after])), list(enumerate(dims_of(source)[:before]))
    while new and new[0][1] == 1:
        new.pop(0)
    while old and old[0][1] == 1:
        old.pop(0)
    if [d for _, d in new] != [d for _, d in old]:
        return False
    if isinstance(op, ReshapeOp) and dims_of(op.result).count(DYNAMIC) <= 1 and 0 not in dims_of(op.result):
        return True
    places = [axis for axis, d in enumerate(dims_of(op.result)) if d == DYNAMIC]
    sizes = dict(zip(places, op.sizes))
    return all(d != DYNAMIC or is_size(sizes[axis], source, was) for (axis, d), (was, _) in zip(new, old))


# Complex numbers


def complex_parts(value: SSAValue, axes: int) -> tuple[Step, Step] | None:
    """How real and imaginary parts come from real values: pairs of these, moved, and products of two such values."""
    op = value.owner
    if isinstance(op, ComplexOp):
        return of_one(op.real, axes, _same), of_one(op.imag, axes, _same)
    if isinstance(op, BinaryOp):
        sides = [complex_parts(side, min(axes, len(dims_of(side)))) for side in op.operands]
        left, right = sides
        if op.binary is not BinaryKind.MUL or left is None or right is None:
            return None
        (a, b), (c, d), dims = left, right, inner(value, axes)
        return _of_products((a, c), (b, d), minus, dims), _of_products((a, d), (b, c), plus, dims)
    step = step_of(value, axes) if isinstance(op, ReshapeOp | ExpandOp) else None
    if step is None:
        return None
    parts = complex_parts(*step.sources[0])
    return None if parts is None else (_after(parts[0], step), _after(parts[1], step))


def _same(array: Array) -> Array:
    return array


def _after(first: Step, second: Step) -> Step:
    """Both steps, one after the other."""

    def apply(parts: Sequence[Array]) -> Array:
        return second.apply([first.apply(parts)])

    return Step(first.sources, apply, first.moves)


def _of_products(
    first: tuple[Step, Step], second: tuple[Step, Step], combine: Callable[[Form, Form], Form], dims: Dims
) -> Step:
    """The sum or difference of two products."""
    steps = (*first, *second)

    def apply(parts: Sequence[Array]) -> Array:
        import numpy as np

        rest = list(parts)
        arrays: list[Array] = []
        for step in steps:
            count = len(step.sources)
            arrays.append(np.broadcast_to(step.apply(rest[:count]), dims))
            rest = rest[count:]
        factors = zip(*(array.flat for array in arrays))
        return filled(dims, [combine(times(a, b), times(c, d)) for a, b, c, d in factors])

    return Step(tuple(source for step in steps for source in step.sources), apply, moves=False)
