"""Contractions as loops over tiles whose sums stay in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from xdsl.ir import Operation, SSAValue

from rlx_passes.lowerings.to_loops.contraction import Contraction, contraction_of
from rlx_passes.lowerings.to_loops.dots import Dots
from rlx_passes.lowerings.to_loops.nest import Index, Nest
from rlx_passes.lowerings.to_loops.schedule import few_rows, schedule_of
from rlx_passes.lowerings.to_loops.tiled import Tiled
from rlx_passes.pipeline.chip import Chip


def lower_contraction(op: Operation, chip: Chip, *, fresh: bool = False, packed: SSAValue | None = None) -> bool:
    """
    Put loops for a contraction on memrefs before `op`; whether it is one. `op` stays.

    `fresh` says that `out` holds nothing yet, which stands for zeros. `packed` is rhs laid out ahead.
    """
    form = contraction_of(op)
    if form is None:
        return False
    nest = Nest()
    build(nest, form, chip, fresh=fresh, packed=packed)
    nest.insert_before(op)
    return True


def build(nest: Nest, form: Contraction, chip: Chip, *, fresh: bool, packed: SSAValue | None = None) -> None:
    """Build the loops of a contraction, see `lower_contraction`."""
    sizes = {loop: _size(nest, form, loop) for loop in range(len(form.sizes))}
    if fresh and (form.summed or not form.size(form.k)):
        # No round of the sum's loop is known to be the first one, or there may be none.
        _fill(nest, form, sizes)
        fresh = False
    most = few_rows(form, chip) if packed is None else None
    if most is None:
        return _build(nest, form, sizes, chip, fresh=fresh, packed=packed)
    rows = sizes[form.m] if form.m is not None else 1

    def up_to(limits: Sequence[int]) -> None:
        if not limits:
            return _build(nest, form, sizes, chip, fresh=fresh)
        first, *more = limits
        nest.choose(
            nest.compare(rows, "sle", first),
            lambda: _build(nest, form, sizes, chip, fresh=fresh, most=first),
            lambda: up_to(more),
        )

    up_to((1, most))


def _build(
    nest: Nest,
    form: Contraction,
    sizes: Mapping[int, Index],
    chip: Chip,
    *,
    fresh: bool,
    packed: SSAValue | None = None,
    most: int | None = None,
) -> None:
    product = None if packed is not None else Dots.of(nest, form, sizes, chip)
    if product is None:
        plan = schedule_of(form, chip, packed=packed is not None, most=most)
        product = Tiled(nest, form, sizes, plan, chip.fma, packed)
    with ExitStack() as around:
        at = {loop: around.enter_context(nest.loop(sizes[loop])).index for loop in (*form.around, *form.summed)}
        product.build(at, fresh=fresh)
    if isinstance(product, Tiled):
        product.finish()


def _size(nest: Nest, form: Contraction, loop: int) -> Index:
    known = form.sizes[loop]
    if known is not None:
        return known
    operand = next(each for each in (form.lhs, form.rhs, form.out) if loop in each.axes)
    return nest.size(operand.value, operand.axes.index(loop))


def _fill(nest: Nest, form: Contraction, sizes: Mapping[int, Index]) -> None:
    """Zeros into all of out."""
    zero = nest.zero(form.element)
    with ExitStack() as loops:
        at = [loops.enter_context(nest.loop(sizes[loop])).index for loop in form.out.axes]
        nest.store(zero, form.out.value, at)
