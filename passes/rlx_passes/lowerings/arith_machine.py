"""Formulas as ops of arith and math: the bodies of linalg ops, and kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, UnitAttr, f64, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_dialect.formulas import F32, F64, RESULTS, Machine, Primitive, Sort, apply, apply_derivative

Emit = Callable[[Operation], SSAValue]

USUAL = "rlx.usual"
"""On an `scf.if` whose condition nearly always holds, and whose other branch is right where it holds too."""

PRIMITIVES: Mapping[Primitive, type[Operation]] = {
    Primitive.ADD: arith.AddfOp,
    Primitive.SUB: arith.SubfOp,
    Primitive.MUL: arith.MulfOp,
    Primitive.DIV: arith.DivfOp,
    Primitive.NEG: arith.NegfOp,
    Primitive.ABS: math.AbsFOp,
    Primitive.FMA: math.FmaOp,
    Primitive.SQRT: math.SqrtOp,
    Primitive.FLOOR: math.FloorOp,
    Primitive.ROUND_EVEN: math.RoundEvenOp,
    Primitive.COPYSIGN: math.CopySignOp,
    Primitive.SELECT: arith.SelectOp,
    Primitive.TO_INTEGER: arith.FPToSIOp,
    Primitive.BITS: arith.BitcastOp,
    Primitive.INTEGER_ADD: arith.AddiOp,
    Primitive.INTEGER_SUB: arith.SubiOp,
    Primitive.INTEGER_MUL: arith.MuliOp,
    Primitive.INTEGER_AND: arith.AndIOp,
    Primitive.INTEGER_OR: arith.OrIOp,
    Primitive.INTEGER_XOR: arith.XOrIOp,
    Primitive.INTEGER_SHIFT_LEFT: arith.ShLIOp,
    Primitive.INTEGER_SHIFT_RIGHT: arith.ShRSIOp,
    Primitive.INTEGER_SHIFT_RIGHT_LOGICAL: arith.ShRUIOp,
    Primitive.INTEGER_SELECT: arith.SelectOp,
    Primitive.TO_FLOAT: arith.SIToFPOp,
    Primitive.FROM_BITS: arith.BitcastOp,
    Primitive.TRUTH_AND: arith.AndIOp,
    Primitive.TRUTH_OR: arith.OrIOp,
}
COMPARISONS: Mapping[Primitive, str] = {
    Primitive.LESS: "olt",
    Primitive.LESS_EQUAL: "ole",
    Primitive.EQUAL: "oeq",
    Primitive.DIFFERS: "une",
    Primitive.INTEGER_LESS: "slt",
    Primitive.INTEGER_EQUAL: "eq",
}
MATH: Mapping[str, type[Operation]] = {
    "abs": math.AbsFOp,
    "acos": math.AcosOp,
    "acosh": math.AcoshOp,
    "asin": math.AsinOp,
    "asinh": math.AsinhOp,
    "atan": math.AtanOp,
    "atan2": math.Atan2Op,
    "atanh": math.AtanhOp,
    "cbrt": math.CbrtOp,
    "ceil": math.CeilOp,
    "cos": math.CosOp,
    "cosh": math.CoshOp,
    "erf": math.ErfOp,
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "expm1": math.ExpM1Op,
    "floor": math.FloorOp,
    "log": math.LogOp,
    "log10": math.Log10Op,
    "log1p": math.Log1pOp,
    "log2": math.Log2Op,
    "pow": math.PowFOp,
    "round": math.RoundEvenOp,
    "round_away": math.RoundOp,
    "rsqrt": math.RsqrtOp,
    "sin": math.SinOp,
    "sinh": math.SinhOp,
    "sqrt": math.SqrtOp,
    "tan": math.TanOp,
    "tanh": math.TanhOp,
    "trunc": math.TruncOp,
}
"""The op of the math dialect that a function is."""

FUNCTION_OF = {op.name: function for function, op in MATH.items()} | {"math.erfc": "erfc"}
"""The function that an op of the math dialect is."""


class ArithMachine(Machine[SSAValue]):
    """
    Emits by `emit` on floats of `type`, f32 or f64, with those functions of `MATH` as one op that are in `natives`.

    `strict` says that the ops stay what they are: one rounding for each, an fma included, in the order written, and NaN
    not equal to itself. Compilers of shaders promise none of that. A branch is an `scf.if` marked with `USUAL`.
    """

    def __init__(self, emit: Emit, type: AnyFloat, natives: Natives):
        self.put, self.type = emit, type
        self.format = F64 if type == f64 else F32
        self.functions = natives.f64 if type == f64 else natives.f32
        self.later = natives.later
        self.exact_fma = self.strict = natives.strict
        self.branches = natives.branches
        self.integer = IntegerType(self.format.bits)
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}

    def emit(self, primitive: Primitive, *operands: SSAValue) -> SSAValue:
        if primitive in COMPARISONS:
            compare = arith.CmpiOp if primitive.value.startswith("integer") else arith.CmpfOp
            return self.put(compare(operands[0], operands[1], COMPARISONS[primitive]))
        if primitive is Primitive.TRUTH_NOT:
            return self.put(arith.XOrIOp(operands[0], self.constant(1, Sort.TRUTH, operands[0])))
        if primitive is Primitive.IS_NAN:
            return self._is_nan(operands[0])
        if primitive is Primitive.COPYSIGN and not self.strict:
            return self._copysign(*operands)
        if primitive is Primitive.ROUND_EVEN and self.strict:
            return self._round_even(*operands)
        kind = PRIMITIVES[primitive]
        return self.put(kind.create(operands=operands, result_types=[self._type(RESULTS[primitive])]))

    def _type(self, sort: Sort) -> Attribute:
        return {Sort.FLOAT: self.type, Sort.INTEGER: self.integer, Sort.TRUTH: i1}[sort]

    def constant(self, value: float, sort: Sort, like: SSAValue) -> SSAValue:
        type = self._type(sort)
        key = repr(value), type
        if key not in self._constants:
            attribute = (
                FloatAttr(float(value), self.type)
                if sort is Sort.FLOAT
                else IntegerAttr(int(value), cast("IntegerType", type))
            )
            self._constants[key] = self.put(arith.ConstantOp(attribute))
        return self._constants[key]

    def branch(
        self, condition: SSAValue, common: Callable[[], Sequence[SSAValue]], rare: Callable[[], Sequence[SSAValue]]
    ) -> Sequence[SSAValue]:
        blocks = self._block(common), self._block(rare)
        last = blocks[0].last_op
        assert last is not None
        op = scf.IfOp(condition, [value.type for value in last.operands], [blocks[0]], [blocks[1]])
        op.attributes[USUAL] = UnitAttr()
        self.put(op)
        return op.results

    def _block(self, values: Callable[[], Sequence[SSAValue]]) -> Block:
        """The block of a branch that computes `values`; its constants are its own."""
        block = Block()

        def inside(op: Operation) -> SSAValue:
            block.add_op(op)
            return op.results[0]

        outside, known = self.put, dict(self._constants)
        self.put = inside
        results = values()
        self.put, self._constants = outside, known
        block.add_op(scf.YieldOp(*results))
        return block

    def native(self, function: str) -> Callable[..., SSAValue] | None:
        if function not in self.functions:
            return None
        if function == "relu":
            return self._relu
        if function == "round" and self.strict:
            return self._round_even
        kind = MATH[function]
        return lambda *operands: self.put(kind.create(operands=operands, result_types=[self.type]))

    def is_cheap(self, function: str) -> bool:
        return function in self.functions and function not in self.later

    def _relu(self, x: SSAValue) -> SSAValue:
        return self.put(arith.MaximumfOp(x, self.constant(0.0, Sort.FLOAT, x)))

    def _is_nan(self, x: SSAValue) -> SSAValue:
        """By the bits where a compiler may take `x != x` for false."""
        if self.strict:
            return self.put(arith.CmpfOp(x, x, "uno"))
        infinity = ((1 << (self.format.bits - 1 - self.format.fraction)) - 1) << self.format.fraction
        size = self.emit(
            Primitive.INTEGER_AND, self.emit(Primitive.BITS, x), self._integer((1 << (self.format.bits - 1)) - 1)
        )
        return self.emit(Primitive.INTEGER_LESS, self._integer(infinity), size)

    def _copysign(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        top = 1 << (self.format.bits - 1)
        size = self.emit(Primitive.INTEGER_AND, self.emit(Primitive.BITS, magnitude), self._integer(top - 1))
        bit = self.emit(Primitive.INTEGER_AND, self.emit(Primitive.BITS, sign), self._integer(-top))
        return self.emit(Primitive.FROM_BITS, self.emit(Primitive.INTEGER_OR, size, bit))

    def _round_even(self, x: SSAValue) -> SSAValue:
        """By a number whose last digit is 1: IREE's own form takes 40 instructions."""
        whole = self.constant(2.0**self.format.fraction, Sort.FLOAT, x)
        shift = self.emit(Primitive.COPYSIGN, whole, x)
        near = self.emit(Primitive.SUB, self.emit(Primitive.ADD, x, shift), shift)
        inside = self.emit(Primitive.LESS, self.emit(Primitive.ABS, x), whole)
        return self.emit(Primitive.SELECT, inside, self.emit(Primitive.COPYSIGN, near, x), x)

    def _integer(self, value: int) -> SSAValue:
        return self.put(arith.ConstantOp(IntegerAttr(value, self.integer)))


