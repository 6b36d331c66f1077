"""Math ops of a kernel as f32 arithmetic: `device_math` on a machine that emits ops."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.errors import Refusal
from rlx_passes.lowering.to_gpu.device_math import FUNCTIONS

Emit = Callable[[Operation], SSAValue]

NATIVE: dict[str, type[Operation]] = {
    "math.absf": math.AbsFOp,
    "math.ceil": math.CeilOp,
    "math.copysign": math.CopySignOp,
    "math.floor": math.FloorOp,
    "math.fma": math.FmaOp,
    "math.roundeven": math.RoundEvenOp,
    "math.sqrt": math.SqrtOp,
}
"""What every GPU computes itself."""


def emit_math(name: str, operands: Sequence[SSAValue], type_: Attribute, emit: Emit) -> SSAValue:
    """
    The result, of type `type_`, of the math op `name`, as ops that every GPU has.

    f16 and bf16 are computed in f32. Raises `Refusal` for an op or a type that has no device code.
    """
    if name == "math.absi":
        return _absolute_integer(operands[0], emit)
    if name == "math.ipowi":
        return _integer_power(operands[0], operands[1], emit)
    if name not in NATIVE and name not in FUNCTIONS:
        raise Refusal(f"{name} has no device code; there is some for {', '.join(sorted({*NATIVE, *FUNCTIONS}))}")
    if isinstance(type_, Float16Type | BFloat16Type):
        wide = [emit(arith.ExtFOp(operand, f32)) for operand in operands]
        return emit(arith.TruncFOp(emit_math(name, wide, f32, emit), type_))
    if name in NATIVE:
        return emit(NATIVE[name].create(operands=operands, result_types=[type_]))
    if type_ != f32:
        raise Refusal(
            f"{name} on {type_} has no device code on GPUs; it has for f32, f16 and bf16: cast to one of them"
        )
    machine = Emitter(emit)
    return FUNCTIONS[name](machine, *(Num(operand, machine) for operand in operands)).value


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


@dataclass(frozen=True, eq=False)
class Num:
    """An f32, i32 or i1 value; its operators emit ops."""

    value: SSAValue
    machine: "Emitter"

    def _other(self, other: "Num | float") -> "Num":
        return other if isinstance(other, Num) else self.machine.like(self, other)

    def _binary(self, other: "Num | float", on_float: type[Operation], on_integer: type[Operation]) -> "Num":
        kind = on_float if isinstance(self.value.type, AnyFloat) else on_integer
        operands = (self.value, self._other(other).value)
        return self.machine.emit(kind.create(operands=operands, result_types=[self.value.type]))

    def _compare(self, other: "Num | float", on_float: str, on_integer: str) -> "Num":
        right = self._other(other).value
        if isinstance(self.value.type, AnyFloat):
            return self.machine.emit(arith.CmpfOp(self.value, right, on_float))
        return self.machine.emit(arith.CmpiOp(self.value, right, on_integer))

    def __add__(self, other: "Num | float") -> "Num":
        return self._binary(other, arith.AddfOp, arith.AddiOp)

    def __sub__(self, other: "Num | float") -> "Num":
        return self._binary(other, arith.SubfOp, arith.SubiOp)

    def __mul__(self, other: "Num | float") -> "Num":
        return self._binary(other, arith.MulfOp, arith.MuliOp)

    def __truediv__(self, other: "Num | float") -> "Num":
        return self._binary(other, arith.DivfOp, arith.DivSIOp)

    def __radd__(self, other: float) -> "Num":
        return self._other(other) + self

    def __rsub__(self, other: float) -> "Num":
        return self._other(other) - self

    def __rmul__(self, other: float) -> "Num":
        return self._other(other) * self

    def __rtruediv__(self, other: float) -> "Num":
        return self._other(other) / self

    def __neg__(self) -> "Num":
        return self.machine.emit(arith.NegfOp(self.value))

    def __and__(self, other: "Num | int") -> "Num":
        return self._binary(other, arith.AndIOp, arith.AndIOp)

    def __or__(self, other: "Num | int") -> "Num":
        return self._binary(other, arith.OrIOp, arith.OrIOp)

    def __lshift__(self, other: "Num | int") -> "Num":
        return self._binary(other, arith.ShLIOp, arith.ShLIOp)

    def __rshift__(self, other: "Num | int") -> "Num":
        return self._binary(other, arith.ShRSIOp, arith.ShRSIOp)

    def __lt__(self, other: "Num | float") -> "Num":
        return self._compare(other, "olt", "slt")

    def __gt__(self, other: "Num | float") -> "Num":
        return self._compare(other, "ogt", "sgt")

    def __ge__(self, other: "Num | float") -> "Num":
        return self._compare(other, "oge", "sge")

    def __eq__(self, other: Any) -> Any:
        return self._compare(other, "oeq", "eq")

    def __ne__(self, other: Any) -> Any:
        return self._compare(other, "une", "ne")


@dataclass(frozen=True)
class Emitter:
    """A `device_math.Machine` that emits ops."""

    put: Emit

    def emit(self, op: Operation) -> Num:
        """Emit `op`; its result."""
        return Num(self.put(op), self)

    def _unary(self, kind: type[Operation], *operands: Num) -> Num:
        return self.emit(kind.create(operands=[each.value for each in operands], result_types=[f32]))

    def fma(self, a: Num, b: Num, c: Num) -> Num:
        """`a * b + c`, rounded once."""
        return self._unary(math.FmaOp, a, b, c)

    def sqrt(self, x: Num) -> Num:
        """Square root."""
        return self._unary(math.SqrtOp, x)

    def floor(self, x: Num) -> Num:
        """Round down."""
        return self._unary(math.FloorOp, x)

    def roundeven(self, x: Num) -> Num:
        """Round to nearest, ties to even."""
        return self._unary(math.RoundEvenOp, x)

    def abs(self, x: Num) -> Num:
        """Magnitude."""
        return self._unary(math.AbsFOp, x)

    def copysign(self, x: Num, sign: Num) -> Num:
        """The magnitude of `x` with the sign of `sign`."""
        magnitude = self.bits(x) & 0x7FFFFFFF
        return self.from_bits(magnitude | (self.bits(sign) & -0x80000000))

    def where(self, condition: Num, a: Num, b: Num) -> Num:
        """`a` where `condition` holds, else `b`."""
        return self.emit(arith.SelectOp(condition.value, a.value, b.value))

    def to_int(self, x: Num) -> Num:
        """The integer a float holds."""
        return self.emit(arith.FPToSIOp(x.value, i32))

    def to_float(self, i: Num) -> Num:
        """An integer as a float."""
        return self.emit(arith.SIToFPOp(i.value, f32))

    def bits(self, x: Num) -> Num:
        """The bits of a float as an integer."""
        return self.emit(arith.BitcastOp(x.value, i32))

    def from_bits(self, i: Num) -> Num:
        """The float with these bits."""
        return self.emit(arith.BitcastOp(i.value, f32))

    def like(self, x: Num, value: float) -> Num:
        """A constant of the type of `x`."""
        if x.value.type == f32:
            return self.emit(arith.ConstantOp(FloatAttr(value, f32)))
        return self.emit(arith.ConstantOp(IntegerAttr(int(value), i1 if x.value.type == i1 else i32)))
