"""Contractions as loops over tiles whose sums stay in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AnyFloat, IntegerType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_passes.lowerings.to_loops.contraction import Contraction, Operand, contraction_of
from rlx_passes.lowerings.to_loops.dots import Dots
from rlx_passes.lowerings.to_loops.memrefs import constant
from rlx_passes.lowerings.to_loops.nest import Index, Nest
from rlx_passes.lowerings.to_loops.schedule import MANY, Schedule, few_rows, schedule_of, tile
from rlx_passes.lowerings.to_loops.tiled import Tiled
from rlx_passes.pipeline.chip import Chip

_ROUND = 1 << 18
"""Bytes that a round lays out."""


def lower_contraction(op: Operation, chip: Chip, *, fresh: bool = False) -> bool:
    """
    Put loops for a contraction on memrefs before `op`; whether it is one. `op` stays.

    `fresh` says that `out` holds nothing yet, which stands for zeros.
    """
    form = contraction_of(op)
    if form is None:
        return False
    nest = Nest()
    build(nest, form, chip, fresh=fresh)
    nest.insert_before(op)
    return True


class Panels(NamedTuple):
    """
    An operand of a product that may be laid out ahead: as `shape`, panels of all products of a sum of some columns.

    `turned` if its rows are the columns of the product.
    """

    operand: SSAValue
    shape: tuple[int, int, int]
    turned: bool


def lays_out(op: Operation, chip: Chip, *, ahead: bool = False) -> bool:
    """
    Whether `op` is a product that lays its second matrix out anew, of many rows at least.

    One that is laid out `ahead` of all calls costs nothing, and is read in panels by any product that has tiles.
    """
    form = contraction_of(op)
    if form is None or form.rhs.panels or Dots.of(Nest(), form, {}, chip) is not None:
        return False
    return ahead or schedule_of(form, chip).packs_rhs


def panels_of(op: Operation, chip: Chip) -> Panels | None:
    """How the second matrix of a product may be laid out ahead, if it is one of known sizes."""
    form = contraction_of(op)
    if (
        form is None
        or form.rhs.panels
        or form.rhs.taps
        or len(form.rhs.axes) != 2
        or form.n is None
        or form.n not in form.rhs.axes
    ):
        return None
    n, k = form.size(form.n), form.size(form.k)
    if not n or not k:
        return None
    lanes = chip.lanes(form.element.bitwidth)
    columns = tile(chip, lanes, MANY, MANY)[1] * lanes
    return Panels(form.rhs.value, (-(-n // columns), k, columns), form.rhs.axes[0] == form.n)


def lay_out(
    before: Operation, source: SSAValue, panels: Panels, into: SSAValue, chip: Chip, *, at_once: bool = False
) -> None:
    """
    Put loops before an op that lay out `source`, a matrix like `panels.operand`, in memory of `panels.shape`.

    With `at_once` a large matrix is laid out in rounds of a `scf.parallel`.
    """
    nest = Nest()
    source_type, type = (cast("MemRefType[Attribute]", each.type) for each in (source, into))
    element = cast("AnyFloat | IntegerType", type.element_type)
    widening = None
    if source_type.element_type != element:
        widening = arith.ExtSIOp if isinstance(element, IntegerType) else arith.ExtFOp
    rhs = Operand(source, (1, 0) if panels.turned else (0, 1), widening)
    out = Operand(into, ())
    k, n = (source_type.get_shape()[axis] for axis in rhs.axes)
    form = Contraction(rhs, rhs, out, None, 1, 0, (), (), (k, n))
    lanes = chip.lanes(element.bitwidth)
    columns = panels.shape[2]
    plan = Schedule(1, columns // lanes, lanes, 1, k, panels.shape[0] * columns, packs_lhs=False, packs_rhs=False)
    width = max(_ROUND // (k * element.bitwidth // 8) // columns, 1) * columns if at_once else plan.width
    Tiled(nest, form, (k, n), plan, chip.fma, into).lay_out(into, width, -(-n // width))
    nest.insert_before(before)


def build(nest: Nest, form: Contraction, chip: Chip, *, fresh: bool) -> None:
    """Build the loops of a contraction, see `lower_contraction`."""
    sizes = {loop: _size(nest, form, loop) for loop in range(len(form.sizes))}
    if fresh and (form.summed or not form.size(form.k)):
        # No round of the sum's loop is known to be the first one, or there may be none.
        _fill(nest, form, sizes)
        fresh = False

    def up_to(limits: Sequence[int]) -> None:
        if not limits:
            return _build(nest, form, sizes, chip, fresh=fresh, most=bound)
        first, *more = limits
        nest.choose(
            nest.compare(sizes[cast(int, form.m)], "sle", first),
            lambda: _build(nest, form, sizes, chip, fresh=fresh, most=first),
            lambda: up_to(more),
        )

    bound = _bound(form)
    up_to(few_rows(form, chip, form.rhs.panels or None))


def _bound(form: Contraction) -> int | None:
    """Up to how many rows of an unknown number there are, where they are a part cut off by a block's size."""
    view = form.lhs.value.owner
    if form.m is None or form.sizes[form.m] is not None or not isinstance(view, memref.SubviewOp):
        return None
    given = dict(zip([axis for axis, size in enumerate(form.lhs.sizes()) if size < 0], view.sizes))
    size = given.get(form.lhs.axes.index(form.m))
    least = size.owner if size is not None else None
    bounds = [constant(each) for each in least.operands] if isinstance(least, arith.MinUIOp) else []
    return min((bound for bound in bounds if bound is not None), default=None)


def _build(
    nest: Nest,
    form: Contraction,
    sizes: Mapping[int, Index],
    chip: Chip,
    *,
    fresh: bool,
    most: int | None = None,
) -> None:
    product = None if form.rhs.panels else Dots.of(nest, form, sizes, chip)
    if product is None:
        plan = schedule_of(form, chip, packed=form.rhs.panels or None, most=most)
        product = Tiled(nest, form, sizes, plan, chip.fma, form.rhs.value if form.rhs.panels else None)
        product.begin()
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
