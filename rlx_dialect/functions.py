"""Functions and derivatives of the formulas in plain ops, for importers and for gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from inspect import signature

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AnyFloat, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.constants import splat
from rlx_dialect.formulas import F32, F64, Machine, Primitive, Sort, apply, apply_derivative
from rlx_dialect.formulas import FUNCTIONS as FORMULAS
from rlx_dialect.ops import ActivationOp, BinaryOp, CastOp, CompareOp, ErfcOp, Expm1Op, Log1pOp, LogicalNotOp, WhereOp
from rlx_dialect.shapes import Shaped, require_floats, shaped

Emit = Callable[[Operation], SSAValue]

PRIMITIVES: Mapping[Primitive, Callable[..., Operation]] = {
    Primitive.ADD: partial(BinaryOp, BinaryKind.ADD),
    Primitive.SUB: partial(BinaryOp, BinaryKind.SUB),
    Primitive.MUL: partial(BinaryOp, BinaryKind.MUL),
    Primitive.DIV: partial(BinaryOp, BinaryKind.DIV),
    Primitive.NEG: partial(ActivationOp, Activation.NEG),
    Primitive.ABS: partial(ActivationOp, Activation.ABS),
    Primitive.SQRT: partial(ActivationOp, Activation.SQRT),
    Primitive.FLOOR: partial(ActivationOp, Activation.FLOOR),
    Primitive.ROUND_EVEN: partial(ActivationOp, Activation.ROUND),
    Primitive.LESS: partial(CompareOp, CompareKind.LT),
    Primitive.LESS_EQUAL: partial(CompareOp, CompareKind.LE),
    Primitive.EQUAL: partial(CompareOp, CompareKind.EQ),
    Primitive.DIFFERS: partial(CompareOp, CompareKind.NE),
    Primitive.SELECT: WhereOp,
    Primitive.TRUTH_AND: partial(BinaryOp, BinaryKind.BIT_AND),
    Primitive.TRUTH_OR: partial(BinaryOp, BinaryKind.BIT_OR),
    Primitive.TRUTH_NOT: LogicalNotOp,
}
FUNCTIONS: Mapping[str, Callable[..., Operation]] = {
    **{kind.value: partial(ActivationOp, kind) for kind in Activation},
    **{kind.value: partial(BinaryOp, kind) for kind in (BinaryKind.POW, BinaryKind.MOD, BinaryKind.ATAN2)},
    "erfc": ErfcOp,
    "expm1": Expm1Op,
    "log1p": Log1pOp,
}
"""Functions that are one op of the dialect."""


class OpMachine(Machine[SSAValue]):
    """Emits on floats of `element`, f32 or f64. It has no bits, but every op of the dialect."""

    has_bits = False

    def __init__(self, emit: Emit, element: Attribute):
        self.put, self.element = emit, element
        self.format = F64 if element == f64 else F32

    def emit(self, primitive: Primitive, *operands: SSAValue) -> SSAValue:
        match primitive:
            case Primitive.FMA:
                return self.emit(Primitive.ADD, self.emit(Primitive.MUL, *operands[:2]), operands[2])
            case Primitive.IS_NAN:
                return self.emit(Primitive.DIFFERS, operands[0], operands[0])
            case Primitive.COPYSIGN:
                return self._copysign(*operands)
            case _:
                return self.put(PRIMITIVES[primitive](*operands))

    def constant(self, value: float, sort: Sort, like: SSAValue) -> SSAValue:
        return self.put(ConstantOp(splat(Shaped((), self.element).type, value)))

    def native(self, function: str) -> Callable[..., SSAValue] | None:
        op = FUNCTIONS.get(function)
        return None if op is None else lambda *operands: self.put(op(*operands))

    def _copysign(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        """The reciprocal of -0 is less than 0, as is any other negative number."""
        zero = self.constant(0.0, Sort.FLOAT, sign)
        reciprocal = self.put(FUNCTIONS["recip"](sign))
        below = (self.emit(Primitive.LESS, x, zero) for x in (sign, reciprocal))
        size = self.emit(Primitive.ABS, magnitude)
        return self.emit(Primitive.SELECT, self.emit(Primitive.TRUTH_OR, *below), self.emit(Primitive.NEG, size), size)


def function_of(name: str, emit: Emit, *operands: SSAValue, **parameters: float) -> SSAValue:
    """
    A function of floats of one element type. Of narrower ones than f32 it is computed in f32 and rounded once.

    Raises `ValueError` where no function has that name, so many operands or such a parameter.
    """
    _require_call(name, len(operands), parameters)
    if name in FUNCTIONS and not parameters:
        return emit(FUNCTIONS[name](*operands))
    for operand in operands:
        require_floats(shaped(operand), f"the operand of {name}")
    element = shaped(operands[0]).element
    wide = f32 if isinstance(element, AnyFloat) and element.bitwidth < 32 else element
    operands = tuple(_cast(emit, operand, wide) for operand in operands)
    return _cast(emit, apply(name, OpMachine(emit, wide), *operands, **parameters), element)


def _require_call(name: str, operands: int, parameters: Mapping[str, float]) -> None:
    if name not in FORMULAS:
        raise ValueError(f"no function {name!r}; known are {', '.join(sorted(FORMULAS))}")
    arity, known = _form(name)
    if operands != arity:
        raise ValueError(f"{name} is a function of {arity} operand{'s' * (arity > 1)}, got {operands}")
    for key in parameters:
        if key not in known:
            raise ValueError(f"{name} has no parameter {key!r} (its parameters: {', '.join(known) or 'none'})")


@cache
def _form(name: str) -> tuple[int, tuple[str, ...]]:
    """The number of operands and the names of the parameters."""
    wanted = signature(FORMULAS[name]).parameters.values()
    parameters = tuple(each.name for each in wanted if each.kind is each.KEYWORD_ONLY)
    return len(wanted) - len(parameters), parameters


def derivative_of(name: str, emit: Emit, operand: SSAValue) -> SSAValue:
    """The derivative of a function of f32 or f64."""
    return apply_derivative(name, OpMachine(emit, shaped(operand).element), operand)


def _cast(emit: Emit, value: SSAValue, element: Attribute) -> SSAValue:
    return value if shaped(value).element == element else emit(CastOp(value, element))
