"""
Values read along their last axes, element by element: as sums of elements of one value, each with factors from others.

What only moves elements (slices, joins, reshapes) is looked through, however it is written; sums, products and signs
are followed as far as they depend on the one value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from rlx_dialect.constants import scalar
from rlx_passes.raising.forms import Element, Form, filled, has_base, is_element, single_factor
from rlx_passes.raising.last_axes_steps import inner, step_of
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import dims_of, tensor_type

if TYPE_CHECKING:
    from rlx_dialect.reference import Array

DEPTH = 16
"""How many ops deep a value is read."""


class Reading:
    """The values that were read beside `base`, whose elements along its last axis are the unknowns."""

    def __init__(self, base: SSAValue):
        self.base = base
        self.known: dict[tuple[SSAValue, int], Array] = {}
        self.path: dict[Operation, bool] = {}
        """The ops between the base and what was read, and whether each only places elements of the base."""

    def read(self, value: SSAValue, axes: int, depth: int = DEPTH) -> Array:
        """The forms of the elements along the last `axes` axes. Raises `Miss` if their number is unknown or large."""
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
            dims = inner(value, axes)
            form: Form = {(None, ()): number}
            return filled(dims, [form] * prod(dims))
        signs = signs_of(value, axes)
        if signs is not None:
            return signs
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
            elements = tuple(takewhile(bool, map(single_factor, forms.flat)))
            if len(elements) == forms.size:
                yield value, axes, tuple(e for e in elements if e is not None)


def signs_of(value: SSAValue, axes: int) -> Array | None:
    """A constant's values along its last axes if all are 1 or -1, as in a negation of halves; else None."""
    rank = len(dims_of(value))
    if not 0 < rank <= axes or not isinstance(tensor_type(value).element_type, AnyFloat):
        return None
    numbers = evaluated(value)
    if numbers is None or not all(abs(number) == 1 for number in numbers.flat):
        return None
    forms: list[Form] = [{(None, ()): float(number)} for number in numbers.flat]
    return filled((1,) * (axes - rank) + numbers.shape, forms)
