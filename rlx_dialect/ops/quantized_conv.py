"""Convolutions of quantised images."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import AttrSizedOperandSegments, irdl_op_definition, operand_def, opt_operand_def

from rlx_dialect.directives import Word
from rlx_dialect.ops.convolution import STEPS_FORMAT, UNIT, ConvConfig, StepsOp
from rlx_dialect.ops.quantization import is_single, require_one_of
from rlx_dialect.ops.quantized_matmul import BYTES, require_zero_point
from rlx_dialect.shape_rules.windows import convolve
from rlx_dialect.shapes import Dims, Shaped, ShapeError, require_element, require_rank, shaped


@irdl_op_definition
class QConv2dOp(StepsOp):
    """
    `conv(input - input_zero_point, weight - weight_zero_point)` in i32, wrapping around; `conv` is `rlx.conv` alike.

    input `[N, C, H, W]`, or with `layout(channels_last)` `[N, H, W, C]`, and weight `[M, C / groups, KH, KW]` are i8 or
    ui8, each its own. A zero point has the element type of its side and one element, that of weight also one for each
    output channel, `[M]`. A pad means input_zero_point and adds nothing to a sum. Scales are for who reads the
    sums: ONNX QLinearConv is this op, a product and `rlx.quantize`.
    """

    name = "rlx.qconv2d"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    input_zero_point = opt_operand_def(TensorType)
    weight_zero_point = opt_operand_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Word,)
    assembly_format = (
        "$input `,` $weight (`input_zero_point` `(` $input_zero_point^ `:` type($input_zero_point) `)`)? "
        "(`weight_zero_point` `(` $weight_zero_point^ `:` type($weight_zero_point) `)`)? "
        f"{STEPS_FORMAT}attr-dict `:` `(` type($input) `,` type($weight) `)` `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        weight: SSAValue,
        config: ConvConfig = UNIT,
        *,
        input_zero_point: SSAValue | None = None,
        weight_zero_point: SSAValue | None = None,
    ):
        super().__init__([input, weight, input_zero_point, weight_zero_point], config)

    @property
    def kernel(self) -> Dims:
        return shaped(self.weight, "weight").dims[2:]

    def infer(self) -> Sequence[Shaped]:
        value, weight, config = shaped(self.input, "input"), shaped(self.weight, "weight"), self.config
        for side, name in ((value, "input"), (weight, "weight")):
            require_one_of(side, BYTES, name)
            require_rank(side, 4, name)
        sums = convolve(value, weight, config.window(weight.dims[2:]), config.groups, config.layout)
        if self.input_zero_point is not None:
            zero_point = shaped(self.input_zero_point, "input_zero_point")
            require_element(value.element, zero_point.element, "input_zero_point")
            if not is_single(zero_point):
                raise ShapeError(f"input_zero_point must hold one element, got {zero_point}")
        require_zero_point(self.weight_zero_point, weight, 0, "weight_zero_point")
        return [Shaped(sums.dims, i32)]
