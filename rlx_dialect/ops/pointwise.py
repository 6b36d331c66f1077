"""Elementwise ops neither of one function nor of two operands: bounds, the fused product, the stop of a gradient."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import Number
from rlx_dialect.dtypes import integer_limits, is_complex
from rlx_dialect.ops.base import SAME_TYPE, RlxOp
from rlx_dialect.ops.elementwise import UnaryOp
from rlx_dialect.ops.numbers import NUMBER, number_attr, require_number, takes_reals
from rlx_dialect.shapes import Shaped, ShapeError, require_floats, same, shaped


@irdl_op_definition
class ClampOp(RlxOp):
    """
    `min(max(input, low), high)` for each element; `high` wins where the bounds cross. NaN stays NaN.

    Bounds are integers for integers, else real numbers, rounded to the element type; `neg_inf` and `inf` bound nothing.
    """

    name = "rlx.clamp"

    input = operand_def(SAME_TYPE)
    low = prop_def(NUMBER)
    high = prop_def(NUMBER)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    custom_directives = (Number,)
    assembly_format = (
        "$input `low` `(` custom<Number>($low) `)` `high` `(` custom<Number>($high) `)` attr-dict `:` type($input)"
    )

    def __init__(self, input: SSAValue, low: float | None = None, high: float | None = None):
        """None bounds nothing."""
        element = shaped(input, "input").element
        least, greatest = (-float("inf"), float("inf")) if takes_reals(element) else integer_limits(element)
        super().__init__(
            operands=[input],
            properties={
                "low": number_attr(least if low is None else low, element),
                "high": number_attr(greatest if high is None else high, element),
            },
        )

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        if value.element == i1 or is_complex(value.element):
            raise ShapeError(f"input must hold ordered numbers, got {value}")
        require_number(self.low, value, "low")
        require_number(self.high, value, "high")
        return [value]


@irdl_op_definition
class StopGradientOp(UnaryOp):
    """The input itself, of any element type and shape; its gradient is zero."""

    name = "rlx.stop_gradient"


@irdl_op_definition
class FmaOp(RlxOp):
    """`a * b + c` for each element, rounded once. Three floats of equal shape."""

    name = "rlx.fma"

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$a `,` $b `,` $c attr-dict `:` functional-type(operands, results)"

    def __init__(self, a: SSAValue, b: SSAValue, c: SSAValue):
        super().__init__(operands=[a, b, c])

    def infer(self) -> Sequence[Shaped]:
        a = shaped(self.a, "a")
        require_floats(a, "a")
        return [same(same(a, shaped(self.b, "b"), "a", "b"), shaped(self.c, "c"), "a", "c")]
