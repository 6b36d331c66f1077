"""Products of quantised matrices."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, f32, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from rlx_dialect.attributes import CodeScheme, WordOf, word_of
from rlx_dialect.directives import IntOrWord, Word
from rlx_dialect.dtypes import DTYPES
from rlx_dialect.ops.base import RlxOp, word
from rlx_dialect.ops.quantization import (
    FLOATS,
    FLOATS_8,
    integer,
    is_single,
    optional_i64,
    require_like_scale,
    require_one_of,
    require_scale,
)
from rlx_dialect.shape_rules.contraction import matmul
from rlx_dialect.shape_rules.windows import bounded
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, meet, require_element, require_rank, shaped

BYTES = tuple(DTYPES[name].type for name in ("i8", "ui8"))


def require_zero_point(zero_point: SSAValue | None, side: Shaped, axis: int, name: str) -> None:
    """One element, or one for each entry of an axis, of the element type of its side."""
    if zero_point is None:
        return
    value = shaped(zero_point, name)
    require_element(side.element, value.element, name)
    if value.rank == 0 or (value.rank == 1 and is_single(value)):
        return
    require_rank(value, 1, name)
    meet(value.dims[0], side.dims[axis], f"the size of {name} {value} and dim {axis % side.rank} of {side}")


@irdl_op_definition
class QMatMulOp(RlxOp):
    """
    `(lhs - lhs_zero_point) @ (rhs - rhs_zero_point)` in i32, which wraps around.

    lhs `[.., M, K]` and rhs `[.., K, N]` are i8 or ui8, each its own; leading dims broadcast. A zero point has the
    element type of its side and one element, or one for each row of lhs, for each column of rhs.
    """

    name = "rlx.qmatmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    lhs_zero_point = opt_operand_def(TensorType)
    rhs_zero_point = opt_operand_def(TensorType)
    result = result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs (`lhs_zero_point` `(` $lhs_zero_point^ `:` type($lhs_zero_point) `)`)? "
        "(`rhs_zero_point` `(` $rhs_zero_point^ `:` type($rhs_zero_point) `)`)? "
        "attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        *,
        lhs_zero_point: SSAValue | None = None,
        rhs_zero_point: SSAValue | None = None,
    ):
        super().__init__(operands=[lhs, rhs, lhs_zero_point, rhs_zero_point])

    def infer(self) -> Sequence[Shaped]:
        lhs, rhs = shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs")
        require_one_of(lhs, BYTES, "lhs")
        require_one_of(rhs, BYTES, "rhs")
        product = matmul(Shaped(lhs.dims, i32), Shaped(rhs.dims, i32))
        require_zero_point(self.lhs_zero_point, lhs, -2, "lhs_zero_point")
        require_zero_point(self.rhs_zero_point, rhs, -1, "rhs_zero_point")
        return [product]


def whole_weight(weight: Shaped, codes: CodeScheme, element: Attribute, name: str) -> Shaped:
    """The numbers of type `element` that a quantised `[.., K, N]` encodes; 4-bit codes lie in pairs along K."""
    if codes is CodeScheme.PLAIN:
        require_one_of(weight, (*BYTES, *FLOATS_8), name)
        return Shaped(weight.dims, element)
    require_element(BYTES[1], weight.element, name)
    *outer, rows, columns = weight.dims
    return Shaped((*outer, DYNAMIC if rows == DYNAMIC else bounded(2 * rows), columns), element)


def require_weight_scale(scale: Shaped, element: Attribute) -> None:
    """Raises `ShapeError` unless the scale of a weight has this element type, or f8E4M3FN."""
    if scale.element != FLOATS_8[0]:
        require_element(element, scale.element, "scale")


def zero_point_element(weight: Shaped, codes: CodeScheme) -> Attribute:
    """The element type of the zero points of a weight. Raises `ShapeError` for a scheme without."""
    if codes is CodeScheme.FP4:
        raise ShapeError("fp4 takes no zero_point")
    return weight.element if codes is CodeScheme.PLAIN else BYTES[0]


@irdl_op_definition
class DequantMatMulOp(RlxOp):
    """
    `input @ ((weight - zero_point) * scale)` with weights that stay quantised in memory.

    input `[.., M, K]` of floats, weight `[K, N]` of i8, ui8, f8E4M3FN or f8E5M2, or, with `int4` and `fp4`,
    `[K / 2, N]` of ui8, whose byte `[k, n]` holds the codes of rows 2k and 2k + 1. scale has the element type of input,
    or f8E4M3FN, and one element, or `[N]`, or with `block` `[K / block, N]`, rounded up. zero_point, of the dims of
    scale, has the type of a plain weight and i8 for int4; fp4 has none. The result `[.., M, N]` has input's type.
    """

    name = "rlx.dequant_matmul"

    scheme = prop_def(WordOf(CodeScheme))
    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero_point = opt_operand_def(TensorType)
    block = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, IntOrWord)
    assembly_format = (
        "custom<Word>($scheme) $input `,` $weight `,` $scale (`zero_point` `(` $zero_point^ `:` type($zero_point) "
        "`)`)? "
        "(`block` `(` custom<IntOrWord>($block)^ `)`)? "
        "attr-dict `:` `(` type($input) `,` type($weight) `,` type($scale) `)` `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        weight: SSAValue,
        scale: SSAValue,
        *,
        scheme: CodeScheme = CodeScheme.PLAIN,
        zero_point: SSAValue | None = None,
        block: int | None = None,
    ):
        super().__init__(
            operands=[input, weight, scale, zero_point],
            properties={"scheme": word(scheme), "block": optional_i64(block)},
        )

    @property
    def codes(self) -> CodeScheme:
        return word_of(self.scheme, CodeScheme)

    def infer(self) -> Sequence[Shaped]:
        value, weight, scale = shaped(self.input, "input"), shaped(self.weight, "weight"), shaped(self.scale, "scale")
        require_one_of(value, FLOATS, "input")
        require_rank(weight, 2, "weight")
        whole = whole_weight(weight, self.codes, value.element, "weight")
        block = integer(self.block)
        require_weight_scale(scale, value.element)
        require_scale(whole, scale, 1 if block is None else 0, block)
        if self.zero_point is not None:
            require_like_scale(shaped(self.zero_point, "zero_point"), scale, zero_point_element(weight, self.codes))
        return [matmul(value, whole, "input", "the whole weight")]


@irdl_op_definition
class ScaledMatMulOp(RlxOp):
    """
    `(lhs * lhs_scale) @ (rhs * rhs_scale)^T`, both sides with K as their last axis.

    lhs `[.., M, K]` and rhs `[N, K]` are f8E4M3FN or f8E5M2, each its own, the scales f32 of one element; accumulates
    in f32. The result `[.., M, N]` is f32, f16, bf16 or f64.
    """

    name = "rlx.scaled_matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    lhs_scale = operand_def(TensorType)
    rhs_scale = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs `,` $lhs_scale `,` $rhs_scale attr-dict `:` functional-type(operands, results)"

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, lhs_scale: SSAValue, rhs_scale: SSAValue, element_type: Attribute = f32
    ):
        result = Shaped((), element_type)
        super().__init__(operands=[lhs, rhs, lhs_scale, rhs_scale], result_types=[result.type])
        self.refine()

    def infer(self) -> Sequence[Shaped]:
        lhs, rhs = shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs")
        for value, name in ((lhs, "lhs"), (rhs, "rhs")):
            require_one_of(value, FLOATS_8, name)
        require_rank(rhs, 2, "rhs")
        for operand, name in ((self.lhs_scale, "lhs_scale"), (self.rhs_scale, "rhs_scale")):
            scale = shaped(operand, name)
            require_element(f32, scale.element, name)
            if not is_single(scale):
                raise ShapeError(f"{name} must hold one element, got {scale}")
        result = shaped(self.result, "result")
        require_one_of(result, FLOATS, "result")
        turned = Shaped((rhs.dims[1], rhs.dims[0]), result.element)
        return [matmul(Shaped(lhs.dims, result.element), turned, "lhs", "the transposed rhs")]
