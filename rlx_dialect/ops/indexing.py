"""Elements picked by index, and elements put where an index says, as ONNX has them."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import ScatterReduction, WordOf, word_of
from rlx_dialect.directives import Word
from rlx_dialect.ops.base import RlxOp, i64_attr, word
from rlx_dialect.shape_rules.indexing import check_elements, gather_nd, scatter_add, scatter_elements, scatter_nd
from rlx_dialect.shapes import Shaped, shaped


@irdl_op_definition
class GatherNdOp(RlxOp):
    """
    Slices of the input picked by index vectors: the dims of `indices` but the last, then the input's after the index.

    The first `batch_dims` dims of both go together. An entry of an index counts the next dim of the input, from its end
    where it is negative; outside of `[-dim, dim)` it is an error in the reference and undefined in compiled code. The
    last dim of `indices` must be known.
    """

    name = "rlx.gather_nd"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    batch_dims = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `,` $indices `batch_dims` `(` $batch_dims `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, indices: SSAValue, batch_dims: int = 0):
        super().__init__(operands=[input, indices], properties={"batch_dims": i64_attr(batch_dims)})

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "indices")
        return [gather_nd(value, indices, self.batch_dims.value.data)]


@irdl_op_definition
class GatherElementsOp(RlxOp):
    """
    For each place of `indices` the element of the input at that place, but for `axis`, where the index says.

    `indices` has the input's rank, and no dim but that of `axis` is larger than the input's. An index may count from
    the end; outside of `[-dim, dim)` it is an error in the reference and undefined in compiled code.
    """

    name = "rlx.gather_elements"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $indices `axis` `(` $axis `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, input: SSAValue, indices: SSAValue, axis: int = 0):
        super().__init__(operands=[input, indices], properties={"axis": i64_attr(axis)})

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "indices")
        check_elements(value, indices, self.axis.value.data)
        return [value.with_dims(indices.dims)]


@irdl_op_definition
class ScatterAddOp(RlxOp):
    """
    The input with each slice of `updates` added where its index points to: `rlx.gather` the other way.

    `updates` has the input's dims before `axis`, those of `indices`, and the input's dims after `axis`. Sums go on in
    f32, or in the operand's type where that is wider or integer. An index outside of `[0, dim)` is an error in the
    reference and undefined in compiled code.
    """

    name = "rlx.scatter_add"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `,` $indices `,` $updates `axis` `(` $axis `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, indices: SSAValue, updates: SSAValue, axis: int = 0):
        super().__init__(operands=[input, indices, updates], properties={"axis": i64_attr(axis)})

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "indices")
        return [scatter_add(value, indices, shaped(self.updates, "updates"), self.axis.value.data)]


@irdl_op_definition
class ScatterNdOp(RlxOp):
    """
    The input with slices of `updates` where index vectors say: `rlx.gather_nd` the other way.

    `none` puts a slice in the place of what was there; where two indices are equal the reference keeps the last one,
    compiled code any. `add`, `mul`, `max` and `min` combine all of them with what was there, in f32, or in the
    operand's type where that is wider or integer; NaN is passed on. Indices are those of `rlx.gather_nd`.
    """

    name = "rlx.scatter_nd"

    reduction = prop_def(WordOf(ScatterReduction))
    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "custom<Word>($reduction) $input `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        indices: SSAValue,
        updates: SSAValue,
        reduction: ScatterReduction = ScatterReduction.NONE,
    ):
        super().__init__(operands=[input, indices, updates], properties={"reduction": word(reduction)})

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "indices")
        reduction = word_of(self.reduction, ScatterReduction)
        return [scatter_nd(value, indices, shaped(self.updates, "updates"), reduction)]


@irdl_op_definition
class ScatterElementsOp(RlxOp):
    """
    The input with each element of `updates` at its own place, but for `axis`, where its index says:
    `rlx.gather_elements` the other way.

    `updates` has the dims of `indices`. Reductions are those of `rlx.scatter_nd`, indices those of
    `rlx.gather_elements`.
    """

    name = "rlx.scatter_elements"

    reduction = prop_def(WordOf(ScatterReduction))
    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "custom<Word>($reduction) $input `,` $indices `,` $updates `axis` `(` $axis `)` attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        indices: SSAValue,
        updates: SSAValue,
        axis: int = 0,
        reduction: ScatterReduction = ScatterReduction.NONE,
    ):
        super().__init__(
            operands=[input, indices, updates], properties={"reduction": word(reduction), "axis": i64_attr(axis)}
        )

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "indices")
        reduction = word_of(self.reduction, ScatterReduction)
        return [scatter_elements(value, indices, shaped(self.updates, "updates"), self.axis.value.data, reduction)]
