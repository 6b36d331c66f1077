"""Steps of transforms in fixed point, on the real and the imaginary parts apart."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.dtypes import integer_limits

Parts = tuple[SSAValue, SSAValue]
"""Real and imaginary parts."""


def turned(to: Plain, real: SSAValue, imaginary: SSAValue, by: Parts) -> Parts:
    """A product of complex numbers."""
    cos, sin = by
    return (
        to.minus(to.times(real, cos), to.times(imaginary, sin)),
        to.plus(to.times(real, sin), to.times(imaginary, cos)),
    )


def halved(to: Plain, value: SSAValue, times: int) -> SSAValue:
    """`floor(value / 2^times + 1/2)` of integers."""
    if times == 0:
        return value
    return to.binary(BinaryKind.SHR, to.plus(value, to.scalar(2 ** (times - 1), value)), to.scalar(times, value))


def saturated(to: Plain, value: SSAValue, element: Attribute) -> SSAValue:
    """`value` within the range of an integer type."""
    low, high = integer_limits(element)
    raised = to.binary(BinaryKind.MAX, value, to.scalar(low, value))
    return to.binary(BinaryKind.MIN, raised, to.scalar(high, value))
