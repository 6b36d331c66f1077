"""Reductions over whole dims."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import BinaryKind, Extremum, ReduceKind
from rlx_dialect.constants import array_of
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import ArgReduceOp, BinaryOp, ConcatOp, ReduceOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import reduction as stable
from rlx_passes.frontends.stablehlo.data_movement import expanded, narrowed, reshaped
from rlx_passes.frontends.stablehlo.elementwise import binary_kind
from rlx_passes.frontends.stablehlo.regions import applied, decide, examples, single_op
from rlx_passes.frontends.stablehlo.vocabulary import counts_along, require_static
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import constant_value, splat_number

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array

NUMBERS = {
    BinaryKind.ADD: ReduceKind.SUM,
    BinaryKind.MAX: ReduceKind.MAX,
    BinaryKind.MIN: ReduceKind.MIN,
    BinaryKind.MUL: ReduceKind.PROD,
}
TRUTHS = {BinaryKind.BIT_OR: ReduceKind.ANY, BinaryKind.BIT_AND: ReduceKind.ALL}
Combine = Callable[[Sequence[SSAValue], Sequence[SSAValue]], list[SSAValue]]


def _reduce(op: stable.ReduceOp, emit: Emitter) -> Sequence[SSAValue]:
    """
    One elementwise op is a reduction of RLX; the greater or lesser of two values and its index are `rlx.arg_reduce`;
    any other body is applied to halves of the inputs until one entry is left.
    """
    axes = op.dimensions.get_values()
    single = single_op(op.body) if len(op.inputs) == 1 else None
    if single is not None:
        (input,), (init,) = op.inputs, op.init_values
        element = shaped(input).element
        kind = binary_kind(type(single), element)
        reduction = (TRUTHS if element == i1 else NUMBERS).get(kind)
        if reduction is not None:
            reduced = emit(ReduceOp(reduction, input, axes))
            return [reduced if is_identity(init, reduction) else emit(BinaryOp(kind, reduced, init))]
    found = _extremum(op)
    if found is not None:
        kind, last = found
        input, places = op.inputs
        index = shaped(places).element
        return emit.add(ArgReduceOp(kind, input, axis=axes[0], last=last, index=index)).results
    return _halved(op, axes, emit)


def is_identity(init: SSAValue, kind: ReduceKind) -> bool:
    """Whether an initial value is what the reduction of nothing gives."""
    value = constant_value(init)
    return value is not None and _is_identity(value, kind)


@lru_cache
def _is_identity(value: Attribute, kind: ReduceKind) -> bool:
    import numpy as np

    from rlx_dialect.reference.reduction import reduce

    try:
        array = array_of(value)
    except ValueError:
        return False
    return bool(array == reduce(np.empty(0, array.dtype), kind, (0,), keep_dims=False))


def _extremum(op: stable.ReduceOp) -> tuple[Extremum, bool] | None:
    """
    Whether `op` finds the greatest or least element along one axis and its index, and whether the last of equal ones.

    Which of two pairs the body keeps must depend on nothing but the order of values and of indices, NaN before all
    else; of two NaNs it may keep the one that came first.
    """
    import numpy as np

    axes = op.dimensions.get_values()
    if len(op.inputs) != 2 or len(axes) != 1 or not counts_along(op.inputs[1], axes[0]):
        return None
    if require_static(op.inputs[0]).dims[axes[0]] == 0 or splat_number(op.init_values[1]) != 0:
        return None
    indices = np.arange(3).astype(numpy_dtype(shaped(op.inputs[1]).element))
    values = examples(shaped(op.inputs[0]).element)
    pairs = [grid.ravel() for grid in np.meshgrid(values, indices, values, indices, indexing="ij")]
    try:
        value, index = decide(op.body.block, pairs)
    except Refusal:
        return None
    for kind, last in itertools.product(Extremum, (False, True)):
        if is_identity(op.init_values[0], IDENTITIES[kind]) and _keeps(kind, last, pairs, value, index):
            return kind, last
    return None


IDENTITIES = {Extremum.MAX: ReduceKind.MAX, Extremum.MIN: ReduceKind.MIN}


def _keeps(kind: Extremum, last: bool, pairs: Sequence[Array], value: Array, index: Array) -> bool:
    """Whether `value` and `index` are those of the extreme one of each two pairs."""
    import numpy as np

    a, i, b, j = pairs
    beyond = np.inf if kind is Extremum.MAX else -np.inf
    x, y = (np.where(each != each, beyond, each.astype(np.float64)) for each in (a, b))
    wins = x > y if kind is Extremum.MAX else x < y
    first = wins | ((x == y) & (i >= j if last else i <= j))
    wanted = np.where(first, a, b)
    equal = (value == wanted) | ((value != value) & (wanted != wanted))
    both = (a != a) & (b != b) & (not last)
    placed = (index == np.where(first, i, j)) | (both & (index == i))
    return bool((equal & placed).all())


def _halved(op: stable.ReduceOp, axes: Sequence[int], emit: Emitter) -> list[SSAValue]:
    """The order in which a reduction combines its elements is open, so that it may be that of a tree."""
    if sum(require_static(op.inputs[0]).dims[axis] for axis in axes) > LONGEST:
        raise Refusal(f"combines more than {LONGEST} entries by a body that is no RLX reduction")
    values, block = list(op.inputs), op.body.block
    for axis in sorted(axes, reverse=True):
        values = _folded(values, axis, lambda a, b: applied(block, [*a, *b], emit), emit)
    dims = require_static(op.results[0]).dims
    starts = [expanded(emit, init, dims) for init in op.init_values]
    return starts if not values else applied(block, [*starts, *values], emit)


LONGEST = 4096
"""Along how many entries a body is unrolled as a tree."""


def _folded(values: list[SSAValue], axis: int, combine: Combine, emit: Emitter) -> list[SSAValue]:
    """The entries along `axis` combined into one, the axis dropped; nothing of an axis without entries."""
    if not values:
        return []
    while (size := shaped(values[0]).dims[axis]) > 1:
        half = size // 2
        first, second = ([narrowed(emit, value, axis, start, half) for value in values] for start in (0, half))
        rest = [narrowed(emit, value, axis, 2 * half, size - 2 * half) for value in values]
        values = combine(first, second)
        if size % 2:
            values = [emit(ConcatOp(pair, axis=axis)) for pair in zip(values, rest)]
    dims = shaped(values[0]).dims
    if dims[axis] == 0:
        return []
    return [reshaped(emit, value, (*dims[:axis], *dims[axis + 1 :])) for value in values]


def _map(op: stable.MapOp, emit: Emitter) -> list[SSAValue]:
    return applied(op.computation.block, op.inputs, emit)


RULES: Rules = {stable.MapOp: _map, stable.ReduceOp: _reduce}
