"""Attention: two contractions around a softmax over the keys, read and written in the layout that the operands have."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionLike, AttentionOp
from rlx_dialect.ops.attention import END
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Size, Tensor
from rlx_passes.lowerings.to_linalg.contraction import accumulate_type
from rlx_passes.lowerings.to_linalg.elements import index
from rlx_passes.lowerings.to_linalg.maps import Contraction, row_map
from rlx_passes.lowerings.to_linalg.normalization import Read, Rows, lowest_finite
from rlx_passes.lowerings.to_linalg.scalars import Scalar
from rlx_passes.lowerings.to_linalg.shape import reshape


class Side(NamedTuple):
    """
    An operand or a result and one letter for each of its axes.

    `b` batch, `g` key head, `r` query head of a key head, `i` query, `j` key, `d` width of a key, `e` width of a value.
    Heads of which there is one have no axis.
    """

    tensor: Tensor
    axes: str


def heads_of(config: AttentionConfig) -> dict[str, int]:
    """How many key heads there are, and how many query heads read each; heads of which there is one are left out."""
    counts = {"g": config.kv_heads, "r": config.heads // config.kv_heads}
    return {letter: count for letter, count in counts.items() if count > 1}


def side(
    b: LinalgBuilder, x: Tensor, layout: AttentionLayout, heads: dict[str, int], last: tuple[str, int], at: str
) -> Side:
    """`x`, whose positions go by the letter `at` and whose width by `last`, with its head axis split into `heads`."""
    letters, count = "".join(heads), 1
    for size in heads.values():
        count *= size
    width_letter, width = last
    batch = "b" if layout is not AttentionLayout.BSM or x.rank == 3 else ""
    if layout is AttentionLayout.BSM:
        x = b.with_dim(x, x.rank - 1, count * width)
        sizes: list[Size] = [*b.sizes(x.value)[:-1], *heads.values(), width]
        return Side(reshape(b, x, tuple(sizes)), f"{batch}{at}{letters}{width_letter}")
    axis = 1 if layout is AttentionLayout.BHSD else 2
    x = b.with_dim(b.with_dim(x, axis, count), 3, width)
    sizes = list(b.sizes(x.value))
    sizes[axis : axis + 1] = heads.values()
    axes = f"b{letters}{at}{width_letter}" if axis == 1 else f"b{at}{letters}{width_letter}"
    return Side(reshape(b, x, tuple(sizes)), axes)


def result_of(b: LinalgBuilder, attended: Side, layout: AttentionLayout, config: AttentionConfig) -> Tensor:
    """`attended` with its heads joined again, as `layout` has it."""
    sizes = dict(zip(attended.axes, b.sizes(attended.tensor.value)))
    batch = [sizes["b"]] if "b" in sizes else []
    if layout is AttentionLayout.BSM:
        return reshape(b, attended.tensor, (*batch, sizes["i"], config.heads * config.v_head_dim))
    middle = (config.heads, sizes["i"]) if layout is AttentionLayout.BHSD else (sizes["i"], config.heads)
    return reshape(b, attended.tensor, (*batch, *middle, config.v_head_dim))


def mask_side(b: LinalgBuilder, mask: Tensor, kind: MaskKind, scores: str, heads: dict[str, int]) -> Side:
    """The mask with a letter for each axis that it shares with the scores; axes of size 1 are dropped."""
    names = "bj" if kind is MaskKind.KEYS else "bhij"[4 - mask.rank :]
    if kind is MaskKind.KEYS and "b" not in scores:
        mask = b.with_dim(mask, 0, 1)
    units = [axis for axis, name in enumerate(names) if mask.dims[axis] == 1 and name != "j"]
    if names.endswith("j") and mask.dims[-1] == 1:
        units.append(mask.rank - 1)
    mask = b.squeeze(mask, units)
    names = "".join(name for axis, name in enumerate(names) if axis not in units)
    if "h" not in names:
        return Side(mask, names)
    sizes: list[Size] = list(b.sizes(mask.value))
    sizes[names.index("h") : names.index("h") + 1] = heads.values()
    return Side(reshape(b, mask, tuple(sizes)), names.replace("h", "".join(heads)))


class Scores:
    """The scores of one attention, `axes` letters over `[.., query, key]`, on their way to weights."""

    def __init__(self, b: LinalgBuilder, config: AttentionConfig, query: Side, key: Side, accumulate: Attribute):
        self.b, self.config, self.accumulate = b, config, accumulate
        self.axes = "".join(name for name in "bgri" if name in query.axes) + "j"
        self.raw = b.contract(query.tensor, key.tensor, Contraction(query.axes, key.axes, self.axes), accumulate)
        self.hidden = lowest_finite(accumulate)
        """The score given to a hidden key."""

    @property
    def hides(self) -> bool:
        """Whether the position alone can hide a key."""
        config = self.config
        return not (config.causal_offset is None and config.window_left is None and config.window_right is None)

    def _offset(self) -> Size:
        """The causal offset; 0 without one."""
        offset = self.config.causal_offset
        if offset != END:
            return offset if isinstance(offset, int) else 0
        rank, b = len(self.axes), self.b
        queries, keys = b.size(self.raw.value, rank - 2), b.size(self.raw.value, rank - 1)
        if isinstance(queries, int) and isinstance(keys, int):
            return keys - queries
        return b.emit(arith.SubiOp(b.as_index(keys), b.as_index(queries)))

    def _seen(self, score: Scalar, offset: Size) -> Scalar:
        """Whether causality and window let the query see the key."""
        config, block, rank = self.config, score.block, len(self.axes)
        away = index(block, rank - 1) - index(block, rank - 2)
        if offset != 0:
            away = away - (offset if isinstance(offset, int) else Scalar(block, offset, IndexType()))
        conditions: list[Scalar] = []
        if config.causal_offset is not None:
            conditions.append(away <= 0)
        if config.window_left is not None:
            conditions.append(away >= -config.window_left)
        if config.window_right is not None:
            conditions.append(away <= config.window_right)
        seen = conditions[0]
        for condition in conditions[1:]:
            seen = seen & condition
        return seen

    def weights(self, mask: Side | None, kind: MaskKind | None) -> tuple[Tensor, Tensor]:
        """
        What each key weighs, and the sum of that over the keys of each query.

        The masked scores are computed where they are read, since a row of them need not fit anywhere. A query that sees
        no key has the hidden score as its greatest; by `masked_rows` all its keys weigh 1 or nothing.
        """
        rank, config = len(self.axes), self.config
        rows = Rows(self.b, self.raw, rank - 1, self.accumulate)
        others: list[Read] = []
        if mask is not None:
            others.append((mask.tensor, row_map(rank, [self.axes.index(name) for name in mask.axes])))
        offset = self._offset() if self.hides else 0

        def score(raw: Scalar, given: Sequence[Scalar]) -> Scalar:
            return self._masked(raw, given, kind, offset)

        def greater(so_far: Scalar, raw: Scalar, *given: Scalar) -> Scalar:
            return so_far.maximum(score(raw, given))

        greatest = rows.reduce([self.raw], self.hidden, greater, others=others)
        blind = 1.0 if config.masked_rows is MaskedRows.UNIFORM else 0.0

        def power(raw: Scalar, greatest: Scalar, *given: Scalar) -> Scalar:
            value = (score(raw, given) - greatest).exp()
            if mask is None and not self.hides:
                return value
            return greatest.equals(self.hidden).where(blind, value)

        powers = rows.map([self.raw, greatest], self.accumulate, power, others=others)
        return powers, rows.sum([powers], lambda power: power)

    def _masked(self, raw: Scalar, given: Sequence[Scalar], kind: MaskKind | None, offset: Size) -> Scalar:
        """
        The scaled score; that of a hidden key is replaced by the most negative finite value.

        A bias may bring a visible score there: it is held at half of that, so that hidden ones still vanish beside it.
        """
        config = self.config
        score = raw * config.scale
        if config.softcap is not None:
            score = config.softcap * (score / config.softcap).function("tanh")
        seen = [self._seen(score, offset)] if self.hides else []
        if given and kind is MaskKind.KEYS:
            seen.append(given[0] if given[0].type == i1 else given[0].differs(0))
        elif given:
            seen.append(~(given[0] < self.hidden))
            score = (score + given[0]).maximum(self.hidden / 2)
        for condition in seen:
            score = condition.where(score, self.hidden)
        return score


def attend(
    b: LinalgBuilder,
    sides: tuple[Side, Side, Side],
    config: AttentionConfig,
    layout: AttentionLayout,
    mask: tuple[Tensor, MaskKind] | None,
    accumulate: Attribute,
    element: Attribute,
) -> Tensor:
    """The attention of query, key and value, joined in `layout`, of `element`."""
    query, key, value = sides
    scores = Scores(b, config, query, key, accumulate)
    masking = mask_side(b, *mask, scores.axes, heads_of(config)) if mask is not None else None
    powers, total = scores.weights(masking, mask[1] if mask is not None else None)

    order = "bgrie" if layout is AttentionLayout.BHSD else "bigre"
    axes = "".join(name for name in order if name == "e" or name in query.axes)
    summed = b.contract(powers, value.tensor, Contraction(scores.axes, value.axes, axes), accumulate)

    keys = b.size(scores.raw.value, len(scores.axes) - 1)

    def divided(value: Scalar, total: Scalar) -> Scalar:
        """Nothing was summed where no key was seen: 0, but for `nan`, where there are keys."""
        nothing = total.equals(0.0)
        if config.masked_rows is MaskedRows.NAN and keys != 0:
            if isinstance(keys, int):
                return value / total
            nothing = nothing & Scalar(total.block, keys, IndexType()).equals(0)
        return value / nothing.where(1.0, total)

    init = b.empty(b.sizes(summed.value), element)
    of_total = row_map(len(axes), [axes.index(name) for name in scores.axes[:-1]])
    whole = AffineMap.identity(len(axes))
    result = b.generic([(summed, whole), (total, of_total)], init, whole, element, divided)
    return result_of(b, Side(result, axes), layout, config)


def sides_of(
    b: LinalgBuilder, query: Tensor, key: Tensor, value: Tensor, layout: AttentionLayout, config: AttentionConfig
) -> tuple[Side, Side, Side]:
    """Query, key and value with their heads split."""
    heads = heads_of(config)
    of_keys = {letter: count for letter, count in heads.items() if letter == "g"}
    width, v_width = ("d", config.head_dim), ("e", config.v_head_dim)
    return (
        side(b, query, layout, heads, width, "i"),
        side(b, key, layout, of_keys, width, "j"),
        side(b, value, layout, of_keys, v_width, "j"),
    )


def mask_of(op: AttentionLike, b: LinalgBuilder, operand: SSAValue | None) -> tuple[Tensor, MaskKind] | None:
    """The mask operand of `op` and its kind."""
    kind = op.masking
    return None if operand is None or kind is None else (b.tensor(operand), kind)


def _attention(op: AttentionOp, b: LinalgBuilder) -> Sequence[Tensor]:
    query, key, value = b.tensor(op.query), b.tensor(op.key), b.tensor(op.value)
    config, layout = op.config, op.lies
    sides = sides_of(b, query, key, value, layout, config)
    accumulate = accumulate_type(config.accumulate, query.element)
    return [attend(b, sides, config, layout, mask_of(op, b, op.mask), accumulate, query.element)]


LOWERINGS: Lowerings = {AttentionOp: _attention}
