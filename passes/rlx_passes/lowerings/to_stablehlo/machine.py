"""Formulas as StableHLO, and the functions that XLA has itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from xdsl.dialects.builtin import AnyFloat, IntegerType, f32, f64, i1
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.dtypes import dtype_of
from rlx_dialect.formulas import F32, F64, RESULTS, Machine, Primitive, Sort, apply
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.dialects.stablehlo import chlo
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType, ComparisonTypeAttr
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import cast_to, splat

PRIMITIVES: Mapping[Primitive, type[Operation]] = {
    Primitive.ADD: binary.AddOp,
    Primitive.SUB: binary.SubtractOp,
    Primitive.MUL: binary.MultiplyOp,
    Primitive.DIV: binary.DivideOp,
    Primitive.NEG: unary.NegateOp,
    Primitive.ABS: unary.AbsOp,
    Primitive.SQRT: unary.SqrtOp,
    Primitive.FLOOR: unary.FloorOp,
    Primitive.ROUND_EVEN: unary.RoundNearestEvenOp,
    Primitive.SELECT: binary.SelectOp,
    Primitive.TO_INTEGER: unary.ConvertOp,
    Primitive.BITS: unary.BitcastConvertOp,
    Primitive.INTEGER_ADD: binary.AddOp,
    Primitive.INTEGER_SUB: binary.SubtractOp,
    Primitive.INTEGER_MUL: binary.MultiplyOp,
    Primitive.INTEGER_AND: binary.AndOp,
    Primitive.INTEGER_OR: binary.OrOp,
    Primitive.INTEGER_XOR: binary.XorOp,
    Primitive.INTEGER_SHIFT_LEFT: binary.ShiftLeftOp,
    Primitive.INTEGER_SHIFT_RIGHT: binary.ShiftRightArithmeticOp,
    Primitive.INTEGER_SHIFT_RIGHT_LOGICAL: binary.ShiftRightLogicalOp,
    Primitive.INTEGER_SELECT: binary.SelectOp,
    Primitive.TO_FLOAT: unary.ConvertOp,
    Primitive.FROM_BITS: unary.BitcastConvertOp,
    Primitive.TRUTH_AND: binary.AndOp,
    Primitive.TRUTH_OR: binary.OrOp,
    Primitive.TRUTH_NOT: unary.NotOp,
}
COMPARISONS = {
    Primitive.LESS: ComparisonDirection.LT,
    Primitive.LESS_EQUAL: ComparisonDirection.LE,
    Primitive.EQUAL: ComparisonDirection.EQ,
    Primitive.DIFFERS: ComparisonDirection.NE,
    Primitive.INTEGER_LESS: ComparisonDirection.LT,
    Primitive.INTEGER_EQUAL: ComparisonDirection.EQ,
}
OPS: Mapping[str, type[unary.UnaryOp | binary.BinaryOp]] = {
    "atan2": binary.Atan2Op,
    "ceil": unary.CeilOp,
    "cos": unary.CosineOp,
    "erf": chlo.ErfOp,
    "exp": unary.ExponentialOp,
    "expm1": unary.ExponentialMinusOneOp,
    "floor": unary.FloorOp,
    "log": unary.LogOp,
    "log1p": unary.LogPlusOneOp,
    "mod": binary.RemainderOp,
    "neg": unary.NegateOp,
    "pow": binary.PowerOp,
    "round": unary.RoundNearestEvenOp,
    "rsqrt": unary.RsqrtOp,
    "sigmoid": unary.LogisticOp,
    "sign": unary.SignOp,
    "sin": unary.SineOp,
    "sqrt": unary.SqrtOp,
    "tan": unary.TanOp,
    "tanh": unary.TanhOp,
}
"""Functions that are one op."""

EXACT = frozenset({"abs", "ceil", "floor", "mod", "neg", "relu", "round", "sign", "sqrt"})
WITHIN = EXACT | {"atan2", "cos", "exp", "log", "pow", "rsqrt", "sin", "tan"}
NATIVE: Mapping[str, frozenset[str]] = {
    "f16": WITHIN | {"atan", "erf", "log1p", "tanh"},
    "bf16": WITHIN | {"atan", "erf", "expm1", "log1p", "sigmoid", "tanh"},
    "f32": WITHIN | {"log1p", "sigmoid", "tanh"},
    "f64": WITHIN - {"tan"} | {"atan", "erf", "sigmoid"},
}
"""
What XLA computes within the bounds of the formulas by itself, for each type of floats.

