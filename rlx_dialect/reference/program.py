"""The few ops of other dialects that RLX programs stand among."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.tensor import DimOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.constants import array_of


@register_impls
class ProgramFunctions(InterpreterFunctions):
    @impl(ConstantOp)
    def constant(self, interpreter: Interpreter, op: ConstantOp, args: tuple[Any, ...]):
        value = op.value
        if isinstance(value, IntegerAttr | FloatAttr):
            return (value.value.data,)
        return (array_of(value),)

    @impl(DimOp)
    def dim(self, interpreter: Interpreter, op: DimOp, args: tuple[Any, ...]):
        return (args[0].shape[int(args[1])],)
