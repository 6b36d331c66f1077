"""Products and quotients of complex numbers, by their parts."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, complex, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import Operation, SSAValue

Emit = Callable[[Operation], SSAValue]
Parts = tuple[SSAValue, SSAValue]


def expanded(op: complex.MulOp | complex.DivOp, left: Parts, right: Parts, emit: Emit) -> Parts:
    """The real and imaginary part of the result of `op`, made of those of its operands."""
    parts = _Parts(emit)
    return parts.product(left, right) if isinstance(op, complex.MulOp) else parts.quotient(left, right)


class _Parts:
    def __init__(self, emit: Emit):
        self.emit = emit

    def mul(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.emit(arith.MulfOp(x, y))

    def add(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.emit(arith.AddfOp(x, y))

    def sub(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.emit(arith.SubfOp(x, y))

    def div(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.emit(arith.DivfOp(x, y))

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.emit(arith.SelectOp(condition, x, y))

    def product(self, x: Parts, y: Parts) -> Parts:
        (a, b), (c, d) = x, y
        return self.sub(self.mul(a, c), self.mul(b, d)), self.add(self.mul(a, d), self.mul(b, c))

    def quotient(self, x: Parts, y: Parts) -> Parts:
        """
        By the larger part of the divisor, so that no square leaves the range; zeros divide both parts.

        Source: R. L. Smith, Algorithm 116: Complex division, 1962.
        """
        (a, b), (c, d) = x, y
        sizes = [self.emit(math.AbsFOp(part)) for part in y]
        turned = self.emit(arith.CmpfOp(sizes[0], sizes[1], "olt"))
        large, small = self.select(turned, d, c), self.select(turned, c, d)
        ratio = self.div(small, large)
        scale = self.add(large, self.mul(small, ratio))
        first, second = self.select(turned, b, a), self.select(turned, a, b)
        real = self.div(self.add(first, self.mul(second, ratio)), scale)
        straight = self.sub(b, self.mul(a, ratio))
        crossed = self.sub(self.mul(b, ratio), a)
        imaginary = self.div(self.select(turned, crossed, straight), scale)
        type = c.type
        assert isinstance(type, AnyFloat)
        zero = self.emit(arith.ConstantOp(FloatAttr(0.0, type)))
        nothing = self.emit(arith.CmpfOp(self.add(*sizes), zero, "oeq"))
        return self.select(nothing, self.div(a, sizes[0]), real), self.select(nothing, self.div(b, sizes[0]), imaginary)
