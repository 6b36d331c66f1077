"""What buffers can hold, asked before another tool looks at a program."""

from typing import cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ComplexType, IndexType, TensorType, f32
from xdsl.ir import Attribute

from rlx_passes.core.errors import Refusal


def check_holdable(function: func.FuncOp) -> None:
    """Raises `Refusal` for what buffers do not hold: wide complex numbers, and an index of a caller."""
    ends = (*function.function_type.inputs, *function.function_type.outputs)
    constants = [op.result.type for op in function.walk() if isinstance(op, arith.ConstantOp)]
    for type_ in (*ends, *constants):
        element = cast("TensorType[Attribute]", type_).element_type if isinstance(type_, TensorType) else type_
        if isinstance(element, ComplexType) and element != ComplexType(f32):
            raise Refusal(f"no buffer there holds {element}")
    private = function.sym_visibility is not None and function.sym_visibility.data == "private"
    if not private and any(isinstance(type_, IndexType) for type_ in ends):
        raise Refusal(
            "takes or gives an index, which no entry does",
            "make it an element of a tensor<i64>",
            what=f"@{function.sym_name.data}",
            op=function,
        )
