"""The masks of written attention as one: a causal offset, keys, or a bias, and what a row that sees no key gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, MaskedRows, MaskKind
from rlx_dialect.constants import array_of, constant_of, scalar
from rlx_dialect.ops import BinaryOp, ExpandOp, ReshapeOp, WhereOp
from rlx_dialect.shapes import DYNAMIC, Dims
from rlx_passes.constants import splat
from rlx_passes.frontend.raising.attention_masks import Extent, Hiding, conjunction, hiding, shown, visible_offset
from rlx_passes.frontend.raising.attention_scores import Added, Mask
from rlx_passes.legality import dims_of, require, tensor_type
from rlx_passes.miss import Miss, Reason


@dataclass(frozen=True)
class Masking:
    """
    All masks of an attention. `keys` hide what they do not show; `biases` are added; both together become a bias.

    Nothing is made before `operand` is called, so that a miss leaves nothing behind.
    """

    causal_offset: int | None
    keys: tuple[Hiding, ...]
    biases: tuple[SSAValue, ...]
    masked_rows: MaskedRows

    @staticmethod
    def of(masks: Sequence[Mask], extent: Extent) -> "Masking":
        """
        One masking for several masks.

        Raises `Miss` where rows that see no key would come out otherwise: keys hidden by finite numbers that differ, or by one beside a
        bias, unless they are hidden after a finite bias was added.
        """
        pairs = [(mask, hiding(mask, extent)) for mask in masks]
        pairs = [(mask, each) for mask, each in pairs if isinstance(each, Hiding) or scalar(each) != 0]
        found = [_unless_replacing(each, mask) if len(pairs) > 1 else each for mask, each in pairs]
        hidings = [each for each in found if isinstance(each, Hiding)]
        biases = [each for each in found if not isinstance(each, Hiding)]
        offsets = {each: visible_offset(each, extent) for each in hidings}
        keys = tuple(each for each in hidings if offsets[each] is None)
        offset = min((each for each in offsets.values() if each is not None), default=None)

        numbers = {each.number for each in hidings}
        if keys or biases:
            require(
                len(numbers) < 2, Reason.ATTRIBUTES, *biases, detail=lambda: f"keys are hidden by {sorted(numbers)}"
            )
        for bias in biases:
            require(not extent.order, Reason.LAYOUT, bias, detail="the mask's axes would have to move")
            outside = found.index(bias) > max(map(found.index, hidings), default=-1)
            harmless = not numbers - {-inf} or (outside and is_finite(bias))
            require(harmless, Reason.ATTRIBUTES, bias, detail="a bias beside keys hidden by a finite number")
        blind = MaskedRows.UNIFORM
        if (keys and numbers == {-inf}) or not all(map(is_finite, biases)):
            blind = MaskedRows.NAN
        if offset is not None and offset >= extent.keys - 1:
            offset = None
        return Masking(offset, keys, tuple(biases), blind)

    def check(self, extent: Extent) -> None:
        """Raises `Miss` where a bias has another element type than the product, or cannot be reshaped."""
        for bias in self.biases:
            require(tensor_type(bias).element_type == extent.element, Reason.DTYPE, bias)
        for dims in (*(each.dims for each in self.keys), *map(dims_of, self.biases)):
            joined = joined_dims(dims, extent)
            require(joined is not None, Reason.LAYOUT, detail="the mask differs inside of groups of heads")
            if joined != dims and DYNAMIC in dims:
                raise Miss(Reason.DYNAMIC, detail="the mask would have to be reshaped")

    def operand(self, extent: Extent, new: list[Operation]) -> tuple[MaskKind | None, SSAValue | None]:
        """The mask operand; what makes it is appended to `new`."""
        if not self.keys and not self.biases:
            return None, None
        if not self.biases and all(is_key_mask(each, extent) for each in self.keys):
            return MaskKind.KEYS, conjunction([as_keys(each, extent, new) for each in self.keys], new)
        bias = self.biases[0] if self.biases else None
        for each in self.biases[1:]:
            assert bias is not None
            add = BinaryOp(BinaryKind.ADD, bias, each)
            new.append(add)
            bias = add.result
        if self.keys:
            bias = hidden_in(bias, conjunction([as_met(each, new) for each in self.keys], new), extent, new)
        assert bias is not None
        return MaskKind.BIAS, with_heads(bias, extent, new)


def _unless_replacing(found: Hiding | SSAValue, mask: Mask) -> Hiding | SSAValue:
    """Among several masks a sum with a finite number is a bias: two of them hide more than one."""
    return mask.bias if isinstance(found, Hiding) and isinstance(mask, Added) and not found.replaces else found


def is_finite(bias: SSAValue) -> bool:
    """Whether a bias is a constant of finite numbers."""
    while isinstance(bias.owner, ExpandOp | ReshapeOp):
        bias = bias.owner.input
    constant = constant_of(bias)
    return constant is not None and bool((abs(array_of(constant)) < inf).all())


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
    if dims_of(found.condition) == (batch, extent.keys):
        return True
    return DYNAMIC not in (batch, extent.keys)


def as_keys(found: Hiding, extent: Extent, new: list[Operation]) -> SSAValue:
    """The condition as `[batch, keys]`."""
    value = shown(found, new)
    first = padded(found.dims, extent)[0] if extent.leading else 1
    for make, wanted in ((ReshapeOp, (first, extent.keys)), (ExpandOp, (extent.dims[0], extent.keys))):
        if dims_of(value) != wanted:
            op = make(value, wanted)
            new.append(op)
            value = op.result
    return value


def as_met(found: Hiding, new: list[Operation]) -> SSAValue:
    """The condition under the dims in which it meets the scores."""
    value = shown(found, new)
    if dims_of(value) == found.dims:
        return value
    op = ReshapeOp(value, found.dims)
    new.append(op)
    return op.result


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
    The dims under which a mask with these meets `[batch, heads, queries, keys]`: behind a batch axis without heads there is a 1, and
    groups of heads are joined. None where only some heads of each group differ.
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
    if dims is None or dims == dims_of(bias):
        return bias
    op = ReshapeOp(bias, dims)
    new.append(op)
    return op.result
