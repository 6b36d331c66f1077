"""Gathers and scatters with StableHLO's dimension numbers."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import ScatterReduction, WordOf, word_of
from rlx_dialect.directives import Word
from rlx_dialect.ops.base import RlxOp, i64_attr, i64s, word
from rlx_dialect.shape_rules.indexing import GatherNumbers, ScatterNumbers, general_gather, general_scatter
from rlx_dialect.shapes import Shaped, shaped


@irdl_op_definition
class GeneralGatherOp(RlxOp):
    """
    Slices of `slice_sizes` from where indices say: StableHLO's gather.

    The dim `vector_dim` of `indices` holds the entries of an index, one for each input dim of `start_map`; the other
    starts are 0. Starts are clamped to `[0, dim - slice size]`. The result has the other dims of `indices` in order,
    and at `offset` those of a slice without the dims that are `collapsed` or `batching`; batching dims of the input go
    together with those of `indices`. A `vector_dim` equal to the rank of `indices` says that an index is one number.
    """

    name = "rlx.general_gather"
    CHAPTER: ClassVar[str] = "shape"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    offset = prop_def(DenseArrayBase.constr(I64))
    collapsed = prop_def(DenseArrayBase.constr(I64))
    input_batching = prop_def(DenseArrayBase.constr(I64))
    indices_batching = prop_def(DenseArrayBase.constr(I64))
    start_map = prop_def(DenseArrayBase.constr(I64))
    vector_dim = prop_def(IntegerAttr.constr(i64))
    slice_sizes = prop_def(DenseArrayBase.constr(I64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `,` $indices `offset` $offset `collapsed` $collapsed "
        "`batching` `(` $input_batching `x` $indices_batching `)` `start_map` $start_map "
        "`vector_dim` `(` $vector_dim `)` `slice_sizes` $slice_sizes attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, indices: SSAValue, numbers: GatherNumbers, slice_sizes: Sequence[int]):
        super().__init__(
            operands=[input, indices], properties={**_properties(numbers), "slice_sizes": i64s(slice_sizes)}
        )

    @property
    def numbers(self) -> GatherNumbers:
        return GatherNumbers(
            self.offset.get_values(),
            self.collapsed.get_values(),
            self.input_batching.get_values(),
            self.indices_batching.get_values(),
            self.start_map.get_values(),
            self.vector_dim.value.data,
        )

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "indices")
        return [general_gather(value, indices, self.numbers, self.slice_sizes.get_values())]


@irdl_op_definition
class GeneralScatterOp(RlxOp):
    """
    The input with windows of `updates` where indices say: StableHLO's scatter with a reduction of `rlx.scatter_nd`.

    `window` are the dims of `updates` that walk through a window, `inserted` the input dims that a window lacks,
    `scatter_map` the input dim of each entry of an index; the rest is as in `rlx.general_gather`. Starts are not
    clamped: an element outside the input is skipped, and compiled code may skip all of a window partly outside.
    """

    name = "rlx.general_scatter"
    CHAPTER: ClassVar[str] = "shape"

    reduction = prop_def(WordOf(ScatterReduction))
    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    window = prop_def(DenseArrayBase.constr(I64))
    inserted = prop_def(DenseArrayBase.constr(I64))
    input_batching = prop_def(DenseArrayBase.constr(I64))
    indices_batching = prop_def(DenseArrayBase.constr(I64))
    scatter_map = prop_def(DenseArrayBase.constr(I64))
    vector_dim = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "custom<Word>($reduction) $input `,` $indices `,` $updates `window` $window `inserted` $inserted "
        "`batching` `(` $input_batching `x` $indices_batching `)` `scatter_map` $scatter_map "
        "`vector_dim` `(` $vector_dim `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        indices: SSAValue,
        updates: SSAValue,
        numbers: ScatterNumbers,
        reduction: ScatterReduction = ScatterReduction.NONE,
    ):
        super().__init__(
            operands=[input, indices, updates], properties={"reduction": word(reduction), **_properties(numbers)}
        )

    @property
    def numbers(self) -> ScatterNumbers:
        return ScatterNumbers(
            self.window.get_values(),
            self.inserted.get_values(),
            self.input_batching.get_values(),
            self.indices_batching.get_values(),
            self.scatter_map.get_values(),
            self.vector_dim.value.data,
        )

    def infer(self) -> Sequence[Shaped]:
        value, indices = shaped(self.input, "input"), shaped(self.indices, "indices")
        reduction = word_of(self.reduction, ScatterReduction)
        return [general_scatter(value, indices, shaped(self.updates, "updates"), self.numbers, reduction)]


def _properties(numbers: GatherNumbers | ScatterNumbers) -> dict[str, Attribute | None]:
    """Each dimension number under its own name."""
    return {
        name: i64_attr(value) if isinstance(value, int) else i64s(value) for name, value in numbers._asdict().items()
    }
