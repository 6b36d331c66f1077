"""Polynomials, powers of two, and numbers of twice the digits: what formulas share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from rlx_dialect.formulas.machine import FloatFormat, Num, Operand, bits, fma, from_bits, round_down, to_integer, where

Table = Mapping[FloatFormat, tuple[float, ...]]


def polynomial(x: Num, table: Table) -> Num:
    """`c[0] + c[1] x + ..` by Horner's rule, with the coefficients of the machine's format."""
    *rest, last = table[x.machine.format]
    value = x.lift(last)
    for coefficient in reversed(rest):
        value = fma(value, x, coefficient)
    return value


def within(x: Num, low: float, high: float) -> Num:
    """`x` within bounds; NaN becomes `low`, so that conversions to integers have a meaning."""
    x = where(x > low, x, low)
    return where(x < high, x, high)


def to_odd(x: Num) -> Num:
    """
    `x` cut to a fraction of 12 bits, the last of them set if what is cut off is not 0.

    From this, any way to a float of at most 10 bits of fraction rounds as one step from `x` would.
    """
    last = 1 << (x.machine.format.fraction - 12)
    pattern = bits(x)
    exact = (pattern & (last - 1)).equals(0)
    return from_bits(where(exact, pattern, (pattern & -last) | last))


def power_of_two(n: Num) -> Num:
    """`2^n` for the exponents of normal numbers."""
    form = n.machine.format
    return from_bits((n + form.bias) << form.fraction)


def nearest(x: Num, factor: Operand) -> tuple[Num, Num]:
    """The whole number nearest to `x * factor`, as a float and as an integer, for fewer digits than the format has."""
    form = x.machine.format
    if x.machine.exact_fma:
        # Among numbers of this size the last digit is 1, so the sum is rounded, and its bits count on.
        middle = x.lift(1.5 * 2.0**form.fraction)
        moved = fma(x, factor, middle)
        return moved - middle, bits(moved) - ((form.bias + form.fraction << form.fraction) + (1 << form.fraction - 1))
    whole = round_down(fma(x, factor, 0.5))
    return whole, to_integer(whole)


def scale(x: Num, n: Num) -> Num:
    """`x * 2^n`, rounded once, for `n` up to twice the exponents of normal numbers."""
    half = n >> 1
    return x * power_of_two(half) * power_of_two(n - half)


class Double(NamedTuple):
    """The sum of two floats of which the second is at most half a unit in the last place of the first."""

    high: Num
    low: Num


def sum_ordered(a: Operand, b: Num) -> Double:
    """`a + b` exactly, if `a` is zero or the larger one in magnitude."""
    a = b.lift(a)
    high = a + b
    return Double(high, b - (high - a))


def sum_exact(a: Num, b: Num) -> Double:
    """`a + b` exactly."""
    high = a + b
    part = high - a
    return Double(high, (a - (high - part)) + (b - part))


def halves(x: Num) -> Double:
    """
    `x` as a sum of two numbers of at most half the digits; the second may have either sign.

    Without bits by a larger multiple of x, which must be finite.
    """
    low_bits = x.machine.format.fraction // 2 + 1
    if not x.machine.has_bits:
        far = x * (2.0**low_bits + 1.0)
        high = far - (far - x)
        return Double(high, x - high)
    high = from_bits((bits(x) + (1 << (low_bits - 1))) & -(1 << low_bits))
    return Double(high, x - high)


def product_exact(a: Num, b: Num) -> Double:
    """`a * b` exactly, unless the lower part is too small for a normal number."""
    high = a * b
    if a.machine.exact_fma:
        return Double(high, fma(a, b, -high))
    (a1, a0), (b1, b0) = halves(a), halves(b)
    return Double(high, ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0)


def product(a: Double, b: Double) -> Double:
    """The product of two doubled numbers, to about two units of the lower part."""
    high, low = product_exact(a.high, b.high)
    return sum_ordered(high, low + (a.high * b.low + a.low * b.high))


def sum_to_odd(a: Num, b: Num) -> Num:
    """
    `a + b`, an inexact sum as the neighbour whose last bit is set: what rounds it once more rounds as if once.

    An infinity stays one: its error is NaN, which is not above 0.
    """
    total, error = sum_exact(a, b)
    pattern = bits(total)
    step = where((bits(error) ^ pattern) < 0, pattern.lift(-1), pattern.lift(1))
    inexact = (abs(error) > 0.0) & (pattern & 1).equals(0)
    return from_bits(where(inexact, pattern + step, pattern))


def product_and_sum(a: Num, b: Num, c: Num) -> Num:
    """
    `a * b + c`, rounded once, but for products of numbers so small that their exact digits are no normal numbers.

    The parts of the product and of the sums are exact; only what is left below the largest is rounded, to odd.
    """
    plain = fma(a, b, c)
    if a.machine.exact_fma:
        return plain
    high, low = product_exact(a, b)
    middle = sum_exact(c, low)
    total = sum_exact(high, middle.high)
    exact = total.high + sum_to_odd(middle.low, total.low)
    return where(abs(exact) < math.inf, exact, plain)


def constant(table: Mapping[FloatFormat, tuple[float, float]], like: Num) -> Double:
    """A constant of twice the digits."""
    high, low = table[like.machine.format]
    return Double(like.lift(high), like.lift(low))
