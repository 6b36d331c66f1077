"""Pieces of random programs around what raising finds: rotary embeddings, clamped lines, channel norms."""

from pieces_common import EPSILONS, dims_of
from random_programs import Program
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    ClampOp,
    ConcatOp,
    ConvConfig,
    ConvOp,
    ExpandOp,
    NarrowOp,
    ReduceOp,
    ReshapeOp,
)


def halves(p: Program, x: SSAValue, width: int) -> tuple[SSAValue, SSAValue]:
    axis, half = len(dims_of(x)) - 1, width // 2
    start = half if p.chance(0.95) else 0
    first, second = (p.emit(NarrowOp(x, axis=axis, start=at, length=half)) for at in (0, start))
    return first, second


def rotary(p: Program) -> None:
    """The halves of a head turned, with tables given as a whole or for one half."""
    width = p.pick(4, 6)
    dims = (p.pick(1, 2), 2, 3, width)
    x = p.argument(dims)
    axis = len(dims) - 1
    first, second = halves(p, x, width)
    rows = (3,) if p.chance(0.7) else (dims[0], 1, 3)

    def negated(value: SSAValue) -> SSAValue:
        return p.emit(ActivationOp(Activation.NEG, value)) if p.chance(0.95) else value

    if p.chance(0.5):
        cos, sin = p.argument((*rows, width)), p.argument((*rows, width))
        rotated = p.emit(ConcatOp([negated(second), first], axis=axis))
        left, right = p.mul(x, cos), p.mul(rotated, sin)
        p.maybe_read(rotated, left, probability=0.05)
        turned = p.add(left, right)
    else:
        cos, sin = p.argument((*rows, width // 2)), p.argument((*rows, width // 2))
        other = p.argument((*rows, width // 2)) if p.chance(0.2) else cos
        upper = p.emit(BinaryOp(BinaryKind.SUB, p.mul(first, cos), p.mul(second, sin)))
        lower = p.add(p.mul(second, other), p.mul(first, sin))
        p.maybe_read(upper, lower, probability=0.05)
        turned = p.emit(ConcatOp([upper, lower], axis=axis))
    p.maybe_read(first, second)
    p.keep(turned)


def clamped_line(p: Program) -> None:
    """Hard swish, hard sigmoid, relu6, or nearly so."""
    x = p.value()
    top = 6.0 if p.chance(0.9) else 5.0
    line = p.add(x, p.constant((), 3.0)) if p.chance(0.8) else x
    if p.chance(0.4):
        value: SSAValue = p.emit(ClampOp(line, 0.0, top))
    else:
        value = p.binary(BinaryKind.MAX, line, p.constant((), 0.0))
        p.maybe_read(value, probability=0.05)
        value = p.binary(BinaryKind.MIN, value, p.constant((), top))
    p.maybe_read(value, probability=0.05)
    if p.chance(0.7):
        value = p.mul(value, x if p.chance(0.9) else p.value())
    if p.chance(0.8):
        value = p.emit(BinaryOp(BinaryKind.DIV, value, p.constant((), 6.0)))
    p.keep(value)


def channel_norm(p: Program) -> None:
    """A batch norm of given statistics, of a convolution or not; or a norm of groups of channels."""
    channels = 4
    x = p.argument((p.pick(1, 2), channels, 3, 2))
    if p.chance(0.5):
        x = p.emit(ConvOp(x, p.argument((channels, channels, 1, 1)), ConvConfig()))
        p.maybe_read(x)
    dims = dims_of(x)

    def row() -> SSAValue:
        if p.chance(0.3):
            return p.argument((channels, 1, 1))
        return p.emit(ReshapeOp(p.argument((channels,)), (1, channels, 1, 1) if p.chance(0.5) else (channels, 1, 1)))

    epsilon = p.constant((), p.one_of(EPSILONS))
    if p.chance(0.5):
        spread = p.emit(ActivationOp(Activation.SIGMOID, row()))
        centred = p.emit(BinaryOp(BinaryKind.SUB, x, row()))
        shape: SSAValue = centred
    else:
        shape = p.emit(ReshapeOp(x, (dims[0], 2, channels // 2, dims[2] * dims[3])))
        mean = p.emit(ReduceOp(ReduceKind.MEAN, shape, [2, 3], keep_dims=True))
        centred = p.emit(BinaryOp(BinaryKind.SUB, shape, mean))
        spread = p.emit(ReduceOp(ReduceKind.MEAN, p.mul(centred, centred), [2, 3], keep_dims=True))
    p.maybe_read(centred, probability=0.05)
    inverse = p.emit(ActivationOp(Activation.RSQRT, p.add(spread, epsilon)))
    if p.chance(0.2):
        inverse = p.emit(ExpandOp(inverse, dims_of(centred)))
    value: SSAValue = p.mul(centred, inverse)
    if dims_of(value) != dims:
        value = p.emit(ReshapeOp(value, dims))
    p.maybe_read(value, probability=0.05)
    if p.chance(0.8):
        value = p.mul(value, row())
    if p.chance(0.8):
        value = p.add(value, row())
    p.keep(value)
