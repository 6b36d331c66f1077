"""Gradients of attention."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import AttentionLayout, AttentionOperand, MaskKind, WordOf, word_of
from rlx_dialect.ops.attention import CONFIG_FORMAT, AttentionConfig, AttentionLike
from rlx_dialect.ops.base import word
from rlx_dialect.shapes import DYNAMIC, Shaped, require_floats, same, shaped

_FORMAT = (
    "$query `,` $key `,` $value `,` $gradient (`mask` custom<Word>($mask_kind)^ `(` $mask `)`)? "
    "`layout` `(` custom<Word>($layout) `)` " + CONFIG_FORMAT + "attr-dict `:` functional-type(operands, results)"
)


class AttentionGradient(AttentionLike, ABC):
    """The operands of an `rlx.attention`, with its layout and config, and the gradient of its result."""

    query = operand_def(TensorType)
    key = operand_def(TensorType)
    value = operand_def(TensorType)
    gradient = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    layout = prop_def(WordOf(AttentionLayout))
    result = result_def(TensorType)

    traits = traits_def(Pure())

    @property
    def lies(self) -> AttentionLayout:
        return word_of(self.layout, AttentionLayout)

    def operand_shapes(self) -> tuple[Shaped, Shaped, Shaped]:
        """Query, key and value. Raises `ShapeError` if they do not fit together or the gradient does not fit them."""
        query, key, value = shaped(self.query, "query"), shaped(self.key, "key"), shaped(self.value, "value")
        require_floats(query, "query")
        result = self.attended(query, key, value, self.lies, self.mask)
        same(result, shaped(self.gradient, "gradient"), "the attention", "gradient")
        return query, key, value


@irdl_op_definition
class AttentionBackwardOp(AttentionGradient):
    """
    The gradient of `rlx.attention` by one of its operands, in that operand's shape; `gradient` is that of its result.

    With p the weights, g = `gradient` and s the scaled scores: by value `p^T g`; by query and key that of
    `p * (g value^T - sum(p * g value^T))` through the softcap and the product. Hidden scores pass nothing on; heads
    that share a key add up.
    """

    name = "rlx.attention_backward"

    wrt = prop_def(WordOf(AttentionOperand))
    assembly_format = "custom<Word>($wrt) " + _FORMAT

    def __init__(
        self,
        wrt: AttentionOperand,
        query: SSAValue,
        key: SSAValue,
        value: SSAValue,
        gradient: SSAValue,
        config: AttentionConfig,
        *,
        layout: AttentionLayout,
        mask: SSAValue | None = None,
        mask_kind: MaskKind | None = None,
    ):
        super().__init__(
            operands=[query, key, value, gradient, mask],
            properties=config.properties() | {"wrt": word(wrt), "layout": word(layout), "mask_kind": word(mask_kind)},
        )

    @property
    def by(self) -> AttentionOperand:
        return word_of(self.wrt, AttentionOperand)

    def infer(self) -> Sequence[Shaped]:
        return [self.operand_shapes()[tuple(AttentionOperand).index(self.by)]]


@irdl_op_definition
class AttentionBackwardAllOp(AttentionGradient):
    """
    The three gradients of `rlx.attention`, one after the other on axis 0: by query, by key, by value.

    Query, key and value have equal dims, `[B, ..]`; the result is `[3 B, ..]`. Each third as `rlx.attention_backward`.
    """

    name = "rlx.attention_backward_all"

    assembly_format = _FORMAT

    def __init__(
        self,
        query: SSAValue,
        key: SSAValue,
        value: SSAValue,
        gradient: SSAValue,
        config: AttentionConfig,
        *,
        layout: AttentionLayout,
        mask: SSAValue | None = None,
        mask_kind: MaskKind | None = None,
    ):
        super().__init__(
            operands=[query, key, value, gradient, mask],
            properties=config.properties() | {"layout": word(layout), "mask_kind": word(mask_kind)},
        )

    def infer(self) -> Sequence[Shaped]:
        query, key, value = self.operand_shapes()
        each = same(same(query, key, "query", "key"), value, "query", "value")
        first = each.dims[0]
        return [each.with_dims((first if first == DYNAMIC else 3 * first, *each.dims[1:]))]
