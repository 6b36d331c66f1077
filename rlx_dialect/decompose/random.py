"""Random numbers in plain ops on words of 32 bits."""

import math

from xdsl.dialects.arith import ConstantOp, MuliOp
from xdsl.dialects.builtin import Float16Type, f32, f64, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.constants import splat
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import CastOp, IotaOp, NarrowOp, ReshapeOp, RngNormalOp, RngUniformOp
from rlx_dialect.ops.random import UI32, RngOp
from rlx_dialect.shapes import DYNAMIC, Shaped, count, shaped
from rlx_dialect.threefry import PARITY, ROTATIONS, SCHEDULE


def _word(to: Plain, value: int) -> SSAValue:
    return to.add(ConstantOp(splat(Shaped((), UI32).type, value))).result


def _threefry(to: Plain, key: SSAValue, low: SSAValue, high: SSAValue | None) -> tuple[SSAValue, SSAValue]:
    """The words of the counters `(low, high)`; without `high` it is 0."""
    parts = (to.add(NarrowOp(key, axis=0, start=i, length=1)).result for i in range(2))
    first, second = (to.add(ReshapeOp(part, ())).result for part in parts)
    both = to.binary(BinaryKind.BIT_XOR, first, second)
    keys = first, second, to.binary(BinaryKind.BIT_XOR, both, _word(to, PARITY))
    low, high = to.plus(low, keys[0]), keys[1] if high is None else to.plus(high, keys[1])
    for step, (one, other) in enumerate(SCHEDULE):
        for rotation in ROTATIONS[step % 2]:
            low = to.plus(low, high)
            left = to.binary(BinaryKind.SHL, high, _word(to, rotation))
            right = to.binary(BinaryKind.SHR, high, _word(to, 32 - rotation))
            high = to.binary(BinaryKind.BIT_XOR, to.binary(BinaryKind.BIT_OR, left, right), low)
        low = to.plus(low, keys[one])
        high = to.plus(high, to.plus(keys[other], _word(to, step + 1)))
    return low, high


def _words(to: Plain, op: RngOp) -> tuple[SSAValue, SSAValue]:
    """The words of each element, whose number is one word where it is known that it fits."""
    dims = shaped(op.result).dims
    elements = count(dims)
    if elements is not None and elements <= 2**32:
        numbers = to.add(IotaOp(Shaped((elements,), UI32), axis=0)).result
        return _threefry(to, op.key, to.add(ReshapeOp(numbers, dims)).result, None)
    total = to.index(math.prod(size for size in dims if size != DYNAMIC))
    for size in op.sizes:
        total = to.add(MuliOp(total, size)).result
    known, sizes = (DYNAMIC, [total]) if elements is None else (elements, [])
    line = to.add(IotaOp(Shaped((known,), i64), sizes, axis=0)).result
    numbers = to.add(ReshapeOp(line, dims, op.sizes)).result
    low = to.binary(BinaryKind.BIT_AND, numbers, to.scalar(2**32 - 1, numbers))
    high = to.binary(BinaryKind.SHR, numbers, to.scalar(32, numbers))
    return _threefry(to, op.key, to.add(CastOp(low, UI32)).result, to.add(CastOp(high, UI32)).result)


def _upper(to: Plain, word: SSAValue, bits: int, wide: bool) -> SSAValue:
    """The upper bits of a word as f32, or as f64."""
    shifted = word if bits == 32 else to.binary(BinaryKind.SHR, word, _word(to, 32 - bits))
    return to.add(CastOp(shifted, f64 if wide else f32)).result


@plain_form(RngUniformOp)
def uniform(op: RngUniformOp) -> Decomposition:
    to = Plain()
    words = _words(to, op)
    element = shaped(op.result).element
    low, high = op.low.value.data, op.high.value.data
    if element == f64:
        first, second = _upper(to, words[0], 27, True), _upper(to, words[1], 26, True)
        joined = to.plus(to.times(first, to.scalar(2.0**26, first)), second)
        u = to.times(joined, to.scalar(2.0**-53, joined))
    else:
        bits = 24 if element == f32 else 11 if isinstance(element, Float16Type) else 8
        first = _upper(to, words[0], bits, False)
        u = to.times(first, to.scalar(2.0**-bits, first))
    spread = to.plus(to.times(u, to.scalar(high - low, u)), to.scalar(low, u))
    return to.done(to.narrowed(spread, op.result))


@plain_form(RngNormalOp)
def normal(op: RngNormalOp) -> Decomposition:
    to = Plain()
    words = _words(to, op)
    wide = shaped(op.result).element == f64
    bits = 32 if wide else 24
    first, second = _upper(to, words[0], bits, wide), _upper(to, words[1], bits, wide)
    u1 = to.times(to.plus(first, to.scalar(1, first)), to.scalar(2.0**-bits, first))
    logarithm = to.activated(Activation.LOG, u1)
    radius = to.activated(Activation.SQRT, to.times(logarithm, to.scalar(-2, u1)))
    angle = to.times(second, to.scalar(2 * math.pi * 2.0**-bits, second))
    z = to.times(radius, to.activated(Activation.COS, angle))
    spread = to.plus(to.times(z, to.scalar(op.deviation.value.data, z)), to.scalar(op.mean.value.data, z))
    return to.done(to.narrowed(spread, op.result))
