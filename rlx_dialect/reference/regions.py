"""Region ops and control flow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)

from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.known_sizes import KnownSizes
from rlx_dialect.ops import (
    BatchElementwiseRegionOp,
    ElementwiseRegionOp,
    IfOp,
    ScanOp,
    TransformRegionOp,
    WhileOp,
    YieldOp,
)
from rlx_dialect.reference.numeric import Array
from rlx_dialect.shapes import shaped


def before(prologue: RegionPrologue, value: Array) -> Array:
    """What a prologue makes of an operand."""
    return value.repeat(2, axis=2).repeat(2, axis=3) if prologue is RegionPrologue.RESIZE_NEAREST2X else value


@register_impls
class RegionFunctions(InterpreterFunctions):
    """A body runs op by op, with the rounding of each."""

    @impl_terminator(YieldOp)
    def yielded(
        self, interpreter: Interpreter, op: YieldOp, args: tuple[Any, ...]
    ) -> tuple[TerminatorValue, tuple[Any, ...]]:
        return ReturnedValues(args), ()

    @impl(ElementwiseRegionOp)
    def elementwise(self, interpreter: Interpreter, op: ElementwiseRegionOp, args: tuple[Any, ...]):
        first = [before(op.before, value) for value in args[:1]]
        return interpreter.run_ssacfg_region(op.body, (*first, *args[1:]))

    @impl(TransformRegionOp)
    def transform(self, interpreter: Interpreter, op: TransformRegionOp, args: tuple[Any, ...]):
        return interpreter.run_ssacfg_region(op.body, args)

    @impl(BatchElementwiseRegionOp)
    def batch(self, interpreter: Interpreter, op: BatchElementwiseRegionOp, args: tuple[Any, ...]):
        slices = [interpreter.run_ssacfg_region(op.body, (before(op.before, value),))[0] for value in args]
        return (np.concatenate(slices, axis=0),)

    @impl(IfOp)
    def choose(self, interpreter: Interpreter, op: IfOp, args: tuple[Any, ...]):
        return interpreter.run_ssacfg_region(op.then if args[0].item() else op.otherwise, args[1:])

    @impl(WhileOp)
    def loop(self, interpreter: Interpreter, op: WhileOp, args: tuple[Any, ...]):
        count = len(op.carried)
        carried, captures, rounds = args[:count], args[count:], 0
        while op.limit is None or rounds < op.limit:
            (goes_on,) = interpreter.run_ssacfg_region(op.cond, (*carried, *captures))
            if not goes_on.item():
                break
            carried = interpreter.run_ssacfg_region(op.body, (*carried, *captures))
            rounds += 1
        return carried

    @impl(ScanOp)
    def scan(self, interpreter: Interpreter, op: ScanOp, args: tuple[Any, ...]):
        count, end = len(op.carried), len(op.carried) + len(op.scanned)
        carried, scanned, captures = args[:count], args[count:end], args[end:]
        rounds = scanned[0].shape[0] if scanned else op.rounds()
        if any(values.shape[0] != rounds for values in scanned):
            raise ValueError(f"{op.name}: scanned operands have {[len(values) for values in scanned]} entries")
        order = range(rounds - 1, -1, -1) if op.reverse is not None else range(rounds)
        stacks: list[list[Array]] = [[] for _ in op.results[count:]]
        for i in order:
            given = interpreter.run_ssacfg_region(op.body, (*carried, *(values[i] for values in scanned), *captures))
            carried = given[:count]
            for stack, value in zip(stacks, given[count:]):
                stack.append(value)
        step = -1 if op.reverse is not None else 1
        outputs = [
            np.stack(stack[::step]) if stack else _nothing(op, count + at, args) for at, stack in enumerate(stacks)
        ]
        return (*carried, *outputs)


def _nothing(op: ScanOp, at: int, args: Sequence[Array]) -> Array:
    """An output of no rounds; sizes that only a round would tell are 0."""
    known = KnownSizes()
    for operand, array in zip(op.operands, args):
        known.say(operand, array.shape)
    dims = (size if isinstance(size, int) else 0 for size in known.of(op.results[at])[1:])
    return np.zeros((0, *dims), numpy_dtype(shaped(op.results[at]).element))
