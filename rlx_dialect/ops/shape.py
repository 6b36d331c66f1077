"""Ops that move elements and compute nothing."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import I64, DenseArrayBase, IndexType, IntegerAttr, IntegerType, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

from rlx_dialect.ops.base import RlxOp, i64_attr, i64s
from rlx_dialect.shape_rules.indexing import gather
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    concat,
    narrow,
    of_type,
    require_broadcasts_to,
    require_element,
    reshape,
    shaped,
    transpose,
)


def require_sizes(value: SSAValue, sizes: int) -> None:
    """There are as many size operands as the type of a result has sizes that are only known at run time."""
    result = of_type(cast("TensorType[Attribute]", value.type))
    if any(d < 0 and d != DYNAMIC for d in result.dims):
        raise ShapeError(f"sizes must not be negative, got {result}")
    if result.dims.count(DYNAMIC) != sizes:
        raise ShapeError(f"needs one size operand for each ? of {result}, {result.dims.count(DYNAMIC)}, got {sizes}")


class SizedOp(RlxOp, ABC):
    """
    An op whose result has the dims that are written for it.

    `sizes` holds one index value for each `?` of the result, in order, as `tensor.empty` has it.
    """

    input = operand_def(TensorType)
    sizes = var_operand_def(IndexType())
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, dims: Sequence[int], sizes: Sequence[SSAValue] = ()):
        result = shaped(input, "input").with_dims(dims)
        super().__init__(operands=[input, sizes], result_types=[result.type])
        self.check()

    @abstractmethod
    def become(self, value: Shaped, result: Shaped) -> Shaped:
        """`result` with the sizes that follow from `value`. Raises `ShapeError` unless that can become `result`."""

    def infer(self) -> Sequence[Shaped]:
        value, result = shaped(self.input, "input"), shaped(self.result, "result")
        require_sizes(self.result, len(self.sizes))
        return [self.become(value, result)]


@irdl_op_definition
class ReshapeOp(SizedOp):
    """The same elements in row-major order under other dims; the number of elements stays."""

    name = "rlx.reshape"

    def become(self, value: Shaped, result: Shaped) -> Shaped:
        return reshape(value, result)


@irdl_op_definition
class ExpandOp(SizedOp):
    """The input stretched to the result's dims by NumPy's rule; a lower rank is aligned at the right."""

    name = "rlx.expand"

    def become(self, value: Shaped, result: Shaped) -> Shaped:
        require_element(value.element, result.element, "result")
        return result.with_dims(require_broadcasts_to(value, result.dims, "input"))


@irdl_op_definition
class TransposeOp(RlxOp):
    """
    Dim i of the result is dim `permutation[i]` of the input.

    Any element type and rank; `permutation` names each dim once.
    """

    name = "rlx.transpose"

    input = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase.constr(I64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input $permutation attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, permutation: Sequence[int]):
        super().__init__(operands=[input], properties={"permutation": i64s(permutation)})

    def infer(self) -> Sequence[Shaped]:
        return [transpose(shaped(self.input, "input"), self.permutation.get_values())]


@irdl_op_definition
class NarrowOp(RlxOp):
    """
    The `length` entries of `axis` from `start`.

    Any element type. `start + length` is at most the dim; where that is `?`, a run that is too short is an error.
    """

    name = "rlx.narrow"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    start = prop_def(IntegerAttr.constr(i64))
    length = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `axis` `(` $axis `)` `start` `(` $start `)` `length` `(` $length `)` attr-dict "
        "`:` type($input) `->` type($result)"
    )

    def __init__(self, input: SSAValue, axis: int, start: int, length: int):
        super().__init__(
            operands=[input],
            properties={"axis": i64_attr(axis), "start": i64_attr(start), "length": i64_attr(length)},
        )

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        return [narrow(value, self.axis.value.data, self.start.value.data, self.length.value.data)]


@irdl_op_definition
class ConcatOp(RlxOp):
    """
    The inputs one after the other along `axis`; all other dims are equal.

    One input or more, of one element type and one rank. The dim of the result is their sum, `?` where one of theirs is.
    """

    name = "rlx.concat"

    inputs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$inputs `axis` `(` $axis `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, tensors: Sequence[SSAValue], axis: int):
        super().__init__(operands=[tensors], properties={"axis": i64_attr(axis)})

    def infer(self) -> Sequence[Shaped]:
        values = [shaped(value, f"input {i}") for i, value in enumerate(self.inputs)]
        return [concat(values, self.axis.value.data)]


@irdl_op_definition
class GatherOp(RlxOp):
    """
    `numpy.take(table, indices, axis)`: the table's dims before `axis`, those of `indices`, the table's other dims.

    Indices are integers in `[0, dim of axis)`; any other is an error in the reference and the nearest of them in code.
    """

    name = "rlx.gather"

    table = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$table `,` $indices `axis` `(` $axis `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, table: SSAValue, indices: SSAValue, axis: int = 0):
        super().__init__(operands=[table, indices], properties={"axis": i64_attr(axis)})

    def infer(self) -> Sequence[Shaped]:
        indices = shaped(self.indices, "indices")
        if not isinstance(indices.element, IntegerType | IndexType):
            raise ShapeError(f"indices must be integers, got {indices}")
        return [gather(shaped(self.table, "table"), indices, self.axis.value.data)]
