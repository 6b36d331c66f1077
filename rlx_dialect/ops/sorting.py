"""Sorts along an axis."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.ops.base import SAME_TYPE, RlxOp, i64_attr
from rlx_dialect.shape_rules.ordering import INDEX, places, require_ordered, top_k
from rlx_dialect.shapes import Shaped, normalize_axis, shaped


@irdl_op_definition
class SortOp(RlxOp):
    """
    The elements along `axis` in ascending order, or `descending`.

    Stable: equal elements keep their order, also where the order is descending. NaN is greater than all else, -0 equals
    0. Any element type but complex.
    """

    name = "rlx.sort"

    input = operand_def(SAME_TYPE)
    axis = prop_def(IntegerAttr.constr(i64))
    descending = opt_prop_def(UnitAttr)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input `axis` `(` $axis `)` (`descending` $descending^)? attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, axis: int = -1, *, descending: bool = False):
        super().__init__(operands=[input], properties=_order(axis, descending))

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_ordered(value)
        normalize_axis(self.axis.value.data, value.rank)
        return [value]


@irdl_op_definition
class ArgsortOp(RlxOp):
    """
    Where the elements of the sorted axis stood: entry i is the index of the i-th element of `rlx.sort`.

    The result has the input's dims and any element type that holds the indices: integers, or floats exact so far.
    """

    name = "rlx.argsort"
    KIND: ClassVar[str] = "ArgSort"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    descending = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `axis` `(` $axis `)` (`descending` $descending^)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(self, input: SSAValue, axis: int = -1, *, descending: bool = False, index: Attribute = INDEX):
        result = Shaped(shaped(input, "input").dims, index)
        super().__init__(operands=[input], properties=_order(axis, descending), result_types=[result.type])
        self.check()

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_ordered(value)
        axis = normalize_axis(self.axis.value.data, value.rank)
        return [places(value, axis, shaped(self.result, "result").element)]


@irdl_op_definition
class TopKOp(RlxOp):
    """
    The `k` greatest elements along `axis` in descending order, or the `smallest` in ascending order, and their indices.

    Of equal elements the one with the lower index comes first. NaN is greater than all else. Indices are of any element
    type that holds them, as in `rlx.argsort`.
    """

    name = "rlx.top_k"

    input = operand_def(TensorType)
    k = prop_def(IntegerAttr.constr(i64))
    axis = prop_def(IntegerAttr.constr(i64))
    smallest = opt_prop_def(UnitAttr)
    values = result_def(TensorType)
    indices = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `k` `(` $k `)` `axis` `(` $axis `)` (`smallest` $smallest^)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, k: int, axis: int = -1, *, smallest: bool = False, index: Attribute = INDEX):
        results = top_k(shaped(input, "input"), k, axis, index)
        super().__init__(
            operands=[input],
            properties={
                "k": i64_attr(k),
                "axis": i64_attr(axis),
                "smallest": UnitAttr() if smallest else None,
            },
            result_types=[result.type for result in results],
        )

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "result #1")
        return top_k(value, self.k.value.data, self.axis.value.data, indices.element)


def _order(axis: int, descending: bool) -> dict[str, Attribute | None]:
    return {"axis": i64_attr(axis), "descending": UnitAttr() if descending else None}
