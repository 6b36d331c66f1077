"""Which masks of written attention are conditions on keys, and what these show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import frexp, inf
from typing import TYPE_CHECKING

from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.constants import constant_op, scalar, splat
from rlx_dialect.ops import (
    BinaryOp,
    CastOp,
    CompareOp,
    ExpandOp,
    LogicalNotOp,
    ReshapeOp,
    TransposeOp,
    TriluOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped
from rlx_passes.raising.attention_bands import EVERYWHERE, Band, band_of
from rlx_passes.raising.attention_places import band_between, constant_number
from rlx_passes.raising.attention_scores import Mask, Replaced
from rlx_passes.raising.trail import is_widening
from rlx_passes.rewriting.constants import EPSILONS, LOWEST, is_truth
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import dims_of, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

if TYPE_CHECKING:
    from rlx_dialect.reference import Array

HIDING = -1e9
"""A finite score at or below this hides a key: beside any score above it, its exponential is zero."""

LOST = 32.0
"""A score up to this that a sum rounds away is lost: beside -1e9 in f32, the lowest f32, f64 or bf16, but not f16."""

KEPT = 1e-2
"""Up to this the rounding of a sum counts as one like others."""

FADING = -1e3
"""At or below this a finite number that is added where a condition says so is meant to hide."""


@dataclass(frozen=True)
class Extent:
    """The dims of the scores as `[batch, heads, queries, keys]`, and how many dims come before the last two."""

    dims: Dims
    leading: int
    element: Attribute
    order: tuple[int, ...] = ()
    """Where masks meet the scores with their axes moved: which of the axes they meet is each axis of the product."""

    @property
    def queries(self) -> int:
        return self.dims[2]

    @property
    def keys(self) -> int:
        return self.dims[3]


@dataclass(frozen=True)
class Hiding:
    """
    Hidden keys: those where `condition` fails, or, `inverted`, holds. A condition on numbers holds where they are 0.

    The condition's elements, `stretched` and laid anew by these ops in turn, meet the scores under `dims`. They become
    `number`, or, `summed`, `score + number`.
    """

    condition: SSAValue
    dims: Dims
    inverted: bool
    number: float
    summed: bool
    stretched: tuple[ExpandOp | ReshapeOp, ...] = ()

    @property
    def lies(self) -> Dims:
        """The dims of the elements before they are laid under `dims`."""
        return dims_of(self.stretched[-1].result if self.stretched else self.condition)

    @property
    def replaces(self) -> bool:
        """Whether hidden scores are one number whatever they were."""
        return not self.summed or self.number == -inf


def hiding(mask: Mask, extent: Extent) -> Hiding | SSAValue:
    """
    A mask as a condition where it certainly is one, else the bias it adds.

    Raises `Miss` for scores replaced by a number that hides nothing, and for a sum that would leave another part of a
    score than an attention does.
    """
    if isinstance(mask, Replaced):
        lowest = LOWEST.get(name_of(extent.element), -inf)
        require(
            mask.number <= max(HIDING, lowest),
            Reason.CONSTANT,
            mask.condition,
            detail=lambda: f"scores are replaced by {mask.number}, which hides no key",
        )
        condition, dims = seen_through(mask.condition)
        return in_order(Hiding(condition, dims, mask.inverted, mask.number, summed=False), extent)
    found = constant_hiding(mask.bias) or written_hiding(mask.bias)
    if found is not None:
        found = in_order(found, extent)
        element = tensor_type(mask.bias).element_type
        if is_exact(found, extent, element):
            return found
        digits = distance(found.number, element) <= KEPT or shows_a_key(found)
        require(
            digits,
            Reason.ATTRIBUTES,
            mask.bias,
            detail=lambda: (
                f"in {element} a score beside {found.number} keeps some of its digits, which a row of hidden keys shows"
            ),
        )
    return in_place(mask.bias, extent)


def in_place(bias: SSAValue, extent: Extent) -> SSAValue:
    """What is added to the scores, on the product's axes. Raises `Miss` where its elements would have to move."""
    bias, order = narrow(bias, extent), extent.order
    stays = range(len(order) - len(dims_of(bias)), len(order))
    if not order or all(order[axis] == axis for axis in stays):
        return bias
    back = moved_back(bias, order)
    if back is None:
        raise Miss(Reason.LAYOUT, bias, detail="the mask's axes would have to move")
    return narrow(back, extent)


