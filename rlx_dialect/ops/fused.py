"""Fused ops. Each says what it replaces; `rlx_dialect.decompose` writes that out again."""

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, TensorType, f64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from rlx_dialect.attributes import Activation, MaskKind, Real, Word, WordOf, word_of
from rlx_dialect.ops.attention import CONFIG_FORMAT, AttentionConfig, AttentionLike
from rlx_dialect.ops.base import RlxOp, f64_attr, word
from rlx_dialect.shapes import Shaped, ShapeError, matmul, meet, require_element, require_rank, require_vector, shaped


@irdl_op_definition
class FusedMatMulBiasActOp(RlxOp):
    """
    `activation(lhs @ rhs + bias)`; no activation means identity.

    lhs `[.., M, K]`, rhs `[.., K, N]`, bias `[N]`; leading dims broadcast. Sums as `rlx.matmul`.
    """

    name = "rlx.fused_matmul_bias_act"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    bias = operand_def(TensorType)
    activation = opt_prop_def(WordOf(Activation))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "$lhs `,` $rhs `,` $bias (`activation` `(` custom<Word>($activation)^ `)`)? "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        bias: SSAValue,
        activation: Activation | None = None,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[lhs, rhs, bias], properties={"activation": word(activation), "accumulate": accumulate}
        )

    @property
    def epilogue(self) -> Activation | None:
        return None if self.activation is None else word_of(self.activation, Activation)

    def infer(self) -> Sequence[Shaped]:
        product = matmul(shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs"))
        bias = shaped(self.bias, "bias")
        require_rank(bias, 1, "bias")
        require_element(product.element, bias.element, "bias")
        meet(bias.dims[0], product.dims[-1], f"the size of bias {bias} and the last dim of the product {product}")
        return [product]


class FusedResidualNormOp(RlxOp):
    """A norm over the last axis of `input + residual (+ bias)`; the optional second result is that sum."""

    input = operand_def(TensorType)
    residual = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)
    sum = opt_result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `,` $residual `,` $gamma `,` $beta (`bias` `(` $bias^ `)`)? `epsilon` `(` custom<Real>($epsilon) `)` "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        residual: SSAValue,
        gamma: SSAValue,
        beta: SSAValue,
        *,
        epsilon: float,
        bias: SSAValue | None = None,
        tee: bool = False,
        accumulate: TypeAttribute | None = None,
    ):
        type = shaped(input, "input").type
        super().__init__(
            operands=[input, residual, gamma, beta, bias],
            properties={"epsilon": f64_attr(epsilon), "accumulate": accumulate},
            result_types=[type, type if tee else None],
        )
        self.refine()

    def infer(self) -> Sequence[Shaped]:
        value, residual = shaped(self.input, "input"), shaped(self.residual, "residual")
        require_element(value.element, residual.element, "residual")
        require_rank(residual, value.rank, "residual")
        if value.rank == 0:
            raise ShapeError(f"input must have rank 1 or more, got {value}")
        dims = [
            meet(a, b, f"dim {i} of input {value} and residual {residual}")
            for i, (a, b) in enumerate(zip(value.dims, residual.dims))
        ]
        for name, vector in (("gamma", self.gamma), ("beta", self.beta), ("bias", self.bias)):
            if vector is not None:
                require_vector(shaped(vector, name), dims[-1], value.element, name)
        return [value.with_dims(dims)] * len(self.results)


@irdl_op_definition
class FusedResidualLNOp(FusedResidualNormOp):
    """
    `layer_norm(input + residual (+ bias))` over the last axis; the second result, where asked for, is the sum.

    input and residual have equal dims `[.., H]`; gamma, beta and bias are `[H]`. Statistics as `rlx.layer_norm`.
    """

    name = "rlx.fused_residual_ln"


@irdl_op_definition
class FusedAttentionBlockOp(AttentionLike):
    """
    Self attention with its projections: `attention(split(hidden @ qkv_w + qkv_b)) @ out_w + out_b`.

    hidden `[B, S, M]`, qkv_w `[M, heads*D + kv_heads*D + kv_heads*Dv]` in the order query, key, value, out_w `[heads*Dv, N]`; the biases are
    optional and come together. Attention in layout bsm; see `AttentionConfig`. Products sum as `rlx.matmul`.
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

    @property
    def widths(self) -> tuple[int, int, int]:
        """How wide query, key and value lie in the packed projection."""
        config = self.config
        return (
            config.heads * config.head_dim,
            config.kv_heads * config.head_dim,
            config.kv_heads * config.v_head_dim,
        )

    def infer(self) -> Sequence[Shaped]:
        self.check_config()
        config = self.config
        hidden = shaped(self.hidden, "hidden")
        require_rank(hidden, 3, "hidden")
        packed = matmul(hidden, shaped(self.qkv_w, "qkv_w"))
        meet(packed.dims[-1], sum(self.widths), "the last dim of qkv_w and the packed width of query, key and value")
        attended = hidden.with_dims((*hidden.dims[:2], config.heads * config.v_head_dim))
        result = matmul(attended, shaped(self.out_w, "out_w"))
        if (self.qkv_b is None) != (self.out_b is None):
            raise ShapeError("qkv_b and out_b must come together")
        if self.qkv_b is not None and self.out_b is not None:
            require_vector(shaped(self.qkv_b, "qkv_b"), packed.dims[-1], hidden.element, "qkv_b")
            require_vector(shaped(self.out_b, "out_b"), result.dims[-1], hidden.element, "out_b")
        self.check_mask(self.mask, hidden.dims[0], hidden.dims[1], hidden.dims[1], hidden.element)
        return [result]
