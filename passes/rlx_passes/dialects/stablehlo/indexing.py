"""Ops that move elements to or from where other values say, and sorts."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    BoolAttr,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.shapes import Shaped
from rlx_passes.dialects.stablehlo.attributes import (
    GatherAttr,
    GatherDimensionNumbers,
    ScatterAttr,
    ScatterDimensionNumbers,
)
from rlx_passes.dialects.stablehlo.base import I64_ARRAY, ints, require_per_dim, tensor
from rlx_passes.dialects.stablehlo.syntax import (
    Head,
    HeadedOp,
    parse_ints,
    parse_operands_until,
    print_values,
    show_ints,
)


def require_starts(op: Operation, starts: Sequence[SSAValue], source: "TensorType[Attribute]") -> None:
    """There is a start for each dim. Raises `VerifyException` otherwise."""
    if len(starts) != source.get_num_dims():
        raise VerifyException(f"{op.name}: needs a start for each dim of {source}, got {len(starts)}")


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Slices of `operand` at `start_indices`; indices out of range are clamped."""

    name = "stablehlo.gather"

    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    dimension_numbers = prop_def(GatherAttr)
    slice_sizes = prop_def(I64_ARRAY)
    indices_are_sorted = opt_prop_def(BaseAttr(IntegerAttr))
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(
        self,
        operand: SSAValue,
        start_indices: SSAValue,
        numbers: GatherDimensionNumbers,
        slice_sizes: Sequence[int],
        result_type: Attribute,
    ):
        super().__init__(
            operands=[operand, start_indices],
            properties={
                "dimension_numbers": GatherAttr(numbers),
                "slice_sizes": ints(slice_sizes),
                "indices_are_sorted": BoolAttr.from_bool(False),
            },
            result_types=[result_type],
        )


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """`inputs` with `updates` combined in at `scatter_indices`; updates out of range are skipped."""

    name = "stablehlo.scatter"

    arguments = var_operand_def(TensorType)
    scatter_dimension_numbers = prop_def(ScatterAttr)
    indices_are_sorted = opt_prop_def(BaseAttr(IntegerAttr))
    unique_indices = opt_prop_def(BaseAttr(IntegerAttr))
    update_computation = region_def("single_block")
    result = var_result_def(TensorType)

    def __init__(
        self,
        operand: SSAValue,
        indices: SSAValue,
        updates: SSAValue,
        numbers: ScatterDimensionNumbers,
        combination: Region,
    ):
        """One input and one update."""
        super().__init__(
            operands=[[operand, indices, updates]],
            properties={
                "scatter_dimension_numbers": ScatterAttr(numbers),
                "indices_are_sorted": BoolAttr.from_bool(False),
                "unique_indices": BoolAttr.from_bool(False),
            },
            regions=[combination],
            result_types=[[operand.type]],
        )


@irdl_op_definition
class SortOp(IRDLOperation):
    """The inputs sorted together along `dimension` by `comparator`."""

    name = "stablehlo.sort"

    inputs = var_operand_def(TensorType)
    dimension = opt_prop_def(IntegerAttr.constr(i64))
    is_stable = opt_prop_def(BaseAttr(IntegerAttr))
    comparator = region_def("single_block")
    result = var_result_def(TensorType)

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException(f"{self.name}: needs an input")
        source = tensor(self.inputs[0], self, "input")
        at, rank = -1 if self.dimension is None else self.dimension.value.data, source.get_num_dims()
        if not -rank <= at < max(rank, 1):
            raise VerifyException(f"{self.name}: dimension {at} is no dim of {source}")
        if len(self.comparator.block.args) != 2 * len(self.inputs):
            raise VerifyException(f"{self.name}: comparator needs two arguments for each of {len(self.inputs)} inputs")


@irdl_op_definition
class DynamicSliceOp(HeadedOp):
    """A slice of given size at start indices known at run time, moved inside where it would stick out."""

    name = "stablehlo.dynamic_slice"
    SHOWN: ClassVar[tuple[str, ...]] = ("slice_sizes",)

    operand = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    slice_sizes = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, start_indices: Sequence[SSAValue], slice_sizes: Sequence[int]):
        source = tensor(operand, self, "operand")
        super().__init__(
            operands=[operand, start_indices],
            properties={"slice_sizes": ints(slice_sizes)},
            result_types=[Shaped(tuple(slice_sizes), source.element_type).type],
        )

    def verify_(self) -> None:
        source = tensor(self.operand, self, "operand")
        require_per_dim(self, "slice_sizes", self.slice_sizes, source)
        require_starts(self, self.start_indices, source)

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        return Head(parse_operands_until(parser, "sizes"), {"slice_sizes": ints(parse_ints(parser))})

    def print_head(self, printer: Printer) -> None:
        print_values(printer, self.operands)
        printer.print_string(f", sizes = {show_ints(self.slice_sizes)}")


@irdl_op_definition
class DynamicUpdateSliceOp(IRDLOperation):
    """The operand with `update` put in at start indices known at run time, moved inside where it would stick out."""

    name = "stablehlo.dynamic_update_slice"

    operand = operand_def(TensorType)
    update = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` $update `,` $start_indices attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, update: SSAValue, start_indices: Sequence[SSAValue]):
        super().__init__(operands=[operand, update, start_indices], result_types=[operand.type])

    def verify_(self) -> None:
        require_starts(self, self.start_indices, tensor(self.operand, self, "operand"))


ALL_OPS = (
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    GatherOp,
    ScatterOp,
    SortOp,
)
