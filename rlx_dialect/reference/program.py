"""The few ops of other dialects in RLX programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.arith import AddiOp, ConstantOp, DivUIOp, IndexCastOp, MaxSIOp, MinSIOp, MuliOp, SubiOp
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr
from xdsl.dialects.tensor import DimOp, ExtractOp, FromElementsOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.constants import array_of
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.shapes import of_type


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

    @impl(AddiOp)
    def add(self, interpreter: Interpreter, op: AddiOp, args: tuple[Any, ...]):
        return (args[0] + args[1],)

    @impl(SubiOp)
    def sub(self, interpreter: Interpreter, op: SubiOp, args: tuple[Any, ...]):
        return (args[0] - args[1],)

    @impl(MuliOp)
    def mul(self, interpreter: Interpreter, op: MuliOp, args: tuple[Any, ...]):
        return (args[0] * args[1],)

    @impl(DivUIOp)
    def div(self, interpreter: Interpreter, op: DivUIOp, args: tuple[Any, ...]):
        return (args[0] // args[1],)

    @impl(MaxSIOp)
    def larger(self, interpreter: Interpreter, op: MaxSIOp, args: tuple[Any, ...]):
        return (max(args),)

    @impl(MinSIOp)
    def smaller(self, interpreter: Interpreter, op: MinSIOp, args: tuple[Any, ...]):
        return (min(args),)

    @impl(IndexCastOp)
    def index_cast(self, interpreter: Interpreter, op: IndexCastOp, args: tuple[Any, ...]):
        return (int(args[0]) if isinstance(op.result.type, IndexType) else args[0],)

    @impl(ExtractOp)
    def extract(self, interpreter: Interpreter, op: ExtractOp, args: tuple[Any, ...]):
        return (args[0][args[1:]],)

    @impl(FromElementsOp)
    def from_elements(self, interpreter: Interpreter, op: FromElementsOp, args: tuple[Any, ...]):
        dims, element = of_type(op.result.type)
        return (np.array(args, numpy_dtype(element)).reshape(dims),)
