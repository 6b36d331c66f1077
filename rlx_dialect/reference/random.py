"""Random numbers that follow from a key, and the choice of a token."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import RngNormalOp, RngUniformOp, SampleOp
from rlx_dialect.reference.normalization import softmax
from rlx_dialect.reference.numeric import Array, element_of, rounded, wide
from rlx_dialect.reference.shape import dims_of
from rlx_dialect.reference.sorting import order
from rlx_dialect.shape_rules.ordering import arg_reduce
from rlx_dialect.shapes import Shaped
from rlx_dialect.threefry import PARITY, ROTATIONS, SCHEDULE

WORD = np.uint32


def threefry(key: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """The two words of each counter `(low, high)`; all are uint32."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ WORD(PARITY)]
    low, high = low + keys[0], high + keys[1]
    for round, (first, second) in enumerate(SCHEDULE):
        for rotation in ROTATIONS[round % 2]:
            low = low + high
            high = (high << WORD(rotation)) | (high >> WORD(32 - rotation))
            high = high ^ low
        low, high = low + keys[first], high + keys[second] + WORD(round + 1)
    return low, high


def words(key: Array, count: int) -> tuple[Array, Array]:
    """The words of the first `count` elements."""
    numbers = np.arange(count, dtype=np.uint64)
    return threefry(key, numbers.astype(WORD), (numbers >> np.uint64(32)).astype(WORD))


DIGITS = {"float32": 24, "float16": 11, "bfloat16": 8}
"""How many bits of a word count for a float type; f64 takes of both words."""


def unit(key: Array, count: int, dtype: np.dtype[Any]) -> Array:
    """Multiples of a power of two in `[0, 1)`, as float64."""
    first, second = words(key, count)
    if dtype == np.float64:
        return ((first >> WORD(5)) * 2.0**26 + (second >> WORD(6))) * 2.0**-53
    digits = DIGITS[dtype.name]
    return (first >> WORD(32 - digits)) * 2.0**-digits


def normal(key: Array, count: int, dtype: np.dtype[Any]) -> Array:
    """Mean 0 and deviation 1, as float64."""
    first, second = words(key, count)
    digits = 32 if dtype == np.float64 else 24
    shift = WORD(32 - digits)
    u1, u2 = ((first >> shift) + 1.0) * 2.0**-digits, (second >> shift) * 2.0**-digits
    return np.sqrt(-2 * np.log(u1)) * np.cos(2 * np.pi * u2)


def sample(logits: Array, key: Array, top_k: int, top_p: float, temperature: float) -> Array:
    """A token for each row of `[.., V]`; `SampleOp` says how."""
    if temperature == 0:
        return np.argmax(logits, -1)
    scaled = logits / temperature
    ranked = order(scaled, -1, True)
    ranked = ranked[..., : top_k or None]
    p = softmax(np.take_along_axis(scaled, ranked, -1), -1)
    before = np.concatenate([np.zeros((*p.shape[:-1], 1)), p.cumsum(-1)[..., :-1]], -1)
    stays = before < top_p
    stays[..., 0] = True
    sums = np.where(stays, p, 0).cumsum(-1)
    rows = logits.shape[:-1]
    u = unit(key, math.prod(rows), np.dtype(np.float32)).reshape(*rows, 1)
    place = np.count_nonzero(sums <= u * sums[..., -1:], axis=-1, keepdims=True)
    return np.take_along_axis(ranked, place, -1)[..., 0]


@register_impls
class RandomFunctions(InterpreterFunctions):
    @impl(RngUniformOp)
    def uniform(self, interpreter: Interpreter, op: RngUniformOp, args: tuple[Any, ...]):
        key, *sizes = args
        low, high = op.low.value.data, op.high.value.data
        like = rounded(np.empty(0), op.result)
        dims = dims_of(op.result, sizes)
        numbers = low + (high - low) * unit(key, math.prod(dims), like.dtype)
        return (rounded(numbers.reshape(dims), op.result),)

    @impl(RngNormalOp)
    def normal(self, interpreter: Interpreter, op: RngNormalOp, args: tuple[Any, ...]):
        key, *sizes = args
        like = rounded(np.empty(0), op.result)
        dims = dims_of(op.result, sizes)
        numbers = op.mean.value.data + op.deviation.value.data * normal(key, math.prod(dims), like.dtype)
        return (rounded(numbers.reshape(dims), op.result),)

    @impl(SampleOp)
    def sample(self, interpreter: Interpreter, op: SampleOp, args: tuple[Any, ...]):
        logits, key = wide(args[0]), args[1]
        arg_reduce(Shaped(logits.shape, element_of(op.logits)), -1, False, element_of(op.result))
        chosen = sample(logits, key, op.top_k.value.data, op.top_p.value.data, op.temperature.value.data)
        return (rounded(chosen, op.result),)
