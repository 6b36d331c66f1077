"""What buffers can hold, asked before another tool looks at a program."""

from typing import cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ComplexType, TensorType
from xdsl.ir import Attribute

from rlx_passes.core.errors import Refusal


def check_holdable(function: func.FuncOp) -> None:
    """Raises `Refusal` for what buffers do not hold: complex numbers."""
    constants = [op.result.type for op in function.walk() if isinstance(op, arith.ConstantOp)]
    for type_ in (*function.function_type.inputs, *function.function_type.outputs, *constants):
        element = cast("TensorType[Attribute]", type_).element_type if isinstance(type_, TensorType) else type_
        if isinstance(element, ComplexType):
            raise Refusal(f"no buffer there holds {element}")
