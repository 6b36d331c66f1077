"""Running sums, products and maxima."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.dtypes import is_complex
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, i64_attr
from rlx_dialect.shapes import Shaped, ShapeError, normalize_axis, shaped


class PrefixOp(RlxOp, ABC):
    """
    An op that combines the elements along `axis` up to each place, that one included.

    `exclusive` leaves the place itself out, so that the first element is what nothing gives; `reverse` goes from the
    end to the start. Floats or integers, whose sums and products wrap around.
    """

    input = operand_def(SAME_TYPE)
    axis = prop_def(IntegerAttr.constr(i64))
    exclusive = opt_prop_def(UnitAttr)
    reverse = opt_prop_def(UnitAttr)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `axis` `(` $axis `)` (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($input)"
    )

    def __init__(self, input: SSAValue, axis: int, *, exclusive: bool = False, reverse: bool = False):
        super().__init__(
            operands=[input],
            properties={
                "axis": i64_attr(axis),
                "exclusive": UnitAttr() if exclusive else None,
                "reverse": UnitAttr() if reverse else None,
            },
        )

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        if value.element == i1 or is_complex(value.element):
            raise ShapeError(f"input must hold ordered numbers, got {value}")
        normalize_axis(self.axis.value.data, value.rank)
        return [value]


@irdl_op_definition
class CumsumOp(PrefixOp):
    """
    The sum of the elements along `axis` up to each place; of nothing 0.

    `exclusive` leaves the place itself out, `reverse` sums from the end. Floats or integers. Goes on in f32, or in the
    operand's type where that is wider or integer.
    """

    name = "rlx.cumsum"


@irdl_op_definition
class CumprodOp(PrefixOp):
    """
    The product of the elements along `axis` up to each place; of nothing 1.

    `exclusive` leaves the place itself out, `reverse` starts at the end. Floats or integers. Goes on in f32, or in the
    operand's type where that is wider or integer.
    """

    name = "rlx.cumprod"
    KIND: ClassVar[str] = "CumProd"


@irdl_op_definition
class CummaxOp(PrefixOp):
    """
    The greatest element along `axis` up to each place; of nothing the lowest value, `-inf` for floats. NaN passes.

    `exclusive` leaves the place itself out, `reverse` starts at the end. Floats or integers.
    """

    name = "rlx.cummax"
    KIND: ClassVar[str] = "CumMax"
