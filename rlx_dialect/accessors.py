"""Quicker accessors of the operands and results of ops: patterns read little else."""

from collections.abc import Callable
from typing import Any, cast

from xdsl.ir import Operation, SSAValue
from xdsl.irdl.operations import BeforeVariadicSingleAccessor, VarIRConstruct

_nth: Callable[[tuple[SSAValue, ...], int], SSAValue] = cast("Any", tuple).__getitem__
"""Without what xDSL's own tuples do first, which is to ask for slices."""


class _Operand(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Operation, objtype: object = None) -> SSAValue:
        return _nth(obj._operands, self.idx)  # pyright: ignore[reportPrivateUsage]


class _Result(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Operation, objtype: object = None) -> SSAValue:
        return _nth(obj.results, self.idx)


_QUICK = {VarIRConstruct.OPERAND: _Operand, VarIRConstruct.RESULT: _Result}


def quicken(op: type[Operation]) -> None:
    """Have the accessors of a class for single operands and results find the same in a third of xDSL's time."""
    for name, accessor in list(vars(op).items()):
        if type(accessor) is BeforeVariadicSingleAccessor and accessor.construct in _QUICK:
            setattr(op, name, _QUICK[accessor.construct](accessor.construct, accessor.idx))