EXACT = frozenset({"abs", "ceil", "floor", "relu", "round", "sqrt"})
"""What every code generator rounds right."""


@dataclass(frozen=True)
class Natives:
    """What a code generator computes within the bounds of the formulas by itself, for each type of floats."""

    f32: frozenset[str]
    f64: frozenset[str]
    strict: bool
    branches: bool = False
    later: frozenset[str] = frozenset()
    """Those that may yet become formulas."""

    def apply(self, function: str, emit: Emit, *operands: SSAValue) -> SSAValue:
        """The function of operands of one type, f32 or f64."""
        return apply(function, self.machine(emit, operands[0]), *operands)

    def apply_derivative(self, function: str, emit: Emit, operand: SSAValue) -> SSAValue:
        """The derivative of the function at an operand of f32 or f64."""
        return apply_derivative(function, self.machine(emit, operand), operand)

    def machine(self, emit: Emit, like: SSAValue) -> ArithMachine:
        """The machine of floats like `like`."""
        return ArithMachine(emit, cast("AnyFloat", like.type), self)


CPU = Natives(
    f32=EXACT | {"exp", "log1p"},
    f64=EXACT | {"exp", "log"},
    strict=True,
)
"""
IREE's code for CPUs. Its other functions are off by more, tanh of f32 by up to 4.4 units, or are calls of a C library
that it has not; expm1 and log of f32 take longer than the formulas.
"""

BRANCHES = frozenset({"sin", "cos", "tan"})
"""What depends on the code generator: it has branches or not."""

CPU_LINALG = Natives(f32=CPU.f32 | BRANCHES, f64=CPU.f64 | BRANCHES, strict=True, later=BRANCHES | {"exp"})
"""linalg for CPUs, of which either code generator makes what it needs."""

LATER = Natives(f32=EXACT | frozenset(MATH), f64=EXACT | frozenset(MATH), strict=False)
"""What can wait until a kernel is cut out, where `KERNEL` says what it becomes."""

KERNEL = Natives(f32=EXACT, f64=EXACT, strict=False)
"""Every GPU."""

PROCESSOR = Natives(f32=EXACT, f64=EXACT, strict=True, branches=True)
"""Code for CPUs that we make ourselves."""