def narrow(bias: SSAValue, extent: Extent) -> SSAValue:
    """What was cast to a wider float from the element type that the attention's mask has; any other value as it is."""
    cast = bias.owner
    if isinstance(cast, CastOp) and is_widening(cast) and tensor_type(cast.input).element_type == extent.element:
        return cast.input
    return bias


def moved_back(value: SSAValue, order: Sequence[int]) -> SSAValue | None:
    """What a transpose that `order` undoes has moved; None for any other value."""
    owner = value.owner
    if not isinstance(owner, TransposeOp) or len(order) != len(dims_of(value)):
        return None
    permutation = owner.permutation.get_values()
    return owner.input if all(permutation[axis] == i for i, axis in enumerate(order)) else None


def is_exact(found: Hiding, extent: Extent, element: Attribute) -> bool:
    """
    Whether adding `number`, in `element`, gives what replacing the score by it gives, in a row of hidden keys as well.

    -inf does, and a finite number beside which the score is lost. Any that hides does where each row shows a key.
    """
    if found.number == -inf or is_lost(found.number, element):
        return True
    return found.number <= max(HIDING, LOWEST.get(name_of(element), -inf)) and band(found, extent) is not None


def distance(number: float, element: Attribute) -> float:
    """How far a sum with `number` may be from the next number of the type: half of its last place."""
    return 2.0 ** (frexp(number)[1] - 2) * EPSILONS.get(name_of(element), 0.0)


def is_lost(number: float, element: Attribute) -> bool:
    """Whether nothing of a score is left in a sum with `number`: of one beyond `LOST` something would be."""
    return number > -inf and distance(number, element) >= LOST


def shows_a_key(found: Hiding) -> bool:
    """Whether a condition is a constant that hides all keys from no query."""
    values = evaluated(found.condition)
    if values is None:
        return False
    return bool(flags(found, values).reshape(found.dims).any(-1).all())


def flags(found: Hiding, values: Array) -> Array:
    """Where keys are shown, for the values of the condition."""
    import numpy as np

    for view in found.stretched:
        dims = dims_of(view.result)
        values = np.broadcast_to(values, dims) if isinstance(view, ExpandOp) else values.reshape(dims)
    return ((values != 0) if is_truth(found.condition) else values == 0) != found.inverted


def seen_through(value: SSAValue) -> tuple[SSAValue, Dims]:
    """The value whose elements `value` stretches, reshapes left out, and the dims under which it stretches them."""
    while isinstance(value.owner, ExpandOp):
        value = value.owner.input
    dims = dims_of(value)
    if (stretched := moved_stretch(value)) is not None:
        value, dims = stretched
    while isinstance(value.owner, ReshapeOp) or (isinstance(value.owner, TransposeOp) and moves_ones(value.owner)):
        value = value.owner.input
    return value, dims


def moved_stretch(value: SSAValue) -> tuple[SSAValue, Dims] | None:
    """What is stretched and then moved, and how it lies once only its dims of 1 are moved; None for any other value."""
    moved = value.owner
    if not isinstance(moved, TransposeOp) or not isinstance(moved.input.owner, ExpandOp):
        return None
    single, permutation = moved.input.owner.input, moved.permutation.get_values()
    dims = dims_of(single)
    if len(dims) != len(permutation) or not keeps_order(dims, permutation):
        return None
    return single, tuple(dims[axis] for axis in permutation)


def moves_ones(transpose: TransposeOp) -> bool:
    """Whether only dims of 1 change their place, so that the elements stay in row-major order."""
    dims = dims_of(transpose.input)
    return keeps_order(dims, transpose.permutation.get_values())


def keeps_order(dims: Dims, permutation: Sequence[int]) -> bool:
    """Whether the axes that are no 1 stay in order under a permutation."""
    kept = [axis for axis in permutation if dims[axis] != 1]
    return kept == sorted(kept)


def in_order(found: Hiding, extent: Extent) -> Hiding:
    """The condition as it meets the product's axes. Raises `Miss` where its elements would have to move."""
    if not extent.order:
        return found
    dims = (1,) * (len(extent.order) - len(found.dims)) + found.dims
    if dims == found.lies and not found.stretched and (back := moved_back(found.condition, extent.order)) is not None:
        return replace(found, condition=back, dims=dims_of(back))
    require(
        keeps_order(dims, extent.order), Reason.LAYOUT, found.condition, detail="the mask's axes would have to move"
    )
    return replace(found, dims=tuple(dims[axis] for axis in extent.order))


