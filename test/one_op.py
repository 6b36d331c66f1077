"""Single ops as programs: their value, the value of their plain form, and derivatives to compare gradients with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from rlx_dialect.decompose import decompose
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import DYNAMIC, Shaped

Make = Callable[[Sequence[SSAValue]], Operation]
"""Builds an op on one value for each operand."""

_ELEMENTS = {numpy_dtype(dtype.type): dtype.type for dtype in DTYPES.values()}


def normal(dims: Sequence[int], seed: int) -> Array:
    """Random float64 values."""
    return np.random.default_rng(seed).standard_normal(list(dims))


def evaluate(make: Make, *arrays: Array, plain: bool = False, unknown: Sequence[int] = ()) -> Array:
    """
    The first result of the op on `arrays`; with `plain` as its decomposition computes it.

    The dims at `unknown` are declared `?` in every operand that has them.
    """
    types = [
        Shaped(
            tuple(DYNAMIC if at in unknown else size for at, size in enumerate(array.shape)), _ELEMENTS[array.dtype]
        ).type
        for array in arrays
    ]
    block = Block(arg_types=types)
    op = make(block.args)
    if plain:
        parts = decompose(op)
        assert parts is not None
        block.add_ops([*parts.ops, ReturnOp(parts.results[0])])
        result = parts.results[0].type
        op.drop_all_references()
    else:
        block.add_ops([op, ReturnOp(op.results[0])])
        result = op.results[0].type
    module = ModuleOp([FuncOp("f", (types, [result]), Region(block))])
    module.verify()
    (value,) = run(module, "f", list(arrays)).values()
    return value


def slopes(function: Callable[[Array], Array], at: Array, weights: Array, step: float = 1e-5) -> Array:
    """The derivative of `sum(weights * function(x))` by each element of x, by central differences in float64."""
    result = np.zeros(at.shape)
    for index in np.ndindex(*at.shape):
        moved = np.zeros(at.shape)
        moved[index] = step
        difference = function(at + moved) - function(at - moved)
        result[index] = (weights * difference).sum() / (2 * step)
    return result
