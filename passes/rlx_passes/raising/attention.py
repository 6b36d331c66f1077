"""Attention out of two products around a softmax."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute

from rlx_dialect.attributes import AttentionLayout, MaskedRows
from rlx_dialect.ops import (
    AttentionConfig,
    AttentionOp,
    BinaryOp,
    CastOp,
    CompareOp,
    MatMulOp,
    NarrowOp,
    ReshapeOp,
    SoftmaxOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.attention_masking import Masking
from rlx_passes.raising.attention_masks import Extent
from rlx_passes.raising.attention_operands import (
    BY_HEAD,
    BY_PLACE,
    Operand,
    as_by_head,
    as_single_head,
    operand,
    same_leading,
    split_again,
)
from rlx_passes.raising.attention_scores import Scores, natural, scores
from rlx_passes.raising.attention_sinks import Attended, beside_sink, with_sink
from rlx_passes.raising.attention_weights import read_weights, weights_reader
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.legality import (
    SHOWN_READERS,
    dims_of,
    only_reader,
    optional_reader,
    require,
    require_last_axis,
    tensor_type,
)
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion

AXES = {5: ("bkgsd", "bkgds"), 4: ("bhsd", "bhds"), 3: ("bsd", "bds"), 2: ("sd", "ds")}
"""The axes of queries and values, and of keys, in a product of that rank; `k` and `g` are groups that share keys."""


QUERIES = {**{rank: (plain,) for rank, (plain, _) in AXES.items()}, 5: ("bkgsd", "bksgd")}
"""How the axes of queries may lie; those of the scores are the same with `t`, the place of the key, at the end."""


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

    op: MatMulOp | AttentionOp | TransposeOp | ReshapeOp
    axes: str


@dataclass(frozen=True)
class RaiseAttention(RaisingPattern[SoftmaxOp]):
    """
    %s = %q @ transpose %k * 0.125
    %p = rlx.softmax (mask %s)       =>   %o = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) .. scale(0.125)
    %o = %p @ %v

    Constant scales on scores, queries and keys are one scale, also below a softcap. Repeated key heads become fewer
    `kv_heads`. Constant triangles and bands become a causal offset and windows; conditions on keys alone become `keys`;
    other conditions a bias of 0 and -inf; what is added otherwise is a bias, untouched. Rows without a key give what
    was written: the mean of the values for scores replaced by a finite number, NaN for -inf, zero for
    `where(isnan(p), 0, p)`.

    Where queries, keys and values are split into heads and the result is joined again, the layout is `bsm`; where all
    lie and go by place, `bshd`; else `bhsd`. Products of rank 3 and 2 are attention of one head. Casts to a wider float
    around the softmax, or of queries and keys, go, since attention computes in f32 or wider. Weights that are results
    of the program as well are computed again for it.
    """

    title = "attention"
    roots = (SoftmaxOp,)

    def starts(self, op: Operation) -> bool:
        wanted = (MatMulOp, TransposeOp, CastOp, WhereOp, CompareOp, NarrowOp)
        if not isinstance(op, SoftmaxOp):
            return False
        return any(isinstance(use.operation, wanted) for use in op.result.uses) or between_products(op)

    def match(self, root: SoftmaxOp, /) -> Fusion:
        require_last_axis(root.axis.value.data, len(dims_of(root.result)), root)
        trail = Trail(root)
        inner, sink = beside_sink(trail, root.input)
        found = scores(trail, inner)
        weights, zeroed = read_weights(trail, root.result)
        given = weights if sink is None else None
        if sink is not None:
            weights = read_weights(trail, sink.cut(trail, weights, dims_of(inner)[-1]))[0]
        element = tensor_type(weights).element_type
        query, axes = self.query(found.product, element)
        places = "".join(axes[axis] for axis in found.permutation)
        try:
            product, values = self.weighted(trail, weights, places)
        except Miss as miss:
            miss.candidate = between_products(root) or None
            raise
        accumulate = self.accumulate(found.product, product, root)

        sides = self.sides(query, found, values, element)
        extent = self.extent(found, sides, axes, places)
        masking = Masking.of(found.masks, extent)
        masking.check(extent)
        if sink is not None:
            sink.check(extent)
        layout, result = self.layout(trail, sides, Result(product, values.axes))
        last = trail.add(result.op)
        absorbed = trail.closed(last, given=given)

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
            masked_rows=rows,
            accumulate=accumulate,
        )
        config = masking.band.config(config, extent.queries, extent.keys)
        new: list[Operation] = []
        query, key, value = (self.laid(side, layout, new) for side in sides.all)
        kind, mask = masking.operand(extent, new)
        read = Attended(key, value, kind, mask, config)
        if sink is not None:
            read = with_sink(read, sink, masking.band, extent, layout, new)
        fused = AttentionOp(
            query, read.key, read.value, read.config, layout=layout, mask=read.mask, mask_kind=read.kind
        )
        new.append(fused)
        if result.axes == "bkgsd" or (result.axes == "bsm" and layout is AttentionLayout.BSHD):
            new.append(ReshapeOp(fused.result, dims_of(last.results[0])))
        elif result.axes[-2:] == "ds":
            rank = len(dims_of(fused.result))
            new.append(TransposeOp(fused.result, (*range(rank - 2), rank - 1, rank - 2)))
        return Fusion.of(absorbed, *new)

    def query(self, product: MatMulOp, element: Attribute) -> tuple[Operand, str]:
        """The queries, and the axes of the product they give."""
        rank = len(dims_of(product.result))
        require(rank in AXES and len(dims_of(product.lhs)) == rank, Reason.LAYOUT, product, detail="ranks differ")
        missed: list[Miss] = []
        for plain in QUERIES[rank]:
            try:
                side = operand(product.lhs, plain, repeats=False, scales=True, element=element)
                return side, plain[:-1] + "t"
            except Miss as miss:
                missed.append(miss)
        raise missed[0]

    def weighted(self, trail: Trail, weights: SSAValue, places: str) -> tuple[MatMulOp, Values]:
        """
        From the weights, whose axes are `places`, forward: the product with the values.

        Where both are transposed and change sides, as einsum does it, so is the result.
        """
        reader = trail.add(weights_reader(weights, (MatMulOp, TransposeOp)))
        if isinstance(reader, TransposeOp):
            places = "".join(places[axis] for axis in reader.permutation.get_values())
            weights = reader.result
            reader = trail.add(only_reader(weights, MatMulOp))
        plain, turned = AXES[len(places)]
        require(reader.lhs is not reader.rhs, Reason.NOT_CONSUMED_BY, reader)
        if reader.lhs is weights:
            require(places == plain[:-1] + "t", Reason.LAYOUT, reader, detail=lambda: f"the weights lie {places}")
            return reader, Values(reader.rhs, plain)
        require(places[-2] == "t", Reason.NOT_CONSUMED_BY, reader, detail="the weights are the right side")
        require(places == plain[:-2] + "ts", Reason.LAYOUT, reader, detail=lambda: f"the weights lie {places}")
        return reader, Values(reader.lhs, turned)

    def accumulate(self, first: MatMulOp, second: MatMulOp, softmax: SoftmaxOp) -> TypeAttribute | None:
        """
        The type in which both products and the softmax are summed.

        Where the first product is wider than the second, queries and keys are cast: they have the type of the weights.
        """
        require(
            first.accumulate == second.accumulate, Reason.ATTRIBUTES, second, detail="the products sum in two types"
        )
        allowed = (None, first.accumulate, tensor_type(softmax.result).element_type)
        require(softmax.accumulate in allowed, Reason.ATTRIBUTES, softmax, detail="the softmax sums in another type")
        wide, narrow = (tensor_type(value).element_type for value in (first.result, second.result))
        require(isinstance(wide, AnyFloat) and isinstance(narrow, AnyFloat), Reason.DTYPE, second)
        require(narrow == tensor_type(second.lhs).element_type, Reason.DTYPE, second)
        return first.accumulate

    def sides(self, query: Operand, found: Scores, values: Values, element: Attribute) -> Sides:
        """Queries, keys and values, through repeated heads where keys and values repeat them alike."""
        rank = len(values.axes)
        keys = found.product.rhs
        require(
            len(dims_of(keys)) == len(dims_of(values.value)) == rank,
            Reason.LAYOUT,
            found.product,
            detail="ranks differ",
        )

        def with_repeats(repeats: bool) -> Sides:
            key = operand(keys, AXES[rank][1], repeats=repeats, scales=True, element=element)
            return Sides(query, key, operand(values.value, values.axes, repeats=repeats, scales=False))

        sides = with_repeats(True)
        if "h" in query.axes and sides.key.size("h") != sides.value.size("h"):
            return with_repeats(False)
        return sides

    def extent(self, found: Scores, sides: Sides, axes: str, places: str) -> Extent:
        """The sizes of the scores. Raises `Miss` if sides broadcast but for shared key heads, or a size is unknown."""
        query, key, value = sides.all
        for side in sides.all:
            require(side.size("d") not in (0, DYNAMIC), Reason.DYNAMIC, side.value)
        sizes = {"b": 1, "h": 1} | {letter: query.size(letter) for letter in query.axes} | {"t": key.size("s")}
        for side in (key, value):
            require(side.size("s") == sizes["t"], Reason.DIMS_NOT_KNOWN_EQUAL, side.value)
            require("b" not in side.axes or side.size("b") == sizes["b"], Reason.DIMS_NOT_KNOWN_EQUAL, side.value)
        if "h" in key.axes:
            kv_heads = key.size("h")
            require(DYNAMIC not in (sizes["h"], kv_heads), Reason.DYNAMIC, key.value)
            require(kv_heads == value.size("h"), Reason.DIMS_NOT_KNOWN_EQUAL, value.value)
            require(kv_heads > 0 and sizes["h"] % kv_heads == 0, Reason.LAYOUT, key.value)
            sizes |= {"k": kv_heads, "g": sizes["h"] // kv_heads}
        dims = dims_of(found.product.result)
        require(dims == tuple(sizes[letter] for letter in axes), Reason.DIMS_NOT_KNOWN_EQUAL, found.product)
        full = (sizes["b"], sizes["h"], sizes["s"], sizes["t"])
        wanted = AXES[len(axes)][0][:-1] + "t"
        order = () if places == wanted else tuple(places.index(letter) for letter in wanted)
        return Extent(full, len(dims) - 2, tensor_type(value.value).element_type, order)

    def layout(self, trail: Trail, sides: Sides, product: Result) -> tuple[AttentionLayout, Result]:
        """The sides' layout and the result: the last op after the product that only moves heads, with fitting axes."""
        if "h" not in sides.query.axes:
            return AttentionLayout.BSM, product
        found = [product]
        while (behind := moved(found[-1])) is not None:
            found.append(behind)
        by_place = all(side.axes == BY_PLACE for side in sides.all)
        packed = by_place and all(side.packed is not None for side in sides.all)
        for count, result in reversed(list(enumerate(found))):
            layout = {"bsm": AttentionLayout.BSM, BY_PLACE: AttentionLayout.BSHD}.get(result.axes, AttentionLayout.BHSD)
            fits = {AttentionLayout.BSM: packed, AttentionLayout.BSHD: by_place}.get(layout, result.axes == BY_HEAD)
            if fits:
                for inner in found[:count]:
                    trail.add(inner.op)
                return layout, result
        if by_place and found[-1].axes == "bsm":
            for inner in found:
                trail.add(inner.op)
            return AttentionLayout.BSHD, found[-1]
        return AttentionLayout.BHSD, product

    def laid(self, side: Operand, layout: AttentionLayout, new: list[Operation]) -> SSAValue:
        """The value of a side in the layout."""
        if "h" not in side.axes:
            return as_single_head(side, new)
        if layout is AttentionLayout.BSM and side.packed is not None:
            return side.packed
        side = split_again(side, new)
        return side.value if layout is AttentionLayout.BSHD else as_by_head(side, new)


