"""Fused attention with its projections, and the whole encoder layer around it."""

from abc import ABC
from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import FloatAttr, TensorType, f64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from rlx_dialect.attributes import Activation, MaskKind, WordOf, word_of
from rlx_dialect.ops.attention import CONFIG_FORMAT, AttentionConfig, AttentionLike
from rlx_dialect.ops.base import f64_attr, word
from rlx_dialect.shape_rules.contraction import matmul
from rlx_dialect.shapes import (
    Shaped,
    ShapeError,
    meet,
    require_epsilon,
    require_floats,
    require_rank,
    require_vector,
    same,
    shaped,
)


class ProjectedAttention(AttentionLike, ABC):
    """Self attention in layout bsm between a packed projection of one input and a projection of its result."""

    @property
    def widths(self) -> tuple[int, int, int]:
        """How wide query, key and value lie in the packed projection."""
        config = self.config
        return (
            config.heads * config.head_dim,
            config.kv_heads * config.head_dim,
            config.kv_heads * config.v_head_dim,
        )

    def project(
        self,
        hidden: Shaped,
        weights: tuple[SSAValue, SSAValue],
        biases: tuple[SSAValue | None, SSAValue | None],
        mask: SSAValue | None,
    ) -> Shaped:
        """What leaves the second projection; `weights` and `biases` are those of the first and the second."""
        self.check_config()
        config = self.config
        require_rank(hidden, 3, "hidden")
        require_floats(hidden, "hidden")
        packed = matmul(hidden, shaped(weights[0], "qkv_w"), "hidden", "qkv_w")
        meet(packed.dims[-1], sum(self.widths), "the last dim of qkv_w and the packed width of query, key and value")
        attended = hidden.with_dims((*hidden.dims[:2], config.heads * config.v_head_dim))
        result = matmul(attended, shaped(weights[1], "out_w"), "the attention", "out_w")
        if (biases[0] is None) != (biases[1] is None):
            raise ShapeError("qkv_b and out_b must come together")
        for name, bias, size in (("qkv_b", biases[0], packed.dims[-1]), ("out_b", biases[1], result.dims[-1])):
            if bias is not None:
                require_vector(shaped(bias, name), size, hidden.element, name, "the columns of its weight")
        self.check_mask(mask, hidden.dims[0], hidden.dims[1], hidden.dims[1], hidden.element)
        return result


@irdl_op_definition
class FusedAttentionBlockOp(ProjectedAttention):
    """
    Self attention with its projections: `attention(split(hidden @ qkv_w + qkv_b)) @ out_w + out_b`.

    hidden `[B, S, M]`, qkv_w `[M, heads*D + kv_heads*D + kv_heads*Dv]` in the order query, key, value, out_w
    `[heads*Dv, N]`; both biases or none. Attention in layout bsm; see `AttentionConfig`. Sums as `rlx.matmul`.
    """

    name = "rlx.fused_attention_block"

    hidden = operand_def(TensorType)
    qkv_w = operand_def(TensorType)
    out_w = operand_def(TensorType)
    qkv_b = opt_operand_def(TensorType)
    out_b = opt_operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    result = result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "$hidden `,` $qkv_w `,` $out_w (`bias` `(` $qkv_b^ `,` $out_b `:` type($qkv_b) `,` type($out_b) `)`)? "
        "(`mask` custom<Word>($mask_kind)^ `(` $mask `:` type($mask) `)`)? "
        + CONFIG_FORMAT
        + "attr-dict `:` `(` type($hidden) `,` type($qkv_w) `,` type($out_w) `)` `->` type($result)"
    )

    def __init__(
        self,
        hidden: SSAValue,
        qkv_w: SSAValue,
        out_w: SSAValue,
        config: AttentionConfig,
        *,
        qkv_b: SSAValue | None = None,
        out_b: SSAValue | None = None,
        mask: SSAValue | None = None,
        mask_kind: MaskKind | None = None,
    ):
        super().__init__(
            operands=[hidden, qkv_w, out_w, qkv_b, out_b, mask],
            properties=config.properties() | {"mask_kind": word(mask_kind)},
        )

    def infer(self) -> Sequence[Shaped]:
        hidden = shaped(self.hidden, "hidden")
        return [self.project(hidden, (self.qkv_w, self.out_w), (self.qkv_b, self.out_b), self.mask)]


class LayerWeights(NamedTuple):
    """
    The weights of an encoder layer, in the order of the operands; all biases or none.

    qkv_w `[M, heads*D + kv_heads*D + kv_heads*Dv]`, out_w `[heads*Dv, M]`, fc1_w `[M, I]`, fc2_w `[I, M]`; `*_b`, `*_g`
    are vectors.
    """

    qkv_w: SSAValue
    out_w: SSAValue
    ln1_g: SSAValue
    fc1_w: SSAValue
    fc2_w: SSAValue
    ln2_g: SSAValue
    qkv_b: SSAValue | None = None
    out_b: SSAValue | None = None
    ln1_b: SSAValue | None = None
    fc1_b: SSAValue | None = None
    fc2_b: SSAValue | None = None
    ln2_b: SSAValue | None = None


