"""What kernels and their launches can hold, asked before another tool looks at a program."""

from typing import cast

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ComplexType, TensorType
from xdsl.ir import Attribute

from rlx_passes.core.errors import Refusal


def check_holdable(function: func.FuncOp) -> None:
    """Raises `Refusal` for what neither buffers nor a list of launches hold: complex numbers, loops and branches."""
    ops = list(function.body.block.ops)
    constants = [op.result.type for op in ops if isinstance(op, arith.ConstantOp)]
    for type_ in (*function.function_type.inputs, *function.function_type.outputs, *constants):
        element = cast("TensorType[Attribute]", type_).element_type if isinstance(type_, TensorType) else type_
        if isinstance(element, ComplexType):
            raise Refusal(f"no buffer there holds {element}")
    if any(isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp) and op.results for op in ops):
        raise Refusal("it loops or branches, and launches are planned ahead")
