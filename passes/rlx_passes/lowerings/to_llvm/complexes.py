"""Rules of `complex`: a complex number is its two parts."""

from typing import Any, cast

from xdsl.dialects import complex as complex_
from xdsl.dialects import llvm
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from rlx_passes.lowerings.to_llvm.arithmetic import flags_of
from rlx_passes.lowerings.to_llvm.lowering import Lowering, Rule

_Pair = tuple[SSAValue, SSAValue]


def _pair(low: Lowering, value: SSAValue) -> _Pair:
    return cast("_Pair", low.of(value))


def _constant(low: Lowering, op: complex_.ConstantOp) -> None:
    real, imaginary = (low.code.constant(each, cast("FloatAttr[Any]", each).type) for each in op.value.data)
    low.set(op.complex, (real, imaginary))


def _create(low: Lowering, op: complex_.CreateOp) -> None:
    low.set(op.complex, (low.ssa(op.real), low.ssa(op.imaginary)))


def _part(place: int) -> Rule:
    return lambda low, op: low.set(op.results[0], _pair(low, op.operands[0])[place])


def _each(target: type[Operation]) -> Rule:
    def rule(low: Lowering, op: Operation) -> None:
        left, right = (_pair(low, operand) for operand in op.operands)
        real, imaginary = (low.code.float_binary(target, x, y, flags_of(op)) for x, y in zip(left, right))
        low.set(op.results[0], (real, imaginary))

    return rule


RULES: dict[type[Operation], Rule] = {
    complex_.ConstantOp: _constant,
    complex_.CreateOp: _create,
    complex_.ReOp: _part(0),
    complex_.ImOp: _part(1),
    complex_.AddOp: _each(llvm.FAddOp),
    complex_.SubOp: _each(llvm.FSubOp),
}