@irdl_op_definition
class FusedTransformerLayerOp(ProjectedAttention):
    """
    An encoder layer with its norms after the sums.

        h = layer_norm(attention_block(hidden) + hidden; ln1, epsilon1)
        result = layer_norm(activation(h @ fc1_w + fc1_b) @ fc2_w + fc2_b + h; ln2, epsilon2)

    hidden `[B, S, M]`; weights as `LayerWeights` has them, the attention block as `rlx.fused_attention_block`. Without
    biases those of the products and of the norms are zero. Products sum as `rlx.matmul`, statistics as
    `rlx.layer_norm`; `accumulate` is the attention's.
    """

    name = "rlx.fused_transformer_layer"

    hidden = operand_def(TensorType)
    qkv_w = operand_def(TensorType)
    qkv_b = opt_operand_def(TensorType)
    out_w = operand_def(TensorType)
    out_b = opt_operand_def(TensorType)
    ln1_g = operand_def(TensorType)
    ln1_b = opt_operand_def(TensorType)
    fc1_w = operand_def(TensorType)
    fc1_b = opt_operand_def(TensorType)
    fc2_w = operand_def(TensorType)
    fc2_b = opt_operand_def(TensorType)
    ln2_g = operand_def(TensorType)
    ln2_b = opt_operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    activation = prop_def(WordOf(Activation))
    epsilon1 = prop_def(FloatAttr.constr(f64))
    epsilon2 = prop_def(FloatAttr.constr(f64))
    result = result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "$hidden "
        "`qkv` `(` $qkv_w (`,` $qkv_b^)? `:` type($qkv_w) (`,` type($qkv_b)^)? `)` "
        "`out` `(` $out_w (`,` $out_b^)? `:` type($out_w) (`,` type($out_b)^)? `)` "
        "`ln1` `(` $ln1_g (`,` $ln1_b^)? `:` type($ln1_g) (`,` type($ln1_b)^)? `)` "
        "`fc1` `(` $fc1_w (`,` $fc1_b^)? `:` type($fc1_w) (`,` type($fc1_b)^)? `)` "
        "`fc2` `(` $fc2_w (`,` $fc2_b^)? `:` type($fc2_w) (`,` type($fc2_b)^)? `)` "
        "`ln2` `(` $ln2_g (`,` $ln2_b^)? `:` type($ln2_g) (`,` type($ln2_b)^)? `)` "
        "(`mask` custom<Word>($mask_kind)^ `(` $mask `:` type($mask) `)`)? `activation` `(` "
        "custom<Word>($activation) `)` "
        "`epsilon` `(` custom<Real>($epsilon1) `,` custom<Real>($epsilon2) `)` "
        + CONFIG_FORMAT
        + "attr-dict `:` type($hidden) `->` type($result)"
    )

    def __init__(
        self,
        hidden: SSAValue,
        weights: LayerWeights,
        config: AttentionConfig,
        *,
        activation: Activation,
        epsilon1: float,
        epsilon2: float,
        mask: SSAValue | None = None,
        mask_kind: MaskKind | None = None,
    ):
        w = weights
        super().__init__(
            operands=[
                *(hidden, w.qkv_w, w.qkv_b, w.out_w, w.out_b, w.ln1_g, w.ln1_b),
                *(w.fc1_w, w.fc1_b, w.fc2_w, w.fc2_b, w.ln2_g, w.ln2_b, mask),
            ],
            properties=config.properties()
            | {
                "activation": word(activation),
                "epsilon1": f64_attr(epsilon1),
                "epsilon2": f64_attr(epsilon2),
                "mask_kind": word(mask_kind),
            },
        )

    @property
    def epilogue(self) -> Activation:
        return word_of(self.activation, Activation)

    @property
    def weights(self) -> LayerWeights:
        return LayerWeights(
            *(self.qkv_w, self.out_w, self.ln1_g, self.fc1_w, self.fc2_w, self.ln2_g),
            *(self.qkv_b, self.out_b, self.ln1_b, self.fc1_b, self.fc2_b, self.ln2_b),
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon1.value.data, "epsilon1")
        require_epsilon(self.epsilon2.value.data, "epsilon2")
        w = self.weights
        biases = {
            "qkv_b": w.qkv_b,
            "out_b": w.out_b,
            "ln1_b": w.ln1_b,
            "fc1_b": w.fc1_b,
            "fc2_b": w.fc2_b,
            "ln2_b": w.ln2_b,
        }
        missing = [name for name, bias in biases.items() if bias is None]
        if missing and len(missing) < len(biases):
            raise ShapeError(f"all biases must come together, {', '.join(missing)} missing")
        hidden = shaped(self.hidden, "hidden")
        block = self.project(hidden, (w.qkv_w, w.out_w), (w.qkv_b, w.out_b), self.mask)
        total = same(hidden, block, "hidden", "the attention block")
        wide = matmul(total, shaped(w.fc1_w, "fc1_w"), "hidden", "fc1_w")
        result = same(
            total, matmul(wide, shaped(w.fc2_w, "fc2_w"), "the first product", "fc2_w"), "hidden", "the second product"
        )
        vectors = {"ln1_g": w.ln1_g, "ln1_b": w.ln1_b, "fc2_b": w.fc2_b, "ln2_g": w.ln2_g, "ln2_b": w.ln2_b}
        for name, vector in vectors.items():
            if vector is not None:
                require_vector(shaped(vector, name), result.dims[-1], hidden.element, name, "the width of hidden")
        if w.fc1_b is not None:
            width = wide.dims[-1]
            require_vector(shaped(w.fc1_b, "fc1_b"), width, hidden.element, "fc1_b", "the columns of its weight")
        return [result]
