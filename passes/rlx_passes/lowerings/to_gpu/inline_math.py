"""Math ops of a kernel in what every GPU has: the formulas of floats, and integers' own."""

from collections.abc import Mapping, Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.ir import Attribute, Block, SSAValue

from rlx_dialect.attributes import Activation
from rlx_dialect.formulas import Primitive
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.arith_machine import FUNCTION_OF, KERNEL, Emit
from rlx_passes.lowerings.to_linalg.elementwise import activation, integer_power
from rlx_passes.lowerings.to_linalg.scalars import Body, Scalar, applied

OF_INTEGERS: Mapping[str, Body] = {"math.absi": partial(activation, Activation.ABS), "math.ipowi": integer_power}
PRIMITIVE_OF = {"math.copysign": Primitive.COPYSIGN, "math.fma": Primitive.FMA}


def emit_math(name: str, operands: Sequence[SSAValue], type_: Attribute, emit: Emit) -> SSAValue:
    """
    The result, of type `type_`, of the math op `name`, as ops that every GPU has.

    f16 and bf16 are computed in f32. Raises `Refusal` for an op that has no device code.
    """
    if name in OF_INTEGERS:
        return _of_integers(OF_INTEGERS[name], operands, emit)
    if name not in FUNCTION_OF and name not in PRIMITIVE_OF:
        known = sorted({*FUNCTION_OF, *PRIMITIVE_OF})
        raise Refusal(f"{name} has no device code; there is some for {', '.join(known)}")
    if isinstance(type_, Float16Type | BFloat16Type):
        wide = [emit(arith.ExtFOp(operand, f32)) for operand in operands]
        return emit(arith.TruncFOp(emit_math(name, wide, f32, emit), type_))
    if name in PRIMITIVE_OF:
        return KERNEL.machine(emit, operands[0]).emit(PRIMITIVE_OF[name], *operands)
    return KERNEL.apply(FUNCTION_OF[name], emit, *operands)


def _of_integers(body: Body, operands: Sequence[SSAValue], emit: Emit) -> SSAValue:
    block = Block()
    value = applied(body, (Scalar(block, operand, operand.type) for operand in operands)).value
    for op in tuple(block.ops):
        op.detach()
        emit(op)
    return value
