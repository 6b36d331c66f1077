"""Ops with dims known only at run time: an operand of numbers takes the place of the static op's attribute."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from rlx_passes.dialects.stablehlo.attributes import ConvAttr, GatherAttr
from rlx_passes.dialects.stablehlo.base import I1_ARRAY, I64_ARRAY, require_dims, tensor
from rlx_passes.dialects.stablehlo.syntax import HeadedOp


@irdl_op_definition
class GetDimensionSizeOp(IRDLOperation):
    """The size of one dim, as i32."""

    name = "stablehlo.get_dimension_size"

    operand = operand_def(TensorType)
    dimension = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        require_dims(self, "dimension", [self.dimension.value.data], tensor(self.operand, self, "operand"))


@irdl_op_definition
class SetDimensionSizeOp(IRDLOperation):
    """The operand, of whose dim only the first `size` entries count."""

    name = "stablehlo.set_dimension_size"

    operand = operand_def(TensorType)
    size = operand_def(TensorType)
    dimension = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        require_dims(self, "dimension", [self.dimension.value.data], tensor(self.operand, self, "operand"))


@irdl_op_definition
class DynamicReshapeOp(IRDLOperation):
    """`stablehlo.reshape` to the dims of `output_shape`."""

    name = "stablehlo.dynamic_reshape"

    operand = operand_def(TensorType)
    output_shape = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` $output_shape attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class DynamicBroadcastInDimOp(IRDLOperation):
    """`stablehlo.broadcast_in_dim` to the dims of `output_dimensions`."""

    name = "stablehlo.dynamic_broadcast_in_dim"

    operand = operand_def(TensorType)
    output_dimensions = operand_def(TensorType)
    broadcast_dimensions = prop_def(I64_ARRAY)
    known_expanding_dimensions = opt_prop_def(I64_ARRAY)
    known_nonexpanding_dimensions = opt_prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict "
        "`:` functional-type(operands, results)"
    )


@irdl_op_definition
class DynamicIotaOp(IRDLOperation):
    """`stablehlo.iota` of the dims of `output_shape`."""

    name = "stablehlo.dynamic_iota"

    output_shape = operand_def(TensorType)
    iota_dimension = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        require_dims(self, "iota_dimension", [self.iota_dimension.value.data], tensor(self.result, self, "result"))


class ShapedByOperandsOp(HeadedOp, ABC):
    """A dynamic op without attributes."""

    SHOWN: ClassVar[tuple[str, ...]] = ()

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())


@irdl_op_definition
class DynamicPadOp(ShapedByOperandsOp):
    """`stablehlo.pad` by numbers that operands hold."""

    name = "stablehlo.dynamic_pad"

    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = operand_def(TensorType)
    edge_padding_high = operand_def(TensorType)
    interior_padding = operand_def(TensorType)


@irdl_op_definition
class RealDynamicSliceOp(ShapedByOperandsOp):
    """`stablehlo.slice` by numbers that operands hold."""

    name = "stablehlo.real_dynamic_slice"

    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    limit_indices = operand_def(TensorType)
    strides = operand_def(TensorType)


@irdl_op_definition
class DynamicGatherOp(IRDLOperation):
    """`stablehlo.gather` of slices whose sizes an operand holds."""

    name = "stablehlo.dynamic_gather"

    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    slice_sizes = operand_def(TensorType)
    dimension_numbers = prop_def(GatherAttr)
    indices_are_sorted = opt_prop_def(BaseAttr(IntegerAttr))
    result = result_def(TensorType)

    traits = traits_def(Pure())


@irdl_op_definition
class DynamicConvOp(IRDLOperation):
    """`stablehlo.convolution` with pads that an operand holds."""

    name = "stablehlo.dynamic_conv"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    padding = operand_def(TensorType)
    window_strides = opt_prop_def(I64_ARRAY)
    lhs_dilation = opt_prop_def(I64_ARRAY)
    rhs_dilation = opt_prop_def(I64_ARRAY)
    window_reversal = opt_prop_def(I1_ARRAY)
    dimension_numbers = prop_def(ConvAttr)
    feature_group_count = prop_def(IntegerAttr.constr(i64))
    batch_group_count = prop_def(IntegerAttr.constr(i64))
    precision_config = opt_prop_def()
    result = result_def(TensorType)

    traits = traits_def(Pure())


ALL_OPS = (
    DynamicBroadcastInDimOp,
    DynamicConvOp,
    DynamicGatherOp,
    DynamicIotaOp,
    DynamicPadOp,
    DynamicReshapeOp,
    GetDimensionSizeOp,
    RealDynamicSliceOp,
    SetDimensionSizeOp,
)
