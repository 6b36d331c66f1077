"""Counts of elements."""

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import Real
from rlx_dialect.ops.base import RlxOp, f64_attr, i64_attr
from rlx_dialect.shape_rules.ordering import INDEX, require_counter, require_ordered
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, count, shaped


@irdl_op_definition
class HistogramOp(RlxOp):
    """
    How many elements lie in each of `bins` equal parts of `[low, high]`.

    The element x belongs to bin `floor((x - low) * bins / (high - low))`, `high` itself to the last one; what lies
    outside counts nowhere, nor does NaN. The input holds integers or floats of any dims; counts are of any element type
    that holds them: integers, or floats that are exact so far. Near a border of bins compiled code may choose either.
    """

    name = "rlx.histogram"

    input = operand_def(TensorType)
    bins = prop_def(IntegerAttr.constr(i64))
    low = prop_def(FloatAttr.constr(f64))
    high = prop_def(FloatAttr.constr(f64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `bins` `(` $bins `)` `low` `(` custom<Real>($low) `)` `high` `(` custom<Real>($high) `)` attr-dict "
        "`:` type($input) `->` type($result)"
    )

    def __init__(self, input: SSAValue, bins: int, low: float, high: float, *, counter: Attribute = INDEX):
        result = Shaped((bins,), counter)
        super().__init__(
            operands=[input],
            properties={"bins": i64_attr(bins), "low": f64_attr(low), "high": f64_attr(high)},
            result_types=[result.type],
        )
        self.check()

    def infer(self) -> Sequence[Shaped]:
        value, result = shaped(self.input, "input"), shaped(self.result, "result")
        require_ordered(value)
        if value.element == i1:
            raise ShapeError(f"input must hold numbers, got {value}")
        bins, low, high = self.bins.value.data, self.low.value.data, self.high.value.data
        if bins < 1:
            raise ShapeError(f"needs at least one bin, got {bins}")
        if not low < high or high - low == float("inf"):
            raise ShapeError(f"low must be below high and both finite, got {low} and {high}")
        elements = count(value.dims)
        require_counter(result.element, DYNAMIC if elements is None else elements, "counts")
        return [Shaped((bins,), result.element)]
