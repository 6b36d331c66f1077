"""Sums of elements of one value, each with factors that are elements of other values; arrays of such sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.shapes import Dims
from rlx_passes.rewriting.miss import Miss, Reason

if TYPE_CHECKING:
    from rlx_dialect.reference import Array


class Element(NamedTuple):
    """The element `place` of the last `axes` axes of a value, in row-major order."""

    value: SSAValue
    axes: int
    place: int


Term: TypeAlias = tuple[int | None, tuple[Element, ...]]
"""Which element of the base, if any, and the factors beside it."""

Form: TypeAlias = dict[Term, float]
"""A sum of terms with their numbers."""


def filled(dims: Dims, forms: Sequence[Form]) -> Array:
    """An array of forms in row-major order."""
    import numpy as np

    array = np.empty(len(forms), object)
    for i, form in enumerate(forms):
        array[i] = form
    return array.reshape(dims)


def has_base(forms: Array) -> bool:
    return any(place is not None for form in forms.flat for place, _ in form)


def is_element(form: Form) -> bool:
    """Whether a form is one element of the base."""
    return list(form.values()) == [1.0] and all(place is not None and not factors for place, factors in form)


def single_factor(form: Form) -> Element | None:
    """The element that a form is, if it is one of another value than the base."""
    if list(form.values()) != [1.0]:
        return None
    ((place, factors),) = form
    return factors[0] if place is None and len(factors) == 1 else None


def negative(form: Form) -> Form:
    return {term: -number for term, number in form.items()}


def plus(a: Form, b: Form) -> Form:
    total = dict(a)
    for term, number in b.items():
        total[term] = total.get(term, 0.0) + number
    return total


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


COMBINED: dict[BinaryKind, Callable[[Form, Form], Form]] = {
    BinaryKind.ADD: plus,
    BinaryKind.SUB: minus,
    BinaryKind.MUL: times,
}
"""What the binary ops that are followed make of two forms."""
