"""What functions of a module have to do with each other: who calls whom, with which memory."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import cf
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from rlx_passes.lowerings.to_llvm.origins import overlap, pieces_of


class Relations(NamedTuple):
    """What is known of all functions."""

    fallible: frozenset[str]
    """Those that an assertion may end."""
    shared: Mapping[SSAValue, SSAValue]
    """Arguments that may have memory in common with another one of their function; equal values for such."""


def relations(functions: Sequence[FuncOp]) -> Relations:
    """Look at every call in `functions`. Arguments that come from outside of the module are apart."""
    calls = {function.sym_name.data: [op for op in function.walk() if isinstance(op, CallOp)] for function in functions}
    failing = {each.sym_name.data for each in functions if any(isinstance(op, cf.AssertOp) for op in each.walk())}
    while more := {name for name, made in calls.items() if _callees(made) & failing} - failing:
        failing |= more
    return Relations(frozenset(failing), _shared(functions, calls))


def _callees(calls: Sequence[CallOp]) -> set[str]:
    return {each.callee.string_value() for each in calls}


def _shared(functions: Sequence[FuncOp], calls: Mapping[str, Sequence[CallOp]]) -> Mapping[SSAValue, SSAValue]:
    """Repeated, for what a function is called with it may call others with."""
    by_name = {function.sym_name.data: function for function in functions}
    shared: dict[SSAValue, SSAValue] = {}
    changed = True
    while changed:
        changed = False
        for each in (call for made in calls.values() for call in made):
            callee = by_name[each.callee.string_value()]
            for one, other in _overlapping(each, shared):
                changed = _join(callee.body.block.args[one], callee.body.block.args[other], shared) or changed
    return shared


def _overlapping(call: CallOp, shared: Mapping[SSAValue, SSAValue]) -> list[tuple[int, int]]:
    """The places of operands that may have memory in common."""
    memrefs = [
        (place, pieces_of(operand, shared))
        for place, operand in enumerate(call.arguments)
        if isinstance(operand.type, MemRefType)
    ]
    return [(i, j) for at, (i, one) in enumerate(memrefs) for j, other in memrefs[:at] if overlap(one, other)]


def _join(one: SSAValue, other: SSAValue, shared: dict[SSAValue, SSAValue]) -> bool:
    """Note that two arguments may have memory in common; whether that is news."""
    first, second = shared.setdefault(one, one), shared.setdefault(other, other)
    for argument, representative in shared.items():
        if representative is second:
            shared[argument] = first
    return first is not second