MOST_STEPS = 3
"""How many elementwise ops may stand on either side of a softmax between products."""


def between_products(softmax: SoftmaxOp) -> bool:
    """Whether elementwise ops alone lead from a product to a softmax and from there to the next one."""
    value = softmax.input
    for _ in range(MOST_STEPS):
        if not isinstance(value.owner, BinaryOp | WhereOp | CastOp):
            break
        value = value.owner.on_true if isinstance(value.owner, WhereOp) else value.owner.operands[0]
    if not isinstance(value.owner, MatMulOp):
        return False
    reached: Sequence[SSAValue] = (softmax.result,)
    for _ in range(MOST_STEPS):
        readers = [use.operation for each in reached for use in islice(each.uses, SHOWN_READERS)]
        if any(isinstance(reader, MatMulOp) for reader in readers):
            return True
        reached = [op.result for op in readers if isinstance(op, BinaryOp | WhereOp | CastOp)][:SHOWN_READERS]
    return False


def moved(result: Result) -> Result | None:
    """The result of the transpose, or the head-joining reshape, that alone reads it; None where there is none."""
    reader = optional_reader(result.op.results[0], (TransposeOp, ReshapeOp))
    if isinstance(reader, TransposeOp):
        return Result(reader, "".join(result.axes[axis] for axis in reader.permutation.get_values()))
    if reader is None:
        return None
    for split, joined in (("kg", "h"), ("hd", "m"), ("kgd", "m")):
        if split in result.axes and joins(reader, result.axes.index(split), len(split)):
            return Result(reader, result.axes.replace(split, joined))
    return None


def joins(reshape: ReshapeOp, at: int, count: int) -> bool:
    """Whether `count` dims from `at` become one and all others stay."""
    before, after = dims_of(reshape.input), dims_of(reshape.result)
    joined = before[at : at + count]
    if DYNAMIC in joined or after != (*before[:at], prod(joined), *before[at + count :]):
        return False
    return same_leading(reshape, before[:at], after[:at]) and DYNAMIC not in after[at + 1 :]