Left out: erfc, off by up to 64 units, as is log1p of f64; tanh and tan of f64; erf and atan of f32, off by 5; expm1 of
f32 and f64.
"""
HARDWARE = frozenset({"exp", "tanh"})
"""
Functions of f32 for which TPUs have an instruction: native though XLA's code for CPUs, on which all this is measured,
is off by 4.7 and 4.4 units.
"""


class StableMachine(Machine[SSAValue]):
    """Emits on values of the dims and the float type of `like`, f32 or f64."""

    def __init__(self, emitter: StableEmitter, like: SSAValue):
        self.put, self.value, self.like = emitter, like, shaped(like)
        self.format = F64 if self.like.element == f64 else F32
        self.functions = NATIVE[dtype_of(self.like.element).name]

    def emit(self, primitive: Primitive, *operands: SSAValue) -> SSAValue:
        match primitive:
            case Primitive.FMA:
                return self.put(binary.AddOp(self.put(binary.MultiplyOp(operands[0], operands[1])), operands[2]))
            case Primitive.IS_NAN:
                return self.emit(Primitive.DIFFERS, operands[0], operands[0])
            case Primitive.COPYSIGN:
                return self._copysign(*operands)
            case _ if primitive in COMPARISONS:
                floats = not primitive.value.startswith("integer")
                kind = ComparisonTypeAttr(ComparisonType.FLOAT if floats else ComparisonType.SIGNED)
                return self.put(binary.CompareOp(COMPARISONS[primitive], operands[0], operands[1], kind))
            case _:
                type = self._shaped(RESULTS[primitive]).type
                return self.put(PRIMITIVES[primitive].create(operands=operands, result_types=[type]))

    def _shaped(self, sort: Sort) -> Shaped:
        if sort is Sort.FLOAT:
            return self.like
        element: Attribute = i1 if sort is Sort.TRUTH else IntegerType(self.format.bits)
        return Shaped(self.like.dims, element)

    def constant(self, value: float, sort: Sort, like: SSAValue) -> SSAValue:
        sized(self.value)
        return splat(self.put, self._shaped(sort), value)

    def native(self, function: str) -> Callable[..., SSAValue] | None:
        if function not in self.functions:
            return None
        match function:
            case "abs":
                return partial(self.emit, Primitive.ABS)
            case "atan":
                return self._atan
            case "relu":
                return self._relu
            case _:
                return lambda *operands: self.put(OPS[function](*operands))

    def _atan(self, x: SSAValue) -> SSAValue:
        return self.put(binary.Atan2Op(x, self.constant(1.0, Sort.FLOAT, x)))

    def _relu(self, x: SSAValue) -> SSAValue:
        return self.put(binary.MaximumOp(x, self.constant(0.0, Sort.FLOAT, x)))

    def _copysign(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        top = 1 << (self.format.bits - 1)
        size, bit = (
            self.emit(Primitive.INTEGER_AND, self.emit(Primitive.BITS, x), self.constant(mask, Sort.INTEGER, x))
            for x, mask in ((magnitude, top - 1), (sign, -top))
        )
        return self.emit(Primitive.FROM_BITS, self.emit(Primitive.INTEGER_OR, size, bit))


def function_of(name: str, emit: StableEmitter, *operands: SSAValue) -> SSAValue:
    """A function of floats of one type. Types narrower than f32 are computed in f32 and rounded once unless native."""
    element = shaped(operands[0]).element
    narrow = isinstance(element, AnyFloat) and element.bitwidth < 32
    if narrow and name not in NATIVE.get(dtype_of(element).name, ()):
        operands = tuple(cast_to(emit, operand, f32) for operand in operands)
    return cast_to(emit, apply(name, StableMachine(emit, operands[0]), *operands), element)
