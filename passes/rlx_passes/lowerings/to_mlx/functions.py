"""Formulas as Python on MLX arrays, and the functions that MLX has itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import getdoc, signature

from rlx_dialect.formulas import F32, F64, FUNCTIONS, FloatFormat, Machine, Num, Primitive, Sort
from rlx_dialect.formulas.precise import product_and_sum, sum_to_odd

PRIMITIVES: Mapping[Primitive, str] = {
    Primitive.ADD: "{} + {}",
    Primitive.SUB: "{} - {}",
    Primitive.MUL: "{} * {}",
    Primitive.DIV: "{} / {}",
    Primitive.NEG: "-{}",
    Primitive.ABS: "mx.abs({})",
    Primitive.FMA: "{} * {} + {}",
    Primitive.SQRT: "mx.sqrt({})",
    Primitive.FLOOR: "mx.floor({})",
    Primitive.ROUND_EVEN: "mx.round({})",
    Primitive.LESS: "{} < {}",
    Primitive.LESS_EQUAL: "{} <= {}",
    Primitive.EQUAL: "{} == {}",
    Primitive.DIFFERS: "{} != {}",
    Primitive.IS_NAN: "mx.isnan({})",
    Primitive.SELECT: "mx.where({}, {}, {})",
    Primitive.TO_INTEGER: "{}.astype(mx.int<n>)",
    Primitive.BITS: "{}.view(mx.int<n>)",
    Primitive.INTEGER_ADD: "{} + {}",
    Primitive.INTEGER_SUB: "{} - {}",
    Primitive.INTEGER_MUL: "{} * {}",
    Primitive.INTEGER_AND: "{} & {}",
    Primitive.INTEGER_OR: "{} | {}",
    Primitive.INTEGER_XOR: "{} ^ {}",
    Primitive.INTEGER_SHIFT_LEFT: "{} << {}",
    Primitive.INTEGER_SHIFT_RIGHT: "{} >> {}",
    Primitive.INTEGER_SHIFT_RIGHT_LOGICAL: "({}.view(mx.uint<n>) >> {}).view(mx.int<n>)",
    Primitive.INTEGER_LESS: "{} < {}",
    Primitive.INTEGER_EQUAL: "{} == {}",
    Primitive.INTEGER_SELECT: "mx.where({}, {}, {})",
    Primitive.TO_FLOAT: "{}.astype(mx.float<n>)",
    Primitive.FROM_BITS: "{}.view(mx.float<n>)",
    Primitive.TRUTH_AND: "{} & {}",
    Primitive.TRUTH_OR: "{} | {}",
    Primitive.TRUTH_NOT: "mx.logical_not({})",
}
CALLS: Mapping[str, str] = {
    "abs": "mx.abs",
    "atan": "mx.arctan",
    "atan2": "mx.arctan2",
    "ceil": "mx.ceil",
    "cos": "mx.cos",
    "exp": "mx.exp",
    "expm1": "mx.expm1",
    "floor": "mx.floor",
    "log": "mx.log",
    "log1p": "mx.log1p",
    "neg": "mx.negative",
    "pow": "mx.power",
    "recip": "mx.reciprocal",
    "round": "mx.round",
    "rsqrt": "mx.rsqrt",
    "sqrt": "mx.sqrt",
    "tan": "mx.tan",
    "tanh": "mx.tanh",
}
"""Functions that are one call."""

EXACT = frozenset({"abs", "ceil", "floor", "neg", "recip", "round", "sqrt"})
WITHIN = EXACT | {"atan", "atan2", "expm1", "log", "log1p", "pow", "tan", "tanh"}
NATIVE: Mapping[str, frozenset[str]] = {
    "f16": WITHIN | {"cos", "exp"},
    "bf16": WITHIN | {"cos"},
    "f32": WITHIN | {"rsqrt"},
    "f64": WITHIN - {"tan"} | {"rsqrt"},
}
"""
What MLX computes within the bounds of the formulas by itself, for each type of floats.

