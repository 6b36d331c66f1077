"""Attention, and what every op that holds an attention carries."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, TensorType, f64, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AnyOf,
    EqAttrConstraint,
    MessageConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind, WordOf, word_of
from rlx_dialect.directives import IntOrWord, Real, Word
from rlx_dialect.ops.base import RlxOp, f64_attr, i64_attr, word
from rlx_dialect.shapes import (
    Dims,
    Shaped,
    ShapeError,
    meet,
    require_broadcasts_to,
    require_element,
    require_floats,
    require_rank,
    shaped,
)

END = "end"
"""The causal offset that aligns the last query with the last key: `S_k - S_q`, known or not."""


class AttentionConfig(NamedTuple):
    """
    What an attention computes, apart from its operands.

    Scores are `scale * q . k`, then `softcap * tanh(score / softcap)`; key j is visible to query i iff
    `j <= i + causal_offset` and `i + o - window_left <= j <= i + o + window_right` (o the causal offset, 0 without
    one), and the mask allows it. Scores of hidden keys are replaced, never added to, so that NaN there does not matter
    (on mlx it stays where a bias hides the key: MLX adds it); their values weigh 0, and have to be finite.
    `masked_rows` says what a query without a visible key gives, and may do so for one whose visible scores are all
    -inf; without any keys it gives 0. An infinity in a query or a key may give NaN, as may a score beyond the range
    that sums have. Query head h reads key head `h // (heads / kv_heads)`.
    """

    heads: int
    head_dim: int
    scale: float
    kv_heads: int
    v_head_dim: int
    softcap: float | None = None
    causal_offset: int | str | None = None
    window_left: int | None = None
    window_right: int | None = None
    masked_rows: MaskedRows = MaskedRows.UNIFORM
    accumulate: TypeAttribute | None = None

    @staticmethod
    def make(
        heads: int,
        head_dim: int,
        *,
        scale: float | None = None,
        kv_heads: int | None = None,
        v_head_dim: int | None = None,
        softcap: float | None = None,
        causal_offset: int | str | None = None,
        window_left: int | None = None,
        window_right: int | None = None,
        masked_rows: MaskedRows = MaskedRows.UNIFORM,
        accumulate: TypeAttribute | None = None,
    ) -> "AttentionConfig":
        """As many key heads as heads, as wide values as keys, and `1 / sqrt(head_dim)` unless said otherwise."""
        return AttentionConfig(
            heads,
            head_dim,
            head_dim**-0.5 if scale is None else scale,
            heads if kv_heads is None else kv_heads,
            head_dim if v_head_dim is None else v_head_dim,
            softcap,
            causal_offset,
            window_left,
            window_right,
            masked_rows,
            accumulate,
        )

    def properties(self) -> dict[str, Attribute | None]:
        """The properties of an op that carries this."""
        offset = self.causal_offset
        return {
            "heads": i64_attr(self.heads),
            "kv_heads": i64_attr(self.kv_heads),
            "head_dim": i64_attr(self.head_dim),
            "v_head_dim": i64_attr(self.v_head_dim),
            "scale": f64_attr(self.scale),
            "softcap": None if self.softcap is None else f64_attr(self.softcap),
            "causal_offset": word(offset) if isinstance(offset, str) else None if offset is None else i64_attr(offset),
            "window_left": None if self.window_left is None else i64_attr(self.window_left),
            "window_right": None if self.window_right is None else i64_attr(self.window_right),
            "masked_rows": word(self.masked_rows),
            "accumulate": self.accumulate,
        }


CONFIG_FORMAT = (
    "`heads` `(` $heads `)` `kv_heads` `(` $kv_heads `)` `head_dim` `(` $head_dim `)` `v_head_dim` `(` $v_head_dim `)` "
    "`scale` `(` custom<Real>($scale) `)` (`softcap` `(` custom<Real>($softcap)^ `)`)? (`causal_offset` `(` "
    "custom<IntOrWord>($causal_offset)^ `)`)? "
    "(`window_left` `(` $window_left^ `)`)? (`window_right` `(` $window_right^ `)`)? "
    "(`masked_rows` `(` custom<Word>($masked_rows)^ `)`)? (`accumulate` `(` $accumulate^ `)`)? "
)


class AttentionLike(RlxOp):
    """An op that carries an `AttentionConfig` and an optional mask."""

    mask_kind = opt_prop_def(WordOf(MaskKind))
    heads = prop_def(IntegerAttr.constr(i64))
    kv_heads = prop_def(IntegerAttr.constr(i64))
    head_dim = prop_def(IntegerAttr.constr(i64))
    v_head_dim = prop_def(IntegerAttr.constr(i64))
    scale = prop_def(FloatAttr.constr(f64))
    softcap = opt_prop_def(FloatAttr.constr(f64))
    causal_offset = opt_prop_def(
        MessageConstraint(
            AnyOf((IntegerAttr.constr(i64), EqAttrConstraint(StringAttr(END)))),
            f"causal_offset must be an i64 or {END}",
        )
    )
    window_left = opt_prop_def(IntegerAttr.constr(i64))
    window_right = opt_prop_def(IntegerAttr.constr(i64))
    masked_rows = prop_def(WordOf(MaskedRows), default_value=StringAttr(MaskedRows.UNIFORM.value))
    accumulate = opt_prop_def(TypeAttribute)

    custom_directives = (Word, IntOrWord, Real)

    @property
    def config(self) -> AttentionConfig:
        """The attributes as Python values."""
        offset = self.causal_offset
        return AttentionConfig(
            self.heads.value.data,
            self.head_dim.value.data,
            self.scale.value.data,
            self.kv_heads.value.data,
            self.v_head_dim.value.data,
            None if self.softcap is None else self.softcap.value.data,
            offset.value.data if isinstance(offset, IntegerAttr) else None if offset is None else END,
            None if self.window_left is None else self.window_left.value.data,
            None if self.window_right is None else self.window_right.value.data,
            word_of(self.masked_rows, MaskedRows),
            self.accumulate,
        )

    @property
    def masking(self) -> MaskKind | None:
        return None if self.mask_kind is None else word_of(self.mask_kind, MaskKind)

    def check_config(self) -> None:
        """Raises `ShapeError` for head counts, widths or window bounds that make no sense."""
        config = self.config
        for name in ("heads", "kv_heads", "head_dim", "v_head_dim"):
            if getattr(config, name) < 1:
                raise ShapeError(f"{name} must be at least 1, got {getattr(config, name)}")
        if config.heads % config.kv_heads:
            raise ShapeError(f"kv_heads must divide heads, got {config.kv_heads} and {config.heads}")
        for name in ("window_left", "window_right"):
            if (getattr(config, name) or 0) < 0:
                raise ShapeError(f"{name} must not be negative, got {getattr(config, name)}")

    def check_mask(self, operand: SSAValue | None, batch: int, queries: int, keys: int, element: Attribute) -> None:
        """Raises `ShapeError` unless the mask operand fits `[batch, heads, queries, keys]` scores."""
        if (operand is None) != (self.mask_kind is None):
            raise ShapeError("mask and mask_kind must come together")
        if operand is None:
            return
        mask = shaped(operand, "mask")
        if self.masking is MaskKind.KEYS:
            require_rank(mask, 2, "mask")
            meet(mask.dims[0], batch, f"dim 0 of the mask {mask} and the batch")
            meet(mask.dims[1], keys, f"dim 1 of the mask {mask} and the number of keys")
        else:
            require_element(element, mask.element, "mask")
            require_broadcasts_to(mask, (batch, self.heads.value.data, queries, keys), "mask")

    def attended(
        self, query: Shaped, key: Shaped, value: Shaped, layout: AttentionLayout, mask: SSAValue | None
    ) -> Shaped:
        """The attention's results. Raises `ShapeError` where operands, layout, mask and config do not fit together."""
        self.check_config()
        config = self.config
        require_floats(query, "query")
        for name, side in (("key", key), ("value", value)):
            require_element(query.element, side.element, name)
            require_rank(side, query.rank, name)
        batch, _, queries, _ = split_heads(query, layout, config.heads, config.head_dim, "query")
        k_batch, _, keys, _ = split_heads(key, layout, config.kv_heads, config.head_dim, "key")
        v_batch, _, v_keys, _ = split_heads(value, layout, config.kv_heads, config.v_head_dim, "value")
        batch = meet(meet(batch, k_batch, "the batch of query and key"), v_batch, "the batch of query and value")
        keys = meet(keys, v_keys, "the lengths of key and value")
        self.check_mask(mask, batch, queries, keys, query.element)
        width = config.v_head_dim * (config.heads if layout is AttentionLayout.BSM else 1)
        return query.with_dims((*query.dims[:-1], width))


