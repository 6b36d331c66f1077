"""Loops of a plain form, their bodies written as Python functions."""

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Region, SSAValue

from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import ScanOp, WhileOp, YieldOp
from rlx_dialect.ops.loops import entry_of
from rlx_dialect.shapes import shaped

Values = Sequence[SSAValue]


def scan(
    to: Plain,
    body: Callable[[Plain, Values, Values, Values], tuple[Values, Values]],
    carried: Values,
    scanned: Values,
    captures: Values = (),
    *,
    reverse: bool = False,
) -> list[SSAValue]:
    """
    `rlx.scan` with a body that takes the carried values, an entry of each scanned operand and the captures, and gives
    the carried values of the next round and the outputs of this one.
    """
    entries = [entry_of(value, i) for i, value in enumerate(scanned)]
    given = [*map(shaped, carried), *entries, *map(shaped, captures)]
    block, inner = Block(arg_types=[value.type for value in given]), Plain()
    first, second = len(carried), len(carried) + len(scanned)
    args = block.args
    after, outputs = body(inner, args[:first], args[first:second], args[second:])
    block.add_ops([*inner.ops, YieldOp(*after, *outputs)])
    return list(to.add(ScanOp(carried, scanned, captures, Region(block), reverse=reverse)).results)


def repeat(
    to: Plain,
    goes_on: Callable[[Plain, Values, Values], SSAValue],
    body: Callable[[Plain, Values, Values], Values],
    carried: Values,
    captures: Values = (),
) -> list[SSAValue]:
    """`rlx.while` of a condition and a body that take the carried values and the captures."""
    types = [*(value.type for value in carried), *(value.type for value in captures)]
    blocks, steps, count = [Block(arg_types=types) for _ in range(2)], [Plain(), Plain()], len(carried)
    (before, after), (inner, outer) = blocks, steps
    held = goes_on(inner, before.args[:count], before.args[count:])
    before.add_ops([*inner.ops, YieldOp(held)])
    given = body(outer, after.args[:count], after.args[count:])
    after.add_ops([*outer.ops, YieldOp(*given)])
    return list(to.add(WhileOp(carried, captures, Region(before), Region(after))).results)
