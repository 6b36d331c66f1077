"""`rlx-raise-attention`: two products around a softmax become one attention."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Operation, SSAValue, TypeAttribute
from xdsl.passes import ModulePass

from rlx_dialect.attributes import AttentionLayout, MaskedRows
from rlx_dialect.ops import (
    AttentionConfig,
    AttentionOp,
    CastOp,
    CompareOp,
    MatMulOp,
    ReshapeOp,
    SoftmaxOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.frontend.raising.attention_masking import Masking
from rlx_passes.frontend.raising.attention_masks import Extent
from rlx_passes.frontend.raising.attention_operands import (
    BY_HEAD,
    BY_PLACE,
    Operand,
    as_by_head,
    as_single_head,
    operand,
    same_leading,
)
from rlx_passes.frontend.raising.attention_scores import Scores, guarded, natural, scores
from rlx_passes.frontend.raising.trail import RaisingPattern, Trail
from rlx_passes.legality import dims_of, only_reader, optional_reader, require, require_last_axis, tensor_type
from rlx_passes.miss import Reason
from rlx_passes.patterns import Fusion, run_patterns

AXES = {4: ("bhsd", "bhds"), 3: ("bsd", "bds"), 2: ("sd", "ds")}
"""The axes of queries and values, and of keys, in a product of that rank."""


@dataclass(frozen=True)
class Sides:
    """What an attention reads, of consistent sizes."""

    query: Operand
    key: Operand
    value: Operand

    @property
    def all(self) -> tuple[Operand, Operand, Operand]:
        return self.query, self.key, self.value


@dataclass(frozen=True)
class Values:
    """The values as the second product reads them, and their axes there; the result's lie alike."""

    value: SSAValue
    axes: str


@dataclass(frozen=True)
class Result:
    """An op whose result an attention may give, and the axes of that result."""

    op: MatMulOp | TransposeOp
    axes: str


