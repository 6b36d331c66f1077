"""Fused residual and modulated norms. Each op says what it replaces; `rlx_dialect.decompose` writes that out again."""

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, StringAttr, TensorType, f64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import (
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

from rlx_dialect.attributes import AdaNormKind, WordOf, word_of
from rlx_dialect.directives import Real, Word
from rlx_dialect.ops.base import PLACEHOLDER, RlxOp, f64_attr, word
from rlx_dialect.shapes import (
    Shaped,
    ShapeError,
    require_broadcasts_to,
    require_element,
    require_epsilon,
    require_floats,
    require_vector,
    require_weight,
    same,
    shaped,
)


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
        epsilon: float = 1e-5,
        *,
        bias: SSAValue | None = None,
        tee: bool = False,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, residual, gamma, beta, bias],
            properties={"epsilon": f64_attr(epsilon), "accumulate": accumulate},
            result_types=[PLACEHOLDER, PLACEHOLDER if tee else None],
        )
        self.take_inferred()

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value, residual = shaped(self.input, "input"), shaped(self.residual, "residual")
        require_floats(value, "input")
        if value.rank == 0:
            raise ShapeError(f"input must have rank 1 or more, got {value}")
        total = same(value, residual, "input", "residual")
        for name, vector in (("gamma", self.gamma), ("beta", self.beta)):
            require_weight(shaped(vector, name), total.dims[-1], value, name)
        if self.bias is not None:
            require_vector(shaped(self.bias, "bias"), total.dims[-1], value.element, "bias")
        return [total] * len(self.results)


@irdl_op_definition
class FusedResidualLNOp(FusedResidualNormOp):
    """
    `layer_norm(input + residual (+ bias))` over the last axis; the second result, where asked for, is the sum.

    input and residual have equal dims `[.., H]`; gamma, beta and bias are `[H]`, gamma and beta of the type that the
    norm alone takes. Statistics as `rlx.layer_norm`.
    """

    name = "rlx.fused_residual_ln"


@irdl_op_definition
class FusedResidualRmsNormOp(FusedResidualNormOp):
    """
    `rms_norm(input + residual (+ bias))` over the last axis; the second result, where asked for, is the sum.

    input and residual have equal dims `[.., H]`; gamma, beta and bias are `[H]`, gamma and beta of the type that the
    norm alone takes. Statistics as `rlx.rms_norm`.
    """

    name = "rlx.fused_residual_rms_norm"


@irdl_op_definition
class AdaLayerNormOp(RlxOp):
    """
    `n(input) * (1 + scale) + shift`, where n is `norm` over the last axis without gain and shift of its own.

    input `[.., D]` of floats; scale and shift broadcast to its dims, often `[B, 1, D]`. Statistics as `rlx.layer_norm`.
    """

    name = "rlx.ada_layer_norm"

    input = operand_def(TensorType)
    scale = operand_def(TensorType)
    shift = operand_def(TensorType)
    norm = prop_def(WordOf(AdaNormKind), default_value=StringAttr(AdaNormKind.LAYER_NORM.value))
    epsilon = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, Real)
    assembly_format = (
        "$input `,` $scale `,` $shift (`norm` `(` custom<Word>($norm)^ `)`)? `epsilon` `(` custom<Real>($epsilon) `)` "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        scale: SSAValue,
        shift: SSAValue,
        epsilon: float = 1e-5,
        norm: AdaNormKind = AdaNormKind.LAYER_NORM,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, scale, shift],
            properties={"norm": word(norm), "epsilon": f64_attr(epsilon), "accumulate": accumulate},
        )

    @property
    def normalises(self) -> AdaNormKind:
        return word_of(self.norm, AdaNormKind)

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = shaped(self.input, "input")
        require_floats(value, "input")
        if value.rank == 0:
            raise ShapeError(f"input must have rank 1 or more, got {value}")
        for name, operand in (("scale", self.scale), ("shift", self.shift)):
            row = shaped(operand, name)
            require_element(value.element, row.element, name)
            require_broadcasts_to(row, value.dims, name)
        return [value]


@irdl_op_definition
class GatedResidualOp(RlxOp):
    """`input + gate * update`; update has the dims of input, gate broadcasts to them, mostly from `[B, 1, D]`."""

    name = "rlx.gated_residual"

    input = operand_def(TensorType)
    update = operand_def(TensorType)
    gate = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $update `,` $gate attr-dict `:` functional-type(operands, results)"

    def __init__(self, input: SSAValue, update: SSAValue, gate: SSAValue):
        super().__init__(operands=[input, update, gate])

    def infer(self) -> Sequence[Shaped]:
        value = same(shaped(self.input, "input"), shaped(self.update, "update"), "input", "update")
        gate = shaped(self.gate, "gate")
        require_element(value.element, gate.element, "gate")
        require_broadcasts_to(gate, value.dims, "gate")
        return [value]
