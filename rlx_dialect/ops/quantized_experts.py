"""
The weights of a mixture of experts, quantised: `[E, K, N]`, a matrix for each expert.

Without `block` a scale has one element, or one for each column of each expert, `[E, N]`; with it one for each run of
`block` rows as well, `[E, K / block, N]`, rounded up.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import CodeScheme, WordOf, word_of
from rlx_dialect.directives import IntOrWord, Word
from rlx_dialect.ops.base import RlxOp, word
from rlx_dialect.ops.quantization import (
    FLOATS,
    integer,
    is_single,
    optional_i64,
    require_like_scale,
    require_one_of,
    require_scale,
)
from rlx_dialect.ops.quantized_matmul import require_weight_scale, whole_weight, zero_point_element
from rlx_dialect.shape_rules.contraction import grouped_matmul
from rlx_dialect.shapes import Shaped, meet, require_rank, shaped


def _whole_experts(
    weights: Shaped,
    codes: CodeScheme,
    scale: Shaped,
    zero_point: SSAValue | None,
    block: int | None,
    element: Attribute,
) -> Shaped:
    """The numbers of type `element` that quantised experts encode. Raises `ShapeError` unless all parts fit."""
    require_rank(weights, 3, "weights")
    whole = whole_weight(weights, codes, element, "weights")
    require_weight_scale(scale, element)
    if block is not None:
        require_scale(whole, scale, 1, block)
    elif not (is_single(scale) and scale.rank < 2):
        require_rank(scale, 2, "scale")
        for axis, size in ((0, whole.dims[0]), (1, whole.dims[2])):
            meet(scale.dims[axis], size, f"dim {axis} of scale {scale} and dim {2 * axis} of {whole}")
    if zero_point is not None:
        require_like_scale(shaped(zero_point, "zero_point"), scale, zero_point_element(weights, codes))
    return whole


@irdl_op_definition
class DequantMoEWeightsOp(RlxOp):
    """
    `(weights - zero_point) * scale` for each expert: quantised `[E, K, N]` to `[E, K, N]` of f32, f16, bf16 or f64.

    weights are i8, ui8, f8E4M3FN or f8E5M2, or, with `int4` and `fp4`, `[E, K / 2, N]` of ui8, whose byte `[e, k, n]`
    holds the codes of rows 2k and 2k + 1. scale has the result's element type, or f8E4M3FN, and one element, or
    `[E, N]`, or with `block` `[E, K / block, N]`, rounded up. zero_point, of the dims of scale, has the element type of
    plain weights and i8 for int4; fp4 has none.
    """

    name = "rlx.dequant_moe_weights"

    scheme = prop_def(WordOf(CodeScheme))
    weights = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero_point = opt_operand_def(TensorType)
    block = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, IntOrWord)
    assembly_format = (
        "custom<Word>($scheme) $weights `,` $scale (`zero_point` `(` $zero_point^ `:` type($zero_point) `)`)? "
        "(`block` `(` custom<IntOrWord>($block)^ `)`)? "
        "attr-dict `:` `(` type($weights) `,` type($scale) `)` `->` type($result)"
    )

    def __init__(
        self,
        weights: SSAValue,
        scale: SSAValue,
        element_type: Attribute = f32,
        *,
        scheme: CodeScheme = CodeScheme.PLAIN,
        zero_point: SSAValue | None = None,
        block: int | None = None,
    ):
        super().__init__(
            operands=[weights, scale, zero_point],
            properties={"scheme": word(scheme), "block": optional_i64(block)},
            result_types=[Shaped((), element_type).type],
        )
        self.refine()

    @property
    def codes(self) -> CodeScheme:
        return word_of(self.scheme, CodeScheme)

    def infer(self) -> Sequence[Shaped]:
        result = shaped(self.result, "result")
        require_one_of(result, FLOATS, "result")
        weights, scale = shaped(self.weights, "weights"), shaped(self.scale, "scale")
        return [_whole_experts(weights, self.codes, scale, self.zero_point, integer(self.block), result.element)]


@irdl_op_definition
class DequantGroupedMatMulOp(RlxOp):
    """
    Each row times the quantised matrix that its index picks:
    `result[.., n] = sum_k input[.., k] * whole[indices[..], k, n]`.

    `whole = (weights - zero_point) * scale` as `rlx.dequant_moe_weights` has it, not rounded; the element type that
    scale may have instead of f8E4M3FN is input's. input `[.., K]` of f32, f16, bf16 or f64 and indices `[..]` of
    integers give `[.., N]` of the element type of input. Sums and indices as `rlx.grouped_matmul`.
    """

    name = "rlx.dequant_grouped_matmul"

    scheme = prop_def(WordOf(CodeScheme))
    input = operand_def(TensorType)
    weights = operand_def(TensorType)
    indices = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero_point = opt_operand_def(TensorType)
    block = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, IntOrWord)
    assembly_format = (
        "custom<Word>($scheme) $input `,` $weights `,` $indices `,` $scale "
        "(`zero_point` `(` $zero_point^ `:` type($zero_point) `)`)? (`block` `(` custom<IntOrWord>($block)^ `)`)? "
        "attr-dict `:` `(` type($input) `,` type($weights) `,` type($indices) `,` type($scale) `)` `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        weights: SSAValue,
        indices: SSAValue,
        scale: SSAValue,
        *,
        scheme: CodeScheme = CodeScheme.PLAIN,
        zero_point: SSAValue | None = None,
        block: int | None = None,
    ):
        super().__init__(
            operands=[input, weights, indices, scale, zero_point],
            properties={"scheme": word(scheme), "block": optional_i64(block)},
        )

    @property
    def codes(self) -> CodeScheme:
        return word_of(self.scheme, CodeScheme)

    def infer(self) -> Sequence[Shaped]:
        value, weights = shaped(self.input, "input"), shaped(self.weights, "weights")
        indices, scale = shaped(self.indices, "indices"), shaped(self.scale, "scale")
        require_one_of(value, FLOATS, "input")
        block = integer(self.block)
        whole = _whole_experts(weights, self.codes, scale, self.zero_point, block, value.element)
        return [grouped_matmul(value, whole, indices)]