def written_hiding(bias: SSAValue) -> Hiding | None:
    """The condition of `where(c, 0, number)`, or of `(1 - cast(c)) * number` for an i1 c."""
    value, dims = seen_through(bias)
    stretched: list[ExpandOp | ReshapeOp] = []
    while isinstance(value.owner, ExpandOp | ReshapeOp):
        stretched.append(value.owner)
        value = value.owner.input
    if any(DYNAMIC in dims_of(view.result) for view in stretched):
        return None
    owner = value.owner
    if isinstance(owner, TriluOp):
        number = constant_number(owner.input)
        return Hiding(value, dims, False, number, summed=True) if number is not None and number <= FADING else None
    if isinstance(owner, WhereOp):
        on_true, on_false = scalar(owner.on_true), scalar(owner.on_false)
        if (
            dims_of(owner.condition) != dims_of(value)
            or on_true is None
            or on_false is None
            or 0 not in (on_true, on_false)
        ):
            return None
        inverted = on_true != 0
        number = on_true if inverted else on_false
        condition = owner.condition
    elif isinstance(owner, BinaryOp) and owner.binary is BinaryKind.MUL:
        right, left = scalar(owner.rhs), scalar(owner.lhs)
        number, factor = (right, owner.lhs) if right is not None else (left, owner.rhs)
        inverted = True
        if (
            isinstance(factor.owner, BinaryOp)
            and factor.owner.binary is BinaryKind.SUB
            and scalar(factor.owner.lhs) == 1
        ):
            factor, inverted = factor.owner.rhs, False
        if number is None or number == -inf or not isinstance(factor.owner, CastOp) or not is_truth(factor.owner.input):
            return None
        condition = factor.owner.input
        if dims_of(condition) != dims_of(value):
            return None
    else:
        return None
    if number > FADING:
        return None
    if dims == dims_of(value) and not stretched:
        condition, dims = seen_through(condition)
    return Hiding(condition, dims, inverted, number, summed=True, stretched=tuple(reversed(stretched)))


def constant_hiding(bias: SSAValue) -> Hiding | None:
    """A constant of zeros and one hiding number, as a condition on itself."""
    value, dims = seen_through(bias)
    values = evaluated(value)
    if values is None:
        return None
    hidden = values[values != 0]
    if values.dtype.kind in "biuc" or not hidden.size or not (hidden == hidden[0]).all() or hidden[0] > FADING:
        return None
    return Hiding(value, dims, False, float(hidden[0]), summed=True)


def band(found: Hiding, extent: Extent) -> Band | None:
    """
    What a condition shows that is constant, the same in each batch and head, or compares places, if that is a band.

    One query alone has no diagonal: its mask is one of keys.
    """
    values = evaluated(found.condition)
    if values is None:
        placed = extent.queries not in (0, 1) and found.dims[-2:] == dims_of(found.condition)[-2:]
        placed = placed and not found.stretched and found.dims[-2:] == (extent.queries, extent.keys)
        shown = band_between(found.condition, found.inverted) if placed else None
        return shown if shown is not None and shown.fits(extent.queries, extent.keys) else None
    if not values.size:
        return None
    shows = flags(found, values)
    if shows.all():
        return EVERYWHERE
    if DYNAMIC in (extent.queries, extent.keys) or found.dims[-2:] != (extent.queries, extent.keys):
        return None
    tables = shows.reshape(-1, extent.queries, extent.keys)
    return band_of(tables[0]) if (tables == tables[0]).all() else None


def shown(found: Hiding, new: list[Operation]) -> SSAValue:
    """The condition that holds where keys are shown, as i1; what makes it is appended to `new`."""
    value = found.condition
    if not is_truth(value):
        zero = constant_op(splat(Shaped((), tensor_type(value).element_type).type, 0.0))
        test = CompareOp(CompareKind.NE if found.inverted else CompareKind.EQ, value, zero.result)
        new += [zero, test]
        value = test.result
    elif found.inverted:
        op = LogicalNotOp(value)
        new.append(op)
        value = op.result
    for view in found.stretched:
        again = type(view)(value, dims_of(view.result))
        new.append(again)
        value = again.result
    return value


def name_of(element: Attribute) -> str:
    """The name of an element type, as tables of numbers have it."""
    return element.name
