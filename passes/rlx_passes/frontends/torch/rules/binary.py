"""Functions of two elements and more, comparisons, and choices."""

from __future__ import annotations

from functools import partial

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.builder import Number, Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import FLOATS, Call
from rlx_passes.frontends.torch.registry import rule

LOGICAL = {BinaryKind.ADD: BinaryKind.BIT_OR, BinaryKind.MUL: BinaryKind.BIT_AND}
"""Sums and products of truth values."""


def operands(c: Call, dtype: str | None = None) -> tuple[Tensor | Number, Tensor | Number]:
    """`self` and `other` in the element type of the result, or another."""
    return c.operand("self", dtype or c.dtype), c.operand("other", dtype or c.dtype)


def scaled(c: Call, name: str, factor: str, dtype: str) -> Tensor | Number:
    """An operand times a number that most calls leave at 1."""
    value, number = c.operand(name, dtype), c.args.get(factor, 1)
    if number == 1:
        return value
    other = c.number(number, dtype)
    return c.binary(BinaryKind.MUL, value, other, dtype) if isinstance(value, Tensor) else value * float(number)


def plain(kind: BinaryKind, c: Call) -> Tensor:
    a, b = operands(c)
    return c.binary(LOGICAL.get(kind, kind) if c.dtype == "i1" else kind, a, b, c.dtype)


for _name, _kind in {
    "mul": BinaryKind.MUL,
    "div": BinaryKind.DIV,
    "fmod": BinaryKind.MOD,
    "bitwise_and": BinaryKind.BIT_AND,
    "bitwise_or": BinaryKind.BIT_OR,
    "bitwise_xor": BinaryKind.BIT_XOR,
}.items():
    rule(f"{_name}.Tensor", f"{_name}.Scalar")(partial(plain, _kind))
for _name, _kind in {"bitwise_left_shift": BinaryKind.SHL, "bitwise_right_shift": BinaryKind.SHR}.items():
    rule(f"{_name}.Tensor", f"{_name}.Tensor_Scalar")(partial(plain, _kind))
for _name, _kind in {"maximum": BinaryKind.MAX, "minimum": BinaryKind.MIN, "atan2": BinaryKind.ATAN2}.items():
    rule(f"{_name}.default")(partial(plain, _kind))


def added(kind: BinaryKind, c: Call) -> Tensor:
    """`self + alpha other`, or minus."""
    b = scaled(c, "other", "alpha", c.dtype)
    return c.binary(LOGICAL.get(kind, kind) if c.dtype == "i1" else kind, c.operand("self", c.dtype), b, c.dtype)


rule("add.Tensor", "add.Scalar")(partial(added, BinaryKind.ADD))
rule("sub.Tensor", "sub.Scalar")(partial(added, BinaryKind.SUB))


@rule("rsub.Tensor", "rsub.Scalar")
def rsub(c: Call) -> Tensor:
    return c.binary(BinaryKind.SUB, c.operand("other", c.dtype), scaled(c, "self", "alpha", c.dtype), c.dtype)


@rule("div.Tensor_mode", "div.Scalar_mode")
def div_mode(c: Call) -> Tensor:
    a, b = operands(c)
    mode = c.args["rounding_mode"]
    if mode == "floor":
        return floor_quotient(c, a, b)
    quotient = c.binary(BinaryKind.DIV, a, b, c.dtype)
    if mode is None or c.dtype not in FLOATS:
        return quotient
    below = c.g.compare(CompareKind.LT, quotient, 0)
    return c.g.where(below, c.g.activation(Activation.CEIL, quotient), c.g.activation(Activation.FLOOR, quotient))


@rule("floor_divide.default", "floor_divide.Scalar")
def floor_divide(c: Call) -> Tensor:
    return floor_quotient(c, *operands(c))


def floor_quotient(c: Call, a: Tensor | Number, b: Tensor | Number) -> Tensor:
    """The quotient rounded down, as in Python: of floats from the remainder, so that rounding cannot lift it."""
    g = c.g
    rest = c.binary(BinaryKind.MOD, a, b, c.dtype)
    off = other_side(c, rest, b)
    if c.dtype not in FLOATS:
        quotient = c.binary(BinaryKind.DIV, a, b, c.dtype)
        return g.where(off, quotient - 1, quotient)
    exact = g.binary(BinaryKind.SUB, a, rest)
    quotient = g.binary(BinaryKind.DIV, exact, b)
    quotient = g.where(off, quotient - 1, quotient)
    floor = g.activation(Activation.FLOOR, quotient)
    floor = g.where(g.compare(CompareKind.GT, quotient - floor, 0.5), floor + 1, floor)
    by_zero = g.compare(CompareKind.EQ, b if isinstance(b, Tensor) else g.full((), b, c.dtype), 0)
    return g.where(by_zero, c.binary(BinaryKind.DIV, a, b, c.dtype), floor)