def split_heads(value: Shaped, layout: AttentionLayout, heads: int, width: int, name: str) -> Dims:
    """The dims `[B, H, S, D]` of a query, key or value in `layout`; a `bsm` value of rank 2 has batch 1."""
    dims = value.dims
    if layout is AttentionLayout.BSM:
        if value.rank not in (2, 3):
            raise ShapeError(f"{name} must have rank 2 or 3 in layout bsm, got {value}")
        meet(dims[-1], heads * width, f"the last dim of {name} {value} and {heads} heads of width {width}")
        return (1 if value.rank == 2 else dims[0], heads, dims[-2], width)
    require_rank(value, 4, name)
    batch, second, third, last = dims
    count, length = (second, third) if layout is AttentionLayout.BHSD else (third, second)
    meet(count, heads, f"the head dim of {name} {value} and the number of heads")
    meet(last, width, f"the last dim of {name} {value} and the head width")
    return (batch, heads, length, width)


@irdl_op_definition
class AttentionOp(AttentionLike):
    """
    Scaled dot product attention: `softmax(mask(scale * query @ key^T)) @ value` for each head; see `AttentionConfig`.

    `layout` says how query, key, value and result lie: `bhsd`, `bshd`, or `bsm` with the heads packed on the last axis.
    The result has the query's dims with heads of width `v_head_dim`.
    """

    name = "rlx.attention"

    query = operand_def(TensorType)
    key = operand_def(TensorType)
    value = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    layout = prop_def(WordOf(AttentionLayout))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$query `,` $key `,` $value (`mask` custom<Word>($mask_kind)^ `(` $mask `)`)? `layout` `(` "
        "custom<Word>($layout) `)` " + CONFIG_FORMAT + "attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        query: SSAValue,
        key: SSAValue,
        value: SSAValue,
        config: AttentionConfig,
        *,
        layout: AttentionLayout,
        mask: SSAValue | None = None,
        mask_kind: MaskKind | None = None,
    ):
        super().__init__(
            operands=[query, key, value, mask],
            properties=config.properties() | {"layout": word(layout), "mask_kind": word(mask_kind)},
        )

    @property
    def lies(self) -> AttentionLayout:
        return word_of(self.layout, AttentionLayout)

    def infer(self) -> Sequence[Shaped]:
        operands = (shaped(self.query, "query"), shaped(self.key, "key"), shaped(self.value, "value"))
        return [self.attended(*operands, self.lies, self.mask)]
