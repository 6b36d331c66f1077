"""Ops that resample spatial dims."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.ops.base import RlxOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_dialect.windows import resize_nearest2x


@irdl_op_definition
class ResizeNearest2xOp(RlxOp):
    """
    Each pixel as a square of four: `result[n, c, i, j] = input[n, c, i // 2, j // 2]`.

    input `[N, C, H, W]` gives `[N, C, 2H, 2W]`, of any element type.
    """

    name = "rlx.resize_nearest2x"

    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input])

    def infer(self) -> Sequence[Shaped]:
        return [resize_nearest2x(shaped(self.input, "input"), "input")]
