"""Gradients of a scan, round by round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import ScanBackwardOp, ScanBackwardXsOp, ScanGradientOp
from rlx_dialect.reference.numeric import Array, rounded, wide


def rounds_of(interpreter: Interpreter, op: ScanGradientOp, args: tuple[Any, ...]) -> Iterator[tuple[int, list[Array]]]:
    """The entry of each round, in the order of the op, and what its body yields."""
    count, end = len(op.gradients), len(op.operands) - len(op.captures)
    carried, stacked, captures = args[:count], args[count:end], args[end:]
    lengths = [len(values) for values in stacked]
    if len(set(lengths)) != 1:
        raise ValueError(f"{op.name}: stacked operands have {lengths} entries")
    for at in range(lengths[0]) if op.reverse is not None else reversed(range(lengths[0])):
        given = interpreter.run_ssacfg_region(op.body, (*carried, *(values[at] for values in stacked), *captures))
        carried = given[:count]
        yield at, list(given)


@register_impls
class ScanGradientFunctions(InterpreterFunctions):
    @impl(ScanBackwardOp)
    def by_start(self, interpreter: Interpreter, op: ScanBackwardOp, args: tuple[Any, ...]):
        count, end = len(op.gradients), len(op.operands) - len(op.captures)
        carried = list(args[:count])
        sums = [np.zeros_like(wide(capture)) for capture in args[end:][: len(op.results) - count]]
        for _, given in rounds_of(interpreter, op, args):
            carried, shares = given[:count], given[count:]
            sums = [total + wide(share) for total, share in zip(sums, shares)]
        return (*carried, *(rounded(total, result) for total, result in zip(sums, op.results[count:])))

    @impl(ScanBackwardXsOp)
    def by_entries(self, interpreter: Interpreter, op: ScanBackwardXsOp, args: tuple[Any, ...]):
        count = len(op.gradients)
        first = count + len(op.states)
        stacks = [np.zeros_like(values) for values in args[first:][: len(op.results)]]
        for at, given in rounds_of(interpreter, op, args):
            for stack, value in zip(stacks, given[count:]):
                stack[at] = value
        return tuple(stacks)
