"""Grouped products in a layout of their own: the affine one of MLX, and floats of 8 bits with scales."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import IntOrWord
from rlx_dialect.dtypes import DTYPES
from rlx_dialect.ops.base import RlxOp, i64_attr
from rlx_dialect.ops.quantization import FLOATS, FLOATS_8, is_single, require_one_of
from rlx_dialect.relations import can_be
from rlx_dialect.shape_rules.contraction import grouped_matmul
from rlx_dialect.shape_rules.windows import bounded
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, require_element, require_rank, same_dims, shaped

MLX_BITS = (1, 2, 3, 4, 5, 6, 8)
"""How many bits a code of MLX's affine layout can have."""
MLX_GROUPS = (32, 64, 128)
"""How many numbers of a row can share a scale and a bias there."""
WORD = 32
"""The bits of a word of packed codes."""


@irdl_op_definition
class DequantGroupedMatMulMlxOp(RlxOp):
    """
    Each row times the transposed matrix that its index picks, in the affine layout of MLX:
    `result[.., n] = sum_k input[.., k] * (q * s + b)` with `e = indices[..]`, `q` the code of `[e, n, k]`,
    `s = scales[e, n, k / group_size]` and `b = biases[e, n, k / group_size]`.

    weights `[E, N, K * bits / 32]` of ui32 hold the codes of a row as one stream of bits: code k is bits `k * bits` to
    `k * bits + bits - 1`, counted through the words from the least significant bit of the first, so that a code of 3, 5
    or 6 bits may lie in two words. scales and biases `[E, N, K / group_size]` have the element type of input, `[.., K]`
    of f32, f16, bf16 or f64; with indices `[..]` of integers the result is `[.., N]` of it. bits is 1, 2, 3, 4, 5, 6 or
    8, group_size 32, 64 or 128, which divides K. Sums and indices as `rlx.grouped_matmul`.
    """

    name = "rlx.dequant_grouped_matmul_mlx"

    input = operand_def(TensorType)
    weights = operand_def(TensorType)
    indices = operand_def(TensorType)
    scales = operand_def(TensorType)
    biases = operand_def(TensorType)
    bits = prop_def(IntegerAttr)
    group_size = prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (IntOrWord,)
    assembly_format = (
        "$input `,` $weights `,` $indices `,` $scales `,` $biases `bits` `(` custom<IntOrWord>($bits) `)` "
        "`group_size` `(` custom<IntOrWord>($group_size) `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        weights: SSAValue,
        indices: SSAValue,
        scales: SSAValue,
        biases: SSAValue,
        *,
        bits: int = 4,
        group_size: int = 64,
    ):
        super().__init__(
            operands=[input, weights, indices, scales, biases],
            properties={"bits": i64_attr(bits), "group_size": i64_attr(group_size)},
        )

    @property
    def width(self) -> int:
        """The size of K; `DYNAMIC` where the number of words is not known."""
        words = shaped(self.weights, "weights").dims[2]
        return DYNAMIC if words == DYNAMIC else bounded(words * WORD // self.bits.value.data)

    def infer(self) -> Sequence[Shaped]:
        value, weights = shaped(self.input, "input"), shaped(self.weights, "weights")
        bits, group = self.bits.value.data, self.group_size.value.data
        require_one_of(value, FLOATS, "input")
        for name, number, allowed in (("bits", bits, MLX_BITS), ("group_size", group, MLX_GROUPS)):
            if number not in allowed:
                raise ShapeError(f"{name} must be one of {', '.join(map(str, allowed))}, got {number}")
        require_element(DTYPES["ui32"].type, weights.element, "weights")
        require_rank(weights, 3, "weights")
        words, width = weights.dims[2], self.width
        if not (
            can_be(words if words == DYNAMIC else words * WORD, "a multiple of", bits)
            and can_be(width, "a multiple of", group)
        ):
            raise ShapeError(
                f"the words of weights {weights} must hold the codes of whole groups, got {words} words for groups of "
                f"{group} codes of {bits} bits"
            )
        whole = weights.with_dims((*weights.dims[:2], width))
        groups = (*weights.dims[:2], DYNAMIC if width == DYNAMIC else width // group)
        for operand, name in ((self.scales, "scales"), (self.biases, "biases")):
            given = shaped(operand, name)
            require_element(value.element, given.element, name)
            same_dims(weights.with_dims(groups), given, "the groups of weights", name)
        return [grouped_matmul(value, whole, shaped(self.indices, "indices"), transposed=True)]


@irdl_op_definition
class ScaledGroupedMatMulOp(RlxOp):
    """
    Each row times the transposed matrix that its index picks, both of floats of 8 bits with scales:
    `result[.., n] = sum_k input[.., k] * weights[e, n, k] * input_scale[..] * weights_scale[e]` with `e = indices[..]`.

    input `[.., K]` and weights `[E, N, K]`, both sides with K as their last axis, are f8E4M3FN or f8E5M2, each its own;
    indices `[..]` are integers. The scales are f32: input_scale has one element, or one for each row, `[..]`;
    weights_scale has one element, or one for each expert, `[E]`. Accumulates in f32; the result `[.., N]` is f32, f16,
    bf16 or f64. Indices as `rlx.grouped_matmul`.
    """

    name = "rlx.scaled_grouped_matmul"

    input = operand_def(TensorType)
    weights = operand_def(TensorType)
    indices = operand_def(TensorType)
    input_scale = operand_def(TensorType)
    weights_scale = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `,` $weights `,` $indices `,` $input_scale `,` $weights_scale attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        weights: SSAValue,
        indices: SSAValue,
        x_scale: SSAValue,
        weights_scale: SSAValue,
        element_type: Attribute = f32,
    ):
        super().__init__(
            operands=[input, weights, indices, x_scale, weights_scale],
            result_types=[Shaped((), element_type).type],
        )
        self.refine()

    def infer(self) -> Sequence[Shaped]:
        value, weights = shaped(self.input, "input"), shaped(self.weights, "weights")
        for side, name in ((value, "input"), (weights, "weights")):
            require_one_of(side, FLOATS_8, name)
        product = grouped_matmul(value, weights, shaped(self.indices, "indices"), transposed=True)
        rows, experts = product.with_dims(product.dims[:-1]), weights.with_dims(weights.dims[:1])
        for operand, name, each, of in (
            (self.input_scale, "input_scale", rows, "the rows of input"),
            (self.weights_scale, "weights_scale", experts, "the experts of weights"),
        ):
            scale = shaped(operand, name)
            require_element(f32, scale.element, name)
            if not (is_single(scale) and scale.rank < 2):
                same_dims(each, scale, of, name)
        result = shaped(self.result, "result")
        require_one_of(result, FLOATS, "result")
        return [Shaped(product.dims, result.element)]
