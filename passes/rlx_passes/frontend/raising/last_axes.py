"""
Values read along their last axes, element by element: as sums of elements of one value, each with factors from others.

What only moves elements (slices, joins, reshapes) is looked through, however it is written; sums, products and signs are followed as far as
they depend on the one value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.constants import array_of, constant_of, scalar
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    ConcatOp,
    ExpandOp,
    GatherOp,
    NarrowOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from rlx_dialect.shapes import DYNAMIC, Dims, normalize_axis
from rlx_passes.frontend.raising.attention_operands import is_size
from rlx_passes.legality import dims_of, require
from rlx_passes.miss import Miss, Reason

if TYPE_CHECKING:
    from rlx_dialect.reference import Array

DEPTH = 16
"""How many ops deep a value is read."""

MOST_ELEMENTS = 4096
"""How many elements the last axes may have together."""


class Element(NamedTuple):
    """An element of the last `axes` axes of a value, in row-major order."""

    value: SSAValue
    axes: int
    index: int


Term: TypeAlias = "tuple[int | None, tuple[Element, ...]]"
"""Which element of the base, if any, and the factors beside it."""

Form: TypeAlias = "dict[Term, float]"
"""A sum of terms with their numbers."""


class Step(NamedTuple):
    """What a value is made of, each source with the number of its axes that are read, and how: arrays of forms in, one out."""

    sources: tuple[tuple[SSAValue, int], ...]
    apply: Callable[[Sequence[Array]], Array]
    moves: bool = True
    """Whether elements are only placed, not computed."""


class Reading:
    """The values that were read beside `base`, whose elements along its last axis are the unknowns."""

    def __init__(self, base: SSAValue):
        self.base = base
        self.known: dict[tuple[SSAValue, int], Array] = {}
        self.path: dict[Operation, bool] = {}
        """The ops between the base and what was read, and whether each only places elements of the base."""

    def read(self, value: SSAValue, axes: int, depth: int = DEPTH) -> Array:
        """The forms of the elements along the last `axes` axes. Raises `Miss` where their number is not known or large."""
        key = (value, axes)
        if key not in self.known:
            found = self._computed(value, axes, depth)
            self.known[key] = self._opaque(value, axes) if found is None else found
        return self.known[key]

    def _computed(self, value: SSAValue, axes: int, depth: int) -> Array | None:
        if value is self.base and axes == 1:
            return filled((dims_of(value)[-1],), [{(i, ()): 1.0} for i in range(dims_of(value)[-1])])
        number = scalar(value)
        if number is not None:
            return filled((1,) * axes, [{(None, ()): number}])
        step = step_of(value, axes) if depth else None
        if step is None:
            return None
        parts = [self.read(source, count, depth - 1) for source, count in step.sources]
        if not step.moves and not any(map(has_base, parts)):
            return None
        result = step.apply(parts)
        if has_base(result) and isinstance(value.owner, Operation):
            self.path[value.owner] = all(is_element(form) for form in result.flat)
        return result

    def _opaque(self, value: SSAValue, axes: int) -> Array:
        dims = inner(value, axes)
        return filled(dims, [{(None, (Element(value, axes, i),)): 1.0} for i in range(prod(dims))])

    def tables(self) -> Iterator[tuple[SSAValue, int, tuple[Element, ...]]]:
        """The values beside the base of which every element is one of some value, what they come from first."""
        for (value, axes), forms in self.known.items():
            elements = [single_factor(form) for form in forms.flat]
            if all(elements):
                yield value, axes, tuple(e for e in elements if e is not None)


def inner(value: SSAValue, axes: int) -> Dims:
    """The last `axes` dims of a value. Raises `Miss` where they are not known or large."""
    dims = dims_of(value)
    dims = dims[len(dims) - axes :]
    require(DYNAMIC not in dims, Reason.DYNAMIC, value)
    require(prod(dims) <= MOST_ELEMENTS, Reason.TOO_LARGE, value)
    return dims


def filled(dims: Dims, forms: Sequence[Form]) -> Array:
    """An array of forms in row-major order."""
    import numpy as np

    array = np.empty(len(forms), object)
    for i, form in enumerate(forms):
        array[i] = form
    return array.reshape(dims)


def has_base(forms: Array) -> bool:
    return any(index is not None for form in forms.flat for index, _ in form)


def is_element(form: Form) -> bool:
    """Whether a form is one element of the base."""
    return list(form.values()) == [1.0] and all(index is not None and not factors for index, factors in form)


def single_factor(form: Form) -> Element | None:
    """The element that a form is, if it is one of another value than the base."""
    if list(form.values()) != [1.0]:
        return None
    ((index, factors),) = form
    return factors[0] if index is None and len(factors) == 1 else None


# Steps


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
            return Step(((op.input, axes),), lambda parts: each(parts[0], negative), moves=False)
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
        case _:
            return None


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
    return Step(((op.input, axes),), lambda parts: parts[0].take(range(start, start + length), axis))


def _sliced(op: SliceOp, outer: int, axes: int) -> Step | None:
    starts, steps = op.starts.get_values(), op.steps.get_values()
    whole = all(start == 0 and step == 1 for start, step in zip(starts[:outer], steps[:outer]))
    if not whole or not _same_sizes(op, op.input, outer, outer):
        return None

    def apply(parts: Sequence[Array]) -> Array:
        array = parts[0]
        for axis, size in enumerate(inner(op.result, axes)):
            start, step = starts[outer + axis], steps[outer + axis]
            array = array.take([start + step * i for i in range(size)], axis)
        return array

    return Step(((op.input, axes),), apply)


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
    return Step(((op.table, axes),), lambda parts: parts[0].take(array_of(indices).tolist(), axis))


def _reshaped(op: ReshapeOp, outer: int, axes: int) -> Step | None:
    """A reshape that keeps what lies outside of the last axes, ones in front left out."""
    dims, rank = inner(op.result, axes), len(dims_of(op.input))
    for count in range(1, rank + 1):
        before = dims_of(op.input)[rank - count :]
        if DYNAMIC in before or prod(before) != prod(dims):
            continue
        if _same_sizes(op, op.input, outer, rank - count):
            return Step(((op.input, count),), lambda parts: parts[0].reshape(dims))
    return None


def _stretched(op: ExpandOp, axes: int) -> Step:
    dims = inner(op.result, axes)

    def apply(parts: Sequence[Array]) -> Array:
        import numpy as np

        return np.broadcast_to(parts[0], dims)

    return Step(((op.input, min(axes, len(dims_of(op.input)))),), apply)


def _moved(op: TransposeOp, outer: int, axes: int) -> Step | None:
    order = op.permutation.get_values()
    if list(order[:outer]) != list(range(outer)):
        return None
    return Step(((op.input, axes),), lambda parts: parts[0].transpose([axis - outer for axis in order[outer:]]))


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


# Forms


def each(forms: Array, change: Callable[[Form], Form]) -> Array:
    return filled(forms.shape, [change(form) for form in forms.flat])


def negative(form: Form) -> Form:
    return {term: -number for term, number in form.items()}


def plus(a: Form, b: Form) -> Form:
    return {term: a.get(term, 0.0) + b.get(term, 0.0) for term in (*a, *(term for term in b if term not in a))}


def minus(a: Form, b: Form) -> Form:
    return plus(a, negative(b))


def times(a: Form, b: Form) -> Form:
    """Raises `Miss` for the product of two elements of the base."""
    product: Form = {}
    for (i, left), x in a.items():
        for (j, right), y in b.items():
            if i is not None and j is not None:
                raise Miss(Reason.NOT_PRODUCED_BY, detail="a product of the value with itself")
            term = (j if i is None else i, (*left, *right))
            product[term] = product.get(term, 0.0) + x * y
    return product


COMBINED = {BinaryKind.ADD: plus, BinaryKind.SUB: minus, BinaryKind.MUL: times}
