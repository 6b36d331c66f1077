"""The masks of written attention as one: a band, keys, or a bias, and what a row that sees no key gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, f64
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, MaskedRows, MaskKind
from rlx_dialect.constants import array_of, constant_of
from rlx_dialect.ops import BinaryOp, ExpandOp, ReshapeOp, WhereOp
from rlx_dialect.shapes import DYNAMIC, Dims
from rlx_passes.raising.attention_bands import EVERYWHERE, Band
from rlx_passes.raising.attention_masks import (
    Extent,
    Hiding,
    band,
    hiding,
    in_place,
    is_lost,
    seen_through,
    shown,
)
from rlx_passes.raising.attention_reasons import conjunction, separate, split
from rlx_passes.raising.attention_scores import Added, Mask
from rlx_passes.rewriting.constants import splat
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import dims_of, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

BEYOND = 2.0**64
"""A number beside which f32 and bf16 lose a score is one beside which f64 does once it is as many times larger."""


@dataclass(frozen=True)
class Sum:
    """A number, `bias` in the program, beside which the score is lost; a more precise attention adds a larger one."""

    hiding: Hiding
    bias: SSAValue

    def made(self, extent: Extent, new: list[Operation]) -> SSAValue:
        """The bias, of numbers large enough; what makes it is appended to `new`."""
        number = splat(extent.element, (), self.hiding.number * BEYOND)
        zero = splat(extent.element, (), 0.0)
        where = WhereOp(as_met(self.hiding, new), zero.result, number.result)
        new += [number, zero, where]
        return where.result


Bias = SSAValue | Sum


@dataclass(frozen=True)
class Masking:
    """
    All masks of an attention. `keys` hide what they do not show; `biases` are added; both together become a bias.
    `finite` says that some keys are hidden by a finite number.

    Nothing is made before `operand` is called, so that a miss leaves nothing.
    """

    band: Band
    keys: tuple[Hiding, ...]
    biases: tuple[Bias, ...]
    masked_rows: MaskedRows
    finite: bool = False

    @staticmethod
    def of(masks: Sequence[Mask], extent: Extent) -> "Masking":
        """
        One masking for several masks.

        Raises `Miss` where rows that see no key would come out otherwise: keys hidden by finite numbers that differ, or
        by one beside a bias, unless they are hidden after a finite bias was added, or a band shows each query a key.
        """
        masks = [part for mask in masks for part in separate(mask, extent)]
        pairs = [(mask, hiding(mask, extent)) for mask in masks]
        pairs = [(mask, each) for mask, each in pairs if isinstance(each, Hiding) or not is_zero(each)]
        found = [_among(pairs, place, extent) for place in range(len(pairs))]
        inner = max((place for place, each in enumerate(found) if isinstance(each, Hiding)), default=-1)
        hidings = [part for each in found if isinstance(each, Hiding) for part in split(each, extent)]
        biases = [(place, each) for place, each in enumerate(found) if not isinstance(each, Hiding)]
        bands = {each: band(each, extent) for each in hidings}
        keys = tuple(each for each in hidings if bands[each] is None)
        shown = EVERYWHERE
        for each in bands.values():
            shown = shown if each is None else shown.within(each)
        require(shown.fits(extent.queries, extent.keys), Reason.DYNAMIC, detail="a window of keys that no size bounds")
        blinds = not shown.shows_a_key(extent.queries, extent.keys)

        numbers = {each.number for each in hidings if bands[each] != EVERYWHERE}
        if keys or biases or blinds:
            require(
                len(numbers) < 2,
                Reason.ATTRIBUTES,
                *(value_of(bias) for _, bias in biases),
                detail=lambda: f"keys are hidden by {sorted(numbers)}",
            )
        for place, bias in biases:
            harmless = not numbers - {-inf} or (place > inner and (is_finite(bias) or not (keys or blinds)))
            require(harmless, Reason.ATTRIBUTES, value_of(bias), detail="a bias beside keys hidden by a finite number")
        blind = MaskedRows.UNIFORM
        if ((keys or blinds) and numbers == {-inf}) or (
            not numbers - {-inf} and not all(is_finite(bias) for _, bias in biases)
        ):
            blind = MaskedRows.NAN
        shown = shown.reduced(extent.queries, extent.keys)
        return Masking(shown, keys, tuple(bias for _, bias in biases), blind, bool(numbers - {-inf}))

    def check(self, extent: Extent) -> None:
        """Raises `Miss` where a bias has another element type than the product, or cannot be reshaped."""
        for bias in self.biases:
            require(tensor_type(value_of(bias)).element_type == extent.element, Reason.DTYPE, value_of(bias))
        met = (each.hiding.dims if isinstance(each, Sum) else dims_of(each) for each in self.biases)
        for each in self.keys:
            if not is_key_mask(each, extent):
                require(can_reshape(each.lies, each.dims), Reason.DYNAMIC, each.condition)
        for dims in (*(each.dims for each in self.keys), *met):
            joined = joined_dims(dims, extent)
            if joined is None:
                raise Miss(Reason.LAYOUT, detail="the mask differs inside of groups of heads")
            require(can_reshape(dims, joined), Reason.DYNAMIC, detail="the mask would have to be reshaped")

    def operand(self, extent: Extent, new: list[Operation]) -> tuple[MaskKind | None, SSAValue | None]:
        """The mask operand; what makes it is appended to `new`."""
        if not self.keys and not self.biases:
            return None, None
        if not self.biases and all(is_key_mask(each, extent) for each in self.keys):
            return MaskKind.KEYS, conjunction([as_keys(each, extent, new) for each in self.keys], new)
        bias: SSAValue | None = None
        for each in self.biases:
            value = each.made(extent, new) if isinstance(each, Sum) else each
            bias = value if bias is None else plus(bias, value, new)
        if self.keys:
            bias = hidden_in(bias, conjunction([as_met(each, new) for each in self.keys], new), extent, new)
        assert bias is not None
        return MaskKind.BIAS, with_heads(bias, extent, new)


def _among(pairs: Sequence[tuple[Mask, Hiding | SSAValue]], place: int, extent: Extent) -> Hiding | Bias:
    """
    One of several masks, outermost first, as it meets the others.

    A sum with a finite number is a bias, since two of them hide more than one; but not one that is alone, nor one
    that leaves nothing of the score, under masks that replace scores by the same number.
    """
    mask, found = pairs[place]
    if not isinstance(found, Hiding) or not isinstance(mask, Added) or found.replaces or len(pairs) == 1:
        return found
    element = tensor_type(mask.bias).element_type
    lost = is_lost(found.number, element)
    outer = [each for _, each in pairs[:place]]
    same = all(isinstance(each, Hiding) and not each.summed and each.number == found.number for each in outer)
    if lost and same and place == len(pairs) - 1:
        return found
    if lost and not is_lost(found.number, f64) and element == extent.element:
        return Sum(found, mask.bias)
    return in_place(mask.bias, extent)


def value_of(bias: Bias) -> SSAValue:
    """What the program adds."""
    return bias.bias if isinstance(bias, Sum) else bias


def is_finite(bias: Bias) -> bool:
    """Whether a bias is a constant of finite numbers."""
    value = value_of(bias)
    while isinstance(value.owner, ExpandOp | ReshapeOp):
        value = value.owner.input
    constant = constant_of(value)
    return constant is not None and bool((abs(array_of(constant)) < inf).all())


def is_zero(bias: SSAValue) -> bool:
    """Whether a bias is a constant of zeros."""
    values = evaluated(seen_through(bias)[0])
    return values is not None and not values.any()


def plus(a: SSAValue, b: SSAValue, new: list[Operation]) -> SSAValue:
    op = BinaryOp(BinaryKind.ADD, a, b)
    new.append(op)
    return op.result


def padded(dims: Dims, extent: Extent) -> Dims:
    """The dims of a mask at the rank of the scores, which are `[keys]`-last."""
    return (1,) * (extent.leading + 2 - len(dims)) + dims


def is_key_mask(found: Hiding, extent: Extent) -> bool:
    """Whether the condition is one of batch and key alone, and can be written as `[batch, keys]`."""
    dims, batch = padded(found.dims, extent), extent.dims[0]
    if len(dims) != extent.leading + 2 or dims[-1] != extent.keys:
        return False
    first = dims[0] if extent.leading else 1
    if any(d != 1 for d in dims[1 if extent.leading else 0 : -1]) or first not in (1, batch):
        return False
    if found.lies == (batch, extent.keys):
        return True
    if DYNAMIC in (batch, extent.keys):
        return first == batch and can_reshape(found.lies, (batch, extent.keys))
    return True


def as_keys(found: Hiding, extent: Extent, new: list[Operation]) -> SSAValue:
    """The condition as `[batch, keys]`."""
    value = shown(found, new)
    first = padded(found.dims, extent)[0] if extent.leading else 1
    value = reshaped(value, (first, extent.keys), new)
    if first == extent.dims[0]:
        return value
    op = ExpandOp(value, (extent.dims[0], extent.keys))
    new.append(op)
    return op.result


def as_met(found: Hiding, new: list[Operation]) -> SSAValue:
    """The condition under the dims in which it meets the scores."""
    return reshaped(shown(found, new), found.dims, new)


def hidden_in(bias: SSAValue | None, condition: SSAValue, extent: Extent, new: list[Operation]) -> SSAValue:
    """`bias`, or 0, where the condition holds, and -inf elsewhere."""
    if bias is None:
        zero = splat(extent.element, (), 0.0)
        new.append(zero)
        bias = zero.result
    never = splat(extent.element, (), -inf)
    where = WhereOp(condition, bias, never.result)
    new += [never, where]
    return where.result


def joined_dims(dims: Dims, extent: Extent) -> Dims | None:
    """
    The dims under which a mask with these meets `[batch, heads, queries, keys]`: after a batch axis without heads
    there is a 1, and groups of heads are joined. None where only some heads of each group differ.
    """
    if extent.leading == 1 and len(dims) == 3 and dims[0] != 1:
        return (dims[0], 1, *dims[1:])
    if extent.leading != 3 or len(dims) < 4:
        return dims
    *batch, groups, group, queries, keys = dims
    heads = groups * group if DYNAMIC not in (groups, group) else 0
    return (*batch, heads, queries, keys) if heads in (1, extent.dims[1]) else None


def with_heads(bias: SSAValue, extent: Extent, new: list[Operation]) -> SSAValue:
    """The bias as one of `[batch, heads, queries, keys]`; `check` has shown that it is one."""
    dims = joined_dims(dims_of(bias), extent)
    return bias if dims is None else reshaped(bias, dims, new)


def can_reshape(before: Dims, after: Dims) -> bool:
    """Whether `reshaped` can turn these dims into those: where a size is unknown, dims of 1 come and go."""
    if DYNAMIC not in before + after:
        return True
    return [d for d in before if d != 1] == [d for d in after if d != 1]


def reshaped(value: SSAValue, dims: Dims, new: list[Operation]) -> SSAValue:
    """The elements of `value` under `dims`; what makes it is appended to `new`."""
    if dims_of(value) == dims:
        return value
    sizes: list[SSAValue] = []
    for axis, size in enumerate(dims_of(value)):
        if size == DYNAMIC:
            from xdsl.dialects.tensor import DimOp

            index = ConstantOp(IntegerAttr.from_index_int_value(axis))
            length = DimOp(value, index.result)
            new += [index, length]
            sizes.append(length.result)
    op = ReshapeOp(value, dims, sizes)
    new.append(op)
    return op.result
