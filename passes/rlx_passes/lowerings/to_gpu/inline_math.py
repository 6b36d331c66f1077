"""Math ops of a kernel in what every GPU has: the formulas of floats, and loops on integers."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BFloat16Type, Float16Type, IndexType, IntegerAttr, IntegerType, f32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_dialect.formulas import Primitive
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.arith_machine import FUNCTION_OF, KERNEL, Emit

PRIMITIVE_OF = {"math.copysign": Primitive.COPYSIGN, "math.fma": Primitive.FMA}


def emit_math(name: str, operands: Sequence[SSAValue], type_: Attribute, emit: Emit) -> SSAValue:
    """
    The result, of type `type_`, of the math op `name`, as ops that every GPU has.

    f16 and bf16 are computed in f32. Raises `Refusal` for an op or a type that has no device code.
    """
    if name == "math.absi":
        return _absolute_integer(operands[0], emit)
    if name == "math.ipowi":
        return _integer_power(operands[0], operands[1], emit)
    if name not in FUNCTION_OF and name not in PRIMITIVE_OF:
        known = sorted({*FUNCTION_OF, *PRIMITIVE_OF})
        raise Refusal(f"{name} has no device code; there is some for {', '.join(known)}")
    if isinstance(type_, Float16Type | BFloat16Type):
        wide = [emit(arith.ExtFOp(operand, f32)) for operand in operands]
        return emit(arith.TruncFOp(emit_math(name, wide, f32, emit), type_))
    if name in PRIMITIVE_OF:
        return KERNEL.machine(emit, operands[0]).emit(PRIMITIVE_OF[name], *operands)
    if type_ != f32 and FUNCTION_OF[name] not in KERNEL.f64:
        raise Refusal(
            f"{name} on {type_} has no device code on GPUs; it has for f32, f16 and bf16: cast to one of them"
        )
    return KERNEL.apply(FUNCTION_OF[name], emit, *operands)


def _absolute_integer(value: SSAValue, emit: Emit) -> SSAValue:
    zero = emit(arith.ConstantOp(IntegerAttr(0, value.type)))  # pyright: ignore[reportArgumentType, reportCallIssue]
    return emit(arith.MaxSIOp(value, emit(arith.SubiOp(zero, value))))


def _integer_power(base: SSAValue, exponent: SSAValue, emit: Emit) -> SSAValue:
    """
    `base` to the `exponent` by squaring, one bit of the exponent after another.

    With a negative exponent 1 stays 1, -1 alternates and all else is 0.
    """
    type_ = cast(IntegerType, base.type)

    def integer(value: int) -> SSAValue:
        return emit(arith.ConstantOp(IntegerAttr(value, type_)))

    zero, one, minus_one = integer(0), integer(1), integer(-1)
    body = Block(arg_types=[IndexType(), type_, type_, type_])
    _, result, square, rest = body.args
    odd = _put(body, arith.CmpiOp(_put(body, arith.AndIOp(rest, one)), one, "eq"))
    product = _put(body, arith.MuliOp(result, square))
    chosen = _put(body, arith.SelectOp(odd, product, result))
    squared = _put(body, arith.MuliOp(square, square))
    shifted = _put(body, arith.ShRUIOp(rest, one))
    body.add_op(scf.YieldOp(chosen, squared, shifted))
    start, end, step = (emit(arith.ConstantOp(IntegerAttr(n, IndexType()))) for n in (0, type_.width.data, 1))
    power = emit(scf.ForOp(start, end, step, [one, base, exponent], body))

    is_odd = emit(arith.CmpiOp(emit(arith.AndIOp(exponent, one)), one, "eq"))
    of_minus_one = emit(arith.SelectOp(is_odd, minus_one, one))
    inverse = emit(arith.SelectOp(emit(arith.CmpiOp(base, minus_one, "eq")), of_minus_one, zero))
    inverse = emit(arith.SelectOp(emit(arith.CmpiOp(base, one, "eq")), one, inverse))
    return emit(arith.SelectOp(emit(arith.CmpiOp(exponent, zero, "slt")), inverse, power))


def _put(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]
