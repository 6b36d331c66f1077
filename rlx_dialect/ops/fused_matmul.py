"""Fused products. Each op says what it replaces; `rlx_dialect.decompose` writes that out again."""

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, StringAttr, TensorType, UnitAttr, f64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import Activation, WordOf, word_of
from rlx_dialect.directives import Real, Word
from rlx_dialect.dtypes import is_float
from rlx_dialect.ops.base import RlxOp, f64_attr, word
from rlx_dialect.shape_rules.contraction import matmul
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    meet,
    require_activation,
    require_element,
    require_floats,
    require_rank,
    same,
    shaped,
)


@irdl_op_definition
class FusedMatMulBiasActOp(RlxOp):
    """
    `activation(lhs @ rhs (+ bias))`; no activation means identity.

    lhs `[.., M, K]`, rhs `[.., K, N]`, bias `[N]`; leading dims broadcast. Sums as `rlx.matmul`.
    """

    name = "rlx.fused_matmul_bias_act"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    activation = opt_prop_def(WordOf(Activation))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "$lhs `,` $rhs (`,` $bias^)? (`activation` `(` custom<Word>($activation)^ `)`)? "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        bias: SSAValue | None = None,
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
        if self.activation is not None:
            require_activation(product, self.activation.data)
        if self.bias is None:
            return [product]
        bias = shaped(self.bias, "bias")
        require_rank(bias, 1, "bias")
        require_element(product.element, bias.element, "bias")
        meet(bias.dims[0], product.dims[-1], f"the size of bias {bias} and the last dim of the product {product}")
        return [product]


@irdl_op_definition
class FusedMatMulResidualOp(RlxOp):
    """
    `lhs @ rhs + residual`.

    lhs `[.., M, K]`, rhs `[.., K, N]`, residual has the product's dims; leading dims broadcast. Sums as `rlx.matmul`.
    """

    name = "rlx.fused_matmul_residual"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    residual = operand_def(TensorType)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $residual (`accumulate` `(` $accumulate^ `)`)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, residual: SSAValue, *, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[lhs, rhs, residual], properties={"accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        product = matmul(shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs"))
        return [same(product, shaped(self.residual, "residual"), "the product", "residual")]


@irdl_op_definition
class FusedSwiGLUOp(RlxOp):
    """
    `up * act(gate)`, act being silu by default, where `input` holds up and gate side by side on its last axis.

    input `[.., 2N]` of floats gives `[.., N]`; up comes first, with `gate_first` gate does. With gelu it is known as
    GeGLU, with relu as ReGLU, with sigmoid as GLU. `cast_to` is the element type of the result where that differs. 2N
    must be known, so that the halves are.
    """

    name = "rlx.fused_swiglu"

    input = operand_def(TensorType)
    act = prop_def(WordOf(Activation), default_value=StringAttr(Activation.SILU.value))
    gate_first = opt_prop_def(UnitAttr)
    cast_to = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "$input (`act` `(` custom<Word>($act)^ `)`)? (`gate_first` $gate_first^)? (`cast_to` `(` $cast_to^ `)`)? "
        "attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        packed: SSAValue,
        act: Activation = Activation.SILU,
        *,
        gate_first: bool = False,
        cast_to: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[packed],
            properties={"act": word(act), "gate_first": UnitAttr() if gate_first else None, "cast_to": cast_to},
        )

    @property
    def activation(self) -> Activation:
        return word_of(self.act, Activation)

    def infer(self) -> Sequence[Shaped]:
        packed = shaped(self.input, "input")
        require_floats(packed, "input")
        if packed.rank == 0 or packed.dims[-1] == DYNAMIC or packed.dims[-1] % 2:
            raise ShapeError(f"the last dim of input must be known and even, got {packed}")
        if self.cast_to is not None and not is_float(self.cast_to):
            raise ShapeError(f"cast_to must be a float type, got {self.cast_to}")
        return [Shaped((*packed.dims[:-1], packed.dims[-1] // 2), self.cast_to or packed.element)]


@irdl_op_definition
class LoraMatMulOp(RlxOp):
    """
    A product with a low-rank update of its weight: `input @ weight + scale * ((input @ down) @ up)`.

    input `[.., M, K]`, weight `[K, N]`, down `[K, R]`, up `[R, N]`. Each of the three products sums as `rlx.matmul`.
    """

    name = "rlx.lora_matmul"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    down = operand_def(TensorType)
    up = operand_def(TensorType)
    scale = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `,` $weight `,` $down `,` $up `scale` `(` custom<Real>($scale) `)` "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        weight: SSAValue,
        down: SSAValue,
        up: SSAValue,
        scale: float,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, weight, down, up],
            properties={"scale": f64_attr(scale), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        value, weight = shaped(self.input, "input"), shaped(self.weight, "weight")
        down, up = shaped(self.down, "down"), shaped(self.up, "up")
        for name, matrix in (("weight", weight), ("down", down), ("up", up)):
            require_rank(matrix, 2, name)
        require_floats(value, "input")
        update = matmul(matmul(value, down, "input", "down"), up, "input @ down", "up")
        return [same(matmul(value, weight, "input", "weight"), update, "the product", "the update")]