@dataclass(frozen=True)
class RaiseAttention(RaisingPattern[SoftmaxOp]):
    """
    %s = %q @ transpose %k * 0.125
    %p = rlx.softmax (mask %s)            =>   %o = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(8) .. scale(0.125)
    %o = %p @ %v

    Constant scales on scores, queries and keys are one scale, also below a softcap. Repeated key heads become fewer `kv_heads`. Constant
    lower triangles become a causal offset; conditions on keys alone become `keys`; other conditions a bias of 0 and -inf; what is
    added otherwise is a bias, untouched. Rows without a key give what was written: the mean of the values for scores replaced by a finite
    number, NaN for -inf, zero for `where(isnan(p), 0, p)`.

    Where queries, keys and values are split into heads and the result is joined again, the layout is `bsm`; where all lie and go by place, `bshd`; else
    `bhsd`. Products of rank 3 and 2 are attention of one head. Casts to a wider float around the softmax go, since attention
    computes in f32 or wider.
    """

    title = "attention"
    roots = (SoftmaxOp,)

    def starts(self, op: Operation) -> bool:
        wanted = (MatMulOp, TransposeOp, CastOp, WhereOp, CompareOp)
        return isinstance(op, SoftmaxOp) and any(isinstance(use.operation, wanted) for use in op.result.uses)

    def match(self, root: SoftmaxOp, /) -> Fusion:
        require_last_axis(root.axis.value.data, len(dims_of(root.result)), root)
        trail = Trail(root)
        found = scores(trail, root.input)
        weights, zeroed = self.weights(trail, root.result)
        product, values = self.weighted(trail, weights)
        accumulate = self.accumulate(found.product, product, root)

        sides = self.sides(found, values)
        extent = self.extent(found, sides)
        masking = Masking.of(found.masks, extent)
        masking.check(extent)
        layout, last, turned = self.layout(trail, sides, Result(product, values.axes))
        absorbed = trail.closed(last)

        rows = masking.masked_rows
        if zeroed and rows is MaskedRows.NAN:
            rows = MaskedRows.ZERO
        scale = found.scale * sides.query.scale * sides.key.scale
        head_dim = sides.query.size("d")
        config = AttentionConfig.make(
            extent.dims[1],
            head_dim,
            scale=natural(scale, head_dim, found.product.result),
            kv_heads=sides.key.size("h") if "h" in sides.key.axes else 1,
            v_head_dim=sides.value.size("d"),
            softcap=found.softcap,
            causal_offset=masking.causal_offset,
            masked_rows=rows,
            accumulate=accumulate,
        )
        new: list[Operation] = []
        query, key, value = (self.laid(side, layout, new) for side in sides.all)
        kind, mask = masking.operand(extent, new)
        fused = AttentionOp(query, key, value, config, layout=layout, mask=mask, mask_kind=kind)
        new.append(fused)
        if turned:
            rank = len(dims_of(fused.result))
            new.append(TransposeOp(fused.result, (*range(rank - 2), rank - 1, rank - 2)))
        return Fusion.of(absorbed, *new)

    def weights(self, trail: Trail, value: SSAValue) -> tuple[SSAValue, bool]:
        """From the softmax forward: what the second product reads, and whether NaN was replaced by 0 on the way."""
        zeroed = False
        for _ in range(3):
            if (guard := guarded(trail, value)) is not None:
                value, zeroed = guard, True
            elif (cast := optional_reader(value, CastOp)) is not None:
                value = trail.add(cast).result
            else:
                break
        return value, zeroed

    def weighted(self, trail: Trail, weights: SSAValue) -> tuple[MatMulOp, Values]:
        """
        From the weights forward: the product with the values. Where both are transposed and change sides, as einsum does it, so is the result.
        """
        reader = trail.add(only_reader(weights, (MatMulOp, TransposeOp)))
        rank = len(dims_of(weights))
        require(rank in AXES, Reason.LAYOUT, reader, detail=lambda: f"a product of rank {rank}")
        plain, turned = AXES[rank]
        if isinstance(reader, MatMulOp):
            right_side = reader.lhs is weights and reader.rhs is not weights
            require(right_side, Reason.NOT_CONSUMED_BY, reader, detail="the weights are the right side")
            return reader, Values(reader.rhs, plain)
        swapped = (*range(rank - 2), rank - 1, rank - 2)
        require(reader.permutation.get_values() == swapped, Reason.LAYOUT, reader)
        product = trail.add(only_reader(reader.result, MatMulOp))
        require(product.rhs is reader.result and product.lhs is not product.rhs, Reason.NOT_CONSUMED_BY, product)
        return product, Values(product.lhs, turned)

    def accumulate(self, first: MatMulOp, second: MatMulOp, softmax: SoftmaxOp) -> TypeAttribute | None:
        """The type in which both products and the softmax are summed."""
        require(
            first.accumulate == second.accumulate, Reason.ATTRIBUTES, second, detail="the products sum in two types"
        )
        allowed = (None, first.accumulate, tensor_type(softmax.result).element_type)
        require(softmax.accumulate in allowed, Reason.ATTRIBUTES, softmax, detail="the softmax sums in another type")
        types = [tensor_type(value).element_type for value in (first.result, second.result)]
        require(types[0] == types[1] and isinstance(types[0], AnyFloat), Reason.DTYPE, second)
        return first.accumulate

    def sides(self, found: Scores, values: Values) -> Sides:
        """Queries, keys and values, through repeated heads where keys and values repeat them alike."""
        rank = len(dims_of(found.product.result))
        operands = (found.product.lhs, found.product.rhs, values.value)
        require(
            rank in AXES and all(len(dims_of(value)) == rank for value in operands),
            Reason.LAYOUT,
            found.product,
            detail="ranks differ",
        )
        plain, turned = AXES[rank]
        query = operand(operands[0], plain, repeats=False, scales=True)

        def with_repeats(repeats: bool) -> Sides:
            key = operand(operands[1], turned, repeats=repeats, scales=True)
            return Sides(query, key, operand(operands[2], values.axes, repeats=repeats, scales=False))

        sides = with_repeats(True)
        if rank == 4 and sides.key.size("h") != sides.value.size("h"):
            return with_repeats(False)
        return sides

    def extent(self, found: Scores, sides: Sides) -> Extent:
        """The sizes of the scores. Raises `Miss` where the sides broadcast against each other but for one key head, or a size is unknown."""
        query, key, value = sides.all
        element = tensor_type(found.product.result).element_type
        for side in sides.all:
            require(side.size("d") not in (0, DYNAMIC), Reason.DYNAMIC, side.value)
        dims = dims_of(found.product.result)
        batch = query.size("b") if "b" in query.axes else 1
        heads = query.size("h") if "h" in query.axes else 1
        full = (batch, heads, query.size("s"), key.size("s"))
        require(
            dims == full[4 - len(dims) :] if len(dims) != 3 else dims == (batch, *full[2:]),
            Reason.DIMS_NOT_KNOWN_EQUAL,
            found.product,
        )
        for side in (key, value):
            if "b" in side.axes:
                require(side.size("b") == batch, Reason.DIMS_NOT_KNOWN_EQUAL, side.value)
        require(key.size("s") == value.size("s"), Reason.DIMS_NOT_KNOWN_EQUAL, value.value)
        if "h" in key.axes:
            kv_heads = key.size("h")
            require(DYNAMIC not in (heads, kv_heads), Reason.DYNAMIC, key.value)
            require(kv_heads == value.size("h"), Reason.DIMS_NOT_KNOWN_EQUAL, value.value)
            require(kv_heads > 0 and heads % kv_heads == 0, Reason.LAYOUT, key.value)
        return Extent(full, len(dims) - 2, element)

    def layout(self, trail: Trail, sides: Sides, result: Result) -> tuple[AttentionLayout, Operation, bool]:
        """How the sides lie, the op whose result the attention gives then, and whether it gives it with its last two axes swapped."""
        turned = result.axes[-2] == "d"
        if "h" not in sides.query.axes:
            return AttentionLayout.BSM, result.op, turned
        moved = self.moved(result)
        if moved.axes == BY_PLACE and all(side.axes == BY_PLACE for side in sides.all):
            trail.add(moved.op)
            joined = optional_reader(moved.op.result, ReshapeOp)
            if joined is not None and all(side.packed is not None for side in sides.all) and joins_heads(joined):
                return AttentionLayout.BSM, trail.add(joined), False
            return AttentionLayout.BSHD, moved.op, False
        if turned and moved.axes == BY_HEAD:
            return AttentionLayout.BHSD, trail.add(moved.op), False
        return AttentionLayout.BHSD, result.op, turned

    def moved(self, result: Result) -> Result:
        """The result behind the transpose that alone reads it, if there is one."""
        transpose = optional_reader(result.op.result, TransposeOp)
        if transpose is None:
            return result
        return Result(transpose, "".join(result.axes[axis] for axis in transpose.permutation.get_values()))

    def laid(self, side: Operand, layout: AttentionLayout, new: list[Operation]) -> SSAValue:
        """The value of a side in the layout."""
        if "h" not in side.axes:
            return as_single_head(side, new)
        if layout is AttentionLayout.BSM and side.packed is not None:
            return side.packed
        return side.value if layout is AttentionLayout.BSHD else as_by_head(side, new)


def joins_heads(reshape: ReshapeOp) -> bool:
    """Whether `[b, s, h, d]` becomes `[b, s, h * d]`."""
    before, after = dims_of(reshape.input), dims_of(reshape.result)
    if len(after) != 3 or DYNAMIC in before[2:] or after[2] != before[2] * before[3]:
        return False
    return same_leading(reshape, before[:2], after[:2])


@dataclass(frozen=True)
class RaiseAttentionPass(ModulePass):
    """Two products around a softmax become one attention."""

    name: ClassVar[str] = "rlx-raise-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (RaiseAttention(),))
