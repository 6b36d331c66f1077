"""Sorts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from rlx_dialect.ops import ArgsortOp, CastOp, GatherElementsOp, SortOp, TopKOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import chlo
from rlx_passes.dialects.stablehlo import indexing as stable
from rlx_passes.frontends.stablehlo.regions import decide, examples
from rlx_passes.frontends.stablehlo.vocabulary import counts_along
from rlx_passes.rewriting.conversion import Emitter, Rules

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array

Keys = Sequence[tuple[int, bool]]
"""Which inputs a sort compares, the first one first, and which of them in descending order."""


def _sort(op: stable.SortOp, emit: Emitter) -> list[SSAValue]:
    """
    A sort by one key is `rlx.sort` of it; what goes along is gathered from where the elements of the key stood. Several
    keys are as many stable sorts, the last key first.
    """
    rank = shaped(op.inputs[0]).rank
    axis = (-1 if op.dimension is None else op.dimension.value.data) % rank if rank else 0
    if rank == 0:
        raise Refusal("sorts a scalar")
    keys = _keys(op)
    (first, descending), *later = keys
    if len(op.inputs) == 1:
        return [emit(SortOp(op.inputs[0], axis=axis, descending=descending))]
    places: SSAValue | None = None
    for key, falling in reversed(keys):
        value = _at(emit, op.inputs[key], places, axis)
        order = emit(ArgsortOp(value, axis=axis, descending=falling, index=i32))
        places = _at(emit, places, order, axis) if places is not None else order
    results: list[SSAValue] = []
    for i, value in enumerate(op.inputs):
        if i == first and not later:
            results.append(emit(SortOp(value, axis=axis, descending=descending)))
        elif places is not None and counts_along(value, axis):
            element = shaped(value).element
            results.append(places if element == i32 else emit(CastOp(places, element)))
        else:
            results.append(_at(emit, value, places, axis))
    return results


def _at(emit: Emitter, value: SSAValue, places: SSAValue | None, axis: int) -> SSAValue:
    """The elements of `value` that stood at `places`."""
    return value if places is None else emit(GatherElementsOp(value, places, axis=axis))


def _keys(op: stable.SortOp) -> Keys:
    """
    What the comparator compares. It must order as RLX does: NaN above all else and the two zeros alike, or say nothing
    of NaN, with which a comparison orders nothing.
    """
    import numpy as np

    block = op.comparator.block
    used = [i for i in range(len(op.inputs)) if any(block.args[at].first_use is not None for at in (2 * i, 2 * i + 1))]
    if not 1 <= len(used) <= 2:
        raise Refusal(f"compares {len(used)} of its inputs")
    axes = [examples(shaped(op.inputs[i]).element) for i in used for _ in range(2)]
    grids = [grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")]
    given = [grids[2 * used.index(at // 2) + at % 2] if at // 2 in used else grids[0] for at in range(len(block.args))]
    (before,) = decide(block, given)
    pairs = {i: (grids[2 * at], grids[2 * at + 1]) for at, i in enumerate(used)}
    for order in itertools.permutations(used):
        for falling in itertools.product((False, True), repeat=len(used)):
            keys = list(zip(order, falling))
            rows = [(*pairs[i], down) for i, down in keys]
            if any((before == _less(rows, greatest_nan=greatest)).all() for greatest in (True, False)):
                return keys
    raise Refusal(
        "orders its elements in another way than rlx.sort, which takes the two zeros for equal and NaN for greatest"
    )


def _less(keys: Sequence[tuple[Array, Array, bool]], *, greatest_nan: bool) -> Array:
    """Whether the first of two rows of keys comes before the second; NaN is greater than all else, or unordered."""
    import numpy as np

    less, equal = np.zeros(keys[0][0].shape, np.bool_), np.ones(keys[0][0].shape, np.bool_)
    for a, b, falling in keys:
        x, y = (np.where(each != each, np.inf if greatest_nan else np.nan, each.astype(np.float64)) for each in (a, b))
        less |= equal & (x > y if falling else x < y)
        equal &= x == y
    return less


def _top_k(op: chlo.TopKOp, emit: Emitter) -> Sequence[SSAValue]:
    found = emit.add(TopKOp(op.operand, op.k.value.data, axis=-1, index=shaped(op.indices).element))
    return found.results


RULES: Rules = {chlo.TopKOp: _top_k, stable.SortOp: _sort}
