"""Parts of a tensor: where they start is known, or another value says so."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    BaseAttr,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from rlx_dialect.ops.base import RlxOp, i64s
from rlx_dialect.ops.shape import SizedOp
from rlx_dialect.shape_rules.placement import check_slice, check_update, dynamic_slice, require_starts
from rlx_dialect.shapes import Shaped, shaped

START = VarConstraint("S", BaseAttr(TensorType))
"""Starts are of one type."""


@irdl_op_definition
class SliceOp(SizedOp):
    """
    The entries `start`, `start + step`, `start + 2 step`, .. of each axis, as many as the result has.

    A step may be negative, not 0. All entries lie inside of the input: `0 <= start`, and so for the last one. `sizes`
    holds one index value for each `?` of the result.
    """

    name = "rlx.slice"

    starts = prop_def(DenseArrayBase.constr(I64))
    steps = prop_def(DenseArrayBase.constr(I64))

    assembly_format = (
        "$input `starts` $starts `steps` $steps (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($input) "
        "`->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        dims: Sequence[int],
        sizes: Sequence[SSAValue] = (),
        *,
        starts: Sequence[int],
        steps: Sequence[int] | None = None,
    ):
        result = shaped(input, "input").with_dims(dims)
        step = (1,) * len(starts) if steps is None else steps
        RlxOp.__init__(
            self,
            operands=[input, sizes],
            properties={"starts": i64s(starts), "steps": i64s(step)},
            result_types=[result.type],
        )
        self.check()

    def become(self, value: Shaped, result: Shaped) -> Shaped:
        check_slice(value, self.starts.get_values(), self.steps.get_values(), result)
        return result


@irdl_op_definition
class DynamicSliceOp(RlxOp):
    """
    `lengths` entries of each axis from the start that the operands say.

    A start is a scalar integer, one for each axis, all of one type. It is clamped to `[0, dim - length]`, so that the
    slice lies inside (StableHLO's dynamic_slice).
    """

    name = "rlx.dynamic_slice"
    CHAPTER: ClassVar[str] = "shape"

    input = operand_def(TensorType)
    starts = var_operand_def(START)
    lengths = prop_def(DenseArrayBase.constr(I64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `starts` `(` $starts `)` `lengths` $lengths attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, starts: Sequence[SSAValue], lengths: Sequence[int]):
        super().__init__(operands=[input, starts], properties={"lengths": i64s(lengths)})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_starts([shaped(start, "start") for start in self.starts], value)
        return [dynamic_slice(value, self.lengths.get_values())]


@irdl_op_definition
class DynamicUpdateSliceOp(RlxOp):
    """
    The input with `update` in place of the entries from the start that the operands say.

    update has the input's rank and no dim that is larger. Starts are those of `rlx.dynamic_slice`, clamped to
    `[0, dim - dim of update]`.
    """

    name = "rlx.dynamic_update_slice"
    CHAPTER: ClassVar[str] = "shape"

    input = operand_def(TensorType)
    update = operand_def(TensorType)
    starts = var_operand_def(START)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $update `starts` `(` $starts `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, input: SSAValue, update: SSAValue, starts: Sequence[SSAValue]):
        super().__init__(operands=[input, update, starts])

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        check_update(value, shaped(self.update, "update"))
        require_starts([shaped(start, "start") for start in self.starts], value)
        return [value]