Left out: exp of f32, off by up to 66 units on CPUs, as are sin and cos by thousands at angles of 10^6; exp, sin and cos
of f64, which are no better than those of f32; tan of f64, off by 14 units where it is large; sin, which makes 0 of -0.
"""


UNNAMED: Mapping[str, Callable[..., Num]] = {"product_and_sum": product_and_sum, "sum_to_odd": sum_to_odd}
"""Formulas that are no function of the dialect."""


class Literal(str):
    """A number in the source, which MLX gives the type of the array beside it."""

    __slots__ = ()


class SourceMachine(Machine[str]):
    """Writes one statement per primitive. Non-native functions become calls at the same type, noted in `calls`."""

    def __init__(self, format: FloatFormat, written: str):
        self.format, self.written = format, written
        self.lines: list[str] = []
        self.calls: set[str] = set()

    def emit(self, primitive: Primitive, *operands: str) -> str:
        if primitive is Primitive.COPYSIGN:
            return self._copysign(*operands)
        first = 1 if primitive in (Primitive.SELECT, Primitive.INTEGER_SELECT) else 0
        if all(isinstance(x, Literal) for x in operands[first:]):
            operands = (*operands[:first], self._array(operands[first]), *operands[first + 1 :])
        if primitive is Primitive.INTEGER_SHIFT_RIGHT_LOGICAL and not isinstance(operands[1], Literal):
            # MLX makes a float, or a wider integer, of a pair of which one has a sign.
            operands = (operands[0], f"{operands[1]}.view(mx.uint{self.format.bits})")
        return self._name(PRIMITIVES[primitive].replace("<n>", str(self.format.bits)).format(*operands))

    def _name(self, expression: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def _array(self, value: str) -> str:
        """A number as an array, where the type does not follow from another operand."""
        if not isinstance(value, Literal):
            return value
        kind = "int" if value.lstrip("-").isdigit() else "float"
        return self._name(f"mx.array({value}, dtype=mx.{kind}{self.format.bits})")

    def constant(self, value: float, sort: Sort, like: str) -> str:
        if sort is not Sort.FLOAT:
            return Literal(bool(value) if sort is Sort.TRUTH else int(value))
        text = repr(float(value))
        return Literal(text if text[-1].isdigit() else f"{'-' if value < 0 else ''}mx.{text.lstrip('-')}")

    def native(self, function: str) -> Callable[..., str] | None:
        if function in NATIVE[f"f{self.format.bits}"]:
            return lambda *operands: self._name(f"{CALLS[function]}({', '.join(operands)})")
        if function == "mod":
            return self._mod
        if function == self.written:
            return None
        callee = source_name(function, self.format)
        self.calls.add(callee)
        return lambda *operands: self._name(f"{callee}({', '.join(map(self._array, operands))})")

    def _mod(self, a: str, b: str) -> str:
        """MLX's remainder is exact, but has the sign of the divisor."""
        return self._copysign(self._name(f"mx.remainder(mx.abs({a}), mx.abs({b}))"), a)

    def _copysign(self, magnitude: str, sign: str) -> str:
        top = 1 << (self.format.bits - 1)
        size, bit = (
            self.emit(Primitive.INTEGER_AND, self.emit(Primitive.BITS, self._array(x)), Literal(mask))
            for x, mask in ((magnitude, top - 1), (sign, -top))
        )
        return self.emit(Primitive.FROM_BITS, self.emit(Primitive.INTEGER_OR, size, bit))


def source_name(function: str, format: FloatFormat) -> str:
    """What a function is called in the source; that of f64 says so."""
    name = function if function not in ("abs", "pow", "round") else f"{function}_"
    return f"{name}_f64" if format == F64 else name


@cache
def source_of(name: str) -> tuple[str, frozenset[str]]:
    """The text of the function of that name in the source, and its callees. Raises `KeyError` for an unknown name."""
    function = name.removesuffix("_f64").rstrip("_")
    formula = UNNAMED.get(function) or FUNCTIONS[function]
    machine = SourceMachine(F64 if name.endswith("_f64") else F32, function)
    operands = [each.name for each in signature(formula).parameters.values() if each.kind is not each.KEYWORD_ONLY]
    result = formula(*(Num(machine, operand) for operand in operands)).handle
    arguments = ", ".join(f"{operand}: mx.array" for operand in operands)
    summary = (getdoc(formula) or function).splitlines()
    text = f'def {name}({arguments}) -> mx.array:\n    """{" ".join(summary[:1])}"""\n'
    return text + "".join(f"    {line}\n" for line in [*machine.lines, f"return {result}"]), frozenset(machine.calls)
