"""Branches, loops, composites and calls of things outside."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, SymbolRefAttr, TensorType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import Pure, RecursiveMemoryEffect


@irdl_op_definition
class CaseOp(IRDLOperation):
    """The results of the branch numbered `index`, of the last one where there is none of that number."""

    name = "stablehlo.case"

    index = operand_def(TensorType)
    branches = var_region_def("single_block")
    result = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class IfOp(IRDLOperation):
    """The results of one of two branches."""

    name = "stablehlo.if"

    pred = operand_def(TensorType)
    true_branch = region_def("single_block")
    false_branch = region_def("single_block")
    result = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class WhileOp(IRDLOperation):
    """The operands passed through `body` as long as `cond` holds."""

    name = "stablehlo.while"

    operand = var_operand_def()
    cond = region_def("single_block")
    body = region_def("single_block")
    result = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class OptimizationBarrierOp(IRDLOperation):
    """The operands; nothing is moved across."""

    name = "stablehlo.optimization_barrier"

    operand = var_operand_def()
    result = var_result_def()


@irdl_op_definition
class CompositeOp(IRDLOperation):
    """An op with a name, whose meaning is that of the function `decomposition`."""

    name = "stablehlo.composite"

    inputs = var_operand_def()
    op_name = prop_def(StringAttr, prop_name="name")
    composite_attributes = opt_prop_def(BaseAttr(DictionaryAttr))
    decomposition = prop_def(BaseAttr(SymbolRefAttr))
    version = opt_prop_def(IntegerAttr.constr(i32))
    composite_regions = var_region_def("single_block")
    result = var_result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        name: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        attributes: Mapping[str, Attribute],
        decomposition: str,
    ):
        super().__init__(
            operands=[inputs],
            properties={
                "name": StringAttr(name),
                "composite_attributes": DictionaryAttr(dict(attributes)),
                "decomposition": SymbolRefAttr(decomposition),
                "version": IntegerAttr(0, i32),
            },
            regions=[[]],
            result_types=[result_types],
        )


@irdl_op_definition
class CustomCallOp(IRDLOperation):
    """A call of code outside of the program."""

    name = "stablehlo.custom_call"

    inputs = var_operand_def()
    call_target_name = prop_def(StringAttr)
    has_side_effect = opt_prop_def(BaseAttr(IntegerAttr))
    backend_config = opt_prop_def()
    api_version = opt_prop_def()
    called_computations = opt_prop_def()
    operand_layouts = opt_prop_def()
    result_layouts = opt_prop_def()
    output_operand_aliases = opt_prop_def()
    result = var_result_def()


ALL_OPS = (CaseOp, CompositeOp, CustomCallOp, IfOp, OptimizationBarrierOp, WhileOp)
