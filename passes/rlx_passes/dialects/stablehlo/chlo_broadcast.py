"""
CHLO's elementwise ops that stretch their operands to each other's dims, as NumPy does.

`broadcast_dimensions` maps the dims of the lower-rank operand to those of the result, by default the last.
"""

from abc import ABC

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_passes.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from rlx_passes.dialects.stablehlo.base import I64_ARRAY, require_dims, tensor


@irdl_attr_definition
class ComparisonDirectionAttr(EnumAttribute[ComparisonDirection], SpacedOpaqueSyntaxAttribute):
    """`#chlo<comparison_direction GT>`"""

    name = "chlo.comparison_direction"


@irdl_attr_definition
class ComparisonTypeAttr(EnumAttribute[ComparisonType], SpacedOpaqueSyntaxAttribute):
    """`#chlo<comparison_type FLOAT>`"""

    name = "chlo.comparison_type"


class BroadcastOp(IRDLOperation, ABC):
    """An elementwise op of two operands whose dims broadcast."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    broadcast_dimensions = opt_prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        if self.broadcast_dimensions is None:
            return
        dims, result = self.broadcast_dimensions.get_values(), tensor(self.result, self, "result")
        low = min((tensor(value, self, "operand") for value in self.operands), key=lambda type: type.get_num_dims())
        require_dims(self, "broadcast_dimensions", dims, result)
        if len(dims) != low.get_num_dims() or list(dims) != sorted(dims):
            raise VerifyException(
                f"{self.name}: broadcast_dimensions {list(dims)} must place each dim of {low} in order"
            )


@irdl_op_definition
class BroadcastAddOp(BroadcastOp):
    """`stablehlo.add` of the stretched operands."""

    name = "chlo.broadcast_add"


@irdl_op_definition
class BroadcastAndOp(BroadcastOp):
    """`stablehlo.and` of the stretched operands."""

    name = "chlo.broadcast_and"


@irdl_op_definition
class BroadcastAtan2Op(BroadcastOp):
    """`stablehlo.atan2` of the stretched operands."""

    name = "chlo.broadcast_atan2"


@irdl_op_definition
class BroadcastComplexOp(BroadcastOp):
    """`stablehlo.complex` of the stretched operands."""

    name = "chlo.broadcast_complex"


@irdl_op_definition
class BroadcastDivideOp(BroadcastOp):
    """`stablehlo.divide` of the stretched operands."""

    name = "chlo.broadcast_divide"


@irdl_op_definition
class BroadcastMaximumOp(BroadcastOp):
    """`stablehlo.maximum` of the stretched operands."""

    name = "chlo.broadcast_maximum"


@irdl_op_definition
class BroadcastMinimumOp(BroadcastOp):
    """`stablehlo.minimum` of the stretched operands."""

    name = "chlo.broadcast_minimum"


@irdl_op_definition
class BroadcastMultiplyOp(BroadcastOp):
    """`stablehlo.multiply` of the stretched operands."""

    name = "chlo.broadcast_multiply"


@irdl_op_definition
class BroadcastNextAfterOp(BroadcastOp):
    """`chlo.next_after` of the stretched operands."""

    name = "chlo.broadcast_next_after"


@irdl_op_definition
class BroadcastOrOp(BroadcastOp):
    """`stablehlo.or` of the stretched operands."""

    name = "chlo.broadcast_or"


@irdl_op_definition
class BroadcastPolygammaOp(BroadcastOp):
    """`chlo.polygamma` of the stretched operands."""

    name = "chlo.broadcast_polygamma"


@irdl_op_definition
class BroadcastPowerOp(BroadcastOp):
    """`stablehlo.power` of the stretched operands."""

    name = "chlo.broadcast_power"


@irdl_op_definition
class BroadcastRemainderOp(BroadcastOp):
    """`stablehlo.remainder` of the stretched operands."""

    name = "chlo.broadcast_remainder"


@irdl_op_definition
class BroadcastShiftLeftOp(BroadcastOp):
    """`stablehlo.shift_left` of the stretched operands."""

    name = "chlo.broadcast_shift_left"


@irdl_op_definition
class BroadcastShiftRightArithmeticOp(BroadcastOp):
    """`stablehlo.shift_right_arithmetic` of the stretched operands."""

    name = "chlo.broadcast_shift_right_arithmetic"


@irdl_op_definition
class BroadcastShiftRightLogicalOp(BroadcastOp):
    """`stablehlo.shift_right_logical` of the stretched operands."""

    name = "chlo.broadcast_shift_right_logical"


@irdl_op_definition
class BroadcastSubtractOp(BroadcastOp):
    """`stablehlo.subtract` of the stretched operands."""

    name = "chlo.broadcast_subtract"


@irdl_op_definition
class BroadcastXorOp(BroadcastOp):
    """`stablehlo.xor` of the stretched operands."""

    name = "chlo.broadcast_xor"


@irdl_op_definition
class BroadcastZetaOp(BroadcastOp):
    """`chlo.zeta` of the stretched operands."""

    name = "chlo.broadcast_zeta"


@irdl_op_definition
class BroadcastCompareOp(BroadcastOp):
    """`stablehlo.compare` of the stretched operands."""

    name = "chlo.broadcast_compare"

    comparison_direction = prop_def(ComparisonDirectionAttr)
    compare_type = opt_prop_def(ComparisonTypeAttr)


@irdl_op_definition
class BroadcastSelectOp(IRDLOperation):
    """`stablehlo.select` of the stretched operands."""

    name = "chlo.broadcast_select"

    pred = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$pred `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)"


ALL_ATTRIBUTES = (ComparisonDirectionAttr, ComparisonTypeAttr)
ALL_OPS = (
    BroadcastAddOp,
    BroadcastAndOp,
    BroadcastAtan2Op,
    BroadcastCompareOp,
    BroadcastComplexOp,
    BroadcastDivideOp,
    BroadcastMaximumOp,
    BroadcastMinimumOp,
    BroadcastMultiplyOp,
    BroadcastNextAfterOp,
    BroadcastOrOp,
    BroadcastPolygammaOp,
    BroadcastPowerOp,
    BroadcastRemainderOp,
    BroadcastSelectOp,
    BroadcastShiftLeftOp,
    BroadcastShiftRightArithmeticOp,
    BroadcastShiftRightLogicalOp,
    BroadcastSubtractOp,
    BroadcastXorOp,
    BroadcastZetaOp,
)
