"""Ops that combine many elements into one, and the end of their bodies."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    SameVariadicOperandSize,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect

from rlx_passes.frontend.stablehlo.base import I64_ARRAY, BinaryOp, ints, tensor


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a body: what it computes."""

    name = "stablehlo.return"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])


def combining_body(element: Attribute, kind: type[BinaryOp]) -> Region:
    """A body that applies one elementwise op to its two scalar arguments."""
    scalar = TensorType(element, [])
    block = Block(arg_types=[scalar, scalar])
    combined = kind(*block.args)
    block.add_ops([combined, ReturnOp([combined.result])])
    return Region(block)


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """The inputs combined by `body` over `dimensions`, which are dropped, starting from the initial values."""

    name = "stablehlo.reduce"

    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    dimensions = prop_def(I64_ARRAY)
    body = region_def("single_block")
    result = var_result_def(TensorType)

    irdl_options = (SameVariadicOperandSize(),)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, input: SSAValue, init: SSAValue, dimensions: Sequence[int], kind: type[BinaryOp]):
        """One input combined by one elementwise op."""
        source = tensor(input, self, "input")
        dims = [size for i, size in enumerate(source.get_shape()) if i not in dimensions]
        super().__init__(
            operands=[[input], [init]],
            properties={"dimensions": ints(dimensions)},
            regions=[combining_body(source.element_type, kind)],
            result_types=[[TensorType(source.element_type, dims)]],
        )


@irdl_op_definition
class ReduceWindowOp(IRDLOperation):
    """The inputs combined by `body` over each place of a window."""

    name = "stablehlo.reduce_window"

    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    window_dimensions = prop_def(I64_ARRAY)
    window_strides = opt_prop_def(I64_ARRAY)
    base_dilations = opt_prop_def(I64_ARRAY)
    window_dilations = opt_prop_def(I64_ARRAY)
    padding = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    body = region_def("single_block")
    result = var_result_def(TensorType)

    irdl_options = (SameVariadicOperandSize(),)
    traits = traits_def(RecursiveMemoryEffect())


ALL_OPS = (ReduceOp, ReduceWindowOp, ReturnOp)
