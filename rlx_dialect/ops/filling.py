"""Tensors made from their dims alone."""

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

from rlx_dialect.directives import Number
from rlx_dialect.dtypes import integer_limits
from rlx_dialect.ops.base import RlxOp, i64_attr
from rlx_dialect.ops.numbers import NUMBER, number_attr, require_number, takes_reals
from rlx_dialect.ops.shape import require_sizes
from rlx_dialect.shapes import Shaped, ShapeError, known, normalize_axis, shaped


class FillingOp(RlxOp, ABC):
    """An op without an input; `sizes` holds one index value for each `?` of the result."""

    sizes = var_operand_def(IndexType())
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, result: Shaped, sizes: Sequence[SSAValue], properties: Mapping[str, Attribute]):
        super().__init__(operands=[sizes], properties=properties, result_types=[result.type])
        self.check()

    def infer(self) -> Sequence[Shaped]:
        result = shaped(self.result, "result")
        require_sizes(self.result, len(self.sizes))
        return [result]


@irdl_op_definition
class FullOp(FillingOp):
    """A tensor of `value`: an integer for integers, 0 or 1 for i1, else a real number, rounded to the element type."""

    name = "rlx.full"
    CHAPTER: ClassVar[str] = "shape"

    value = prop_def(NUMBER)

    custom_directives = (Number,)
    assembly_format = "custom<Number>($value) (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)"

    def __init__(self, value: float, result: Shaped, sizes: Sequence[SSAValue] = ()):
        super().__init__(result, sizes, {"value": number_attr(value, result.element)})

    def infer(self) -> Sequence[Shaped]:
        require_number(self.value, shaped(self.result, "result"), "value")
        return super().infer()


@irdl_op_definition
class IotaOp(FillingOp):
    """
    Each element its own entry on `axis`: 0, 1, 2, ..

    Integers or floats; an integer type must be able to hold the last entry, floats are rounded.
    """

    name = "rlx.iota"
    CHAPTER: ClassVar[str] = "shape"

    axis = prop_def(IntegerAttr.constr(i64))

    assembly_format = "`axis` `(` $axis `)` (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)"

    def __init__(self, result: Shaped, sizes: Sequence[SSAValue] = (), *, axis: int):
        super().__init__(result, sizes, {"axis": i64_attr(axis)})

    def infer(self) -> Sequence[Shaped]:
        result = shaped(self.result, "result")
        axis = normalize_axis(self.axis.value.data, result.rank, "result")
        if result.element == i1:
            raise ShapeError(f"the result must hold numbers, got {result}")
        last = result.dims[axis] - 1
        if known(result.dims[axis]) and not takes_reals(result.element) and last > integer_limits(result.element)[1]:
            raise ShapeError(f"{result.element} does not hold {last}, the last entry of {result}")
        return super().infer()