def other_side(c: Call, rest: Tensor, divisor: Tensor | Number) -> Tensor:
    """Whether a remainder is not 0 and has another sign than the divisor."""
    g = c.g
    nonzero = g.compare(CompareKind.NE, rest, 0)
    negative = g.compare(CompareKind.LT, rest, 0)
    if not isinstance(divisor, Tensor):
        differs = g.logical_not(negative) if divisor < 0 else negative
    else:
        differs = g.binary(BinaryKind.BIT_XOR, negative, g.compare(CompareKind.LT, divisor, 0))
    return g.binary(BinaryKind.BIT_AND, nonzero, differs)


@rule("remainder.Tensor", "remainder.Scalar")
def remainder(c: Call) -> Tensor:
    """The remainder with the sign of the divisor."""
    a, b = operands(c)
    rest = c.binary(BinaryKind.MOD, a, b, c.dtype)
    return c.g.where(other_side(c, rest, b), rest + b, rest)


@rule("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(c: Call) -> Tensor:
    """Powers that PyTorch computes without `pow` are those products and roots here too."""
    exponent = c.args["exponent"]
    base, dtype = c.operand("self", c.dtype), c.dtype
    if isinstance(base, Tensor) and not isinstance(exponent, Tensor):
        match float(exponent):
            case 1.0:
                return base
            case 2.0:
                return base * base
            case 3.0:
                return base * base * base
            case 0.5 if dtype in FLOATS:
                return c.g.sqrt(base)
            case -0.5 if dtype in FLOATS:
                return c.g.activation(Activation.RSQRT, base)
            case -1.0 if dtype in FLOATS:
                return c.g.activation(Activation.RECIP, base)
            case -2.0 if dtype in FLOATS:
                return c.g.activation(Activation.RECIP, base * base)
            case _:
                pass
    return c.binary(BinaryKind.POW, base, c.operand("exponent", dtype), dtype)


def logical(kind: BinaryKind, c: Call) -> Tensor:
    return c.binary(kind, *operands(c, "i1"), "i1")


for _name, _kind in {"and": BinaryKind.BIT_AND, "or": BinaryKind.BIT_OR, "xor": BinaryKind.BIT_XOR}.items():
    rule(f"logical_{_name}.default")(partial(logical, _kind))


def compared(kind: CompareKind, c: Call) -> Tensor:
    dtype = c.known_dtype(c.node.common or "")
    return c.g.compare(kind, *operands(c, dtype))


for _kind in CompareKind:
    rule(f"{_kind.value}.Tensor", f"{_kind.value}.Scalar")(partial(compared, _kind))


@rule("where.self")
def where(c: Call) -> Tensor:
    condition = c.cast(c.tensor("condition"), "i1")
    return c.g.where(condition, *operands(c))


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(c: Call) -> Tensor:
    return c.g.where(c.tensor("mask"), c.operand("value", c.dtype), c.tensor("self"))


@rule("clamp.default", "clamp.Tensor", "clamp_min.default", "clamp_max.default", "clamp_min.Tensor", "clamp_max.Tensor")
def clamp(c: Call) -> Tensor:
    x, dtype = c.cast(c.tensor("self"), c.dtype), c.dtype
    low, high = (c.operand(name, dtype) if c.given(name) else None for name in ("min", "max"))
    if not isinstance(low, Tensor) and not isinstance(high, Tensor):
        return c.g.clamp(x, low, high)
    if low is not None:
        x = c.g.maximum(x, low)
    return x if high is None else c.g.minimum(x, high)


@rule("fmax.default", "fmin.default")
def beside_nan(c: Call) -> Tensor:
    """The greater or the lesser element, of a NaN and a number the number."""
    a, b = (c.cast(c.tensor(name), c.dtype) for name in ("self", "other"))
    kind = BinaryKind.MAX if "fmax" in c.node.target else BinaryKind.MIN
    both = c.g.binary(kind, a, b)
    if c.dtype not in FLOATS:
        return both
    left, right = (c.g.compare(CompareKind.NE, x, x) for x in (a, b))
    return c.g.where(left, b, c.g.where(right, a, both))


@rule("complex.default")
def complex_number(c: Call) -> Tensor:
    if c.dtype != "c64":
        raise Refusal(f"element type {c.out.dtype}")
    return c.g.complex(c.tensor("real"), c.tensor("imag"))


@rule("hypot.default")
def hypot(c: Call) -> Tensor:
    a, b = (c.cast(c.tensor(name), c.dtype) for name in ("self", "other"))
    return c.g.sqrt(a * a + b * b)


@rule("copysign.Tensor")
def copysign(c: Call) -> Tensor:
    """The size of one number with the sign of the other, which -0 has too."""
    a, b = (c.cast(c.tensor(name), c.dtype) for name in ("self", "other"))
    size = c.g.activation(Activation.ABS, a)
    below, reciprocal = (c.g.compare(CompareKind.LT, x, 0) for x in (b, c.g.activation(Activation.RECIP, b)))
    return c.g.where(c.g.binary(BinaryKind.BIT_OR, below, reciprocal), -size, size)
