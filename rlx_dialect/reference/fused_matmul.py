"""Fused products, by their own formula; intermediate values are not rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import FusedMatMulBiasActOp, FusedMatMulResidualOp, FusedSwiGLUOp, LoraMatMulOp
from rlx_dialect.reference.elementwise import ACTIVATIONS
from rlx_dialect.reference.numeric import rounded, wide


@register_impls
class FusedMatMulFunctions(InterpreterFunctions):
    @impl(FusedMatMulBiasActOp)
    def matmul_bias_act(self, interpreter: Interpreter, op: FusedMatMulBiasActOp, args: tuple[Any, ...]):
        lhs, rhs, *bias = (wide(x, op.accumulate) for x in args)
        value = lhs @ rhs + bias[0] if bias else lhs @ rhs
        if (activation := op.epilogue) is not None:
            value = ACTIVATIONS[activation](wide(value))
        return (rounded(value, op.result),)

    @impl(FusedMatMulResidualOp)
    def matmul_residual(self, interpreter: Interpreter, op: FusedMatMulResidualOp, args: tuple[Any, ...]):
        lhs, rhs, residual = (wide(x, op.accumulate) for x in args)
        return (rounded(lhs @ rhs + residual, op.result),)

    @impl(FusedSwiGLUOp)
    def swiglu(self, interpreter: Interpreter, op: FusedSwiGLUOp, args: tuple[Any, ...]):
        first, second = np.split(wide(args[0]), 2, axis=-1)
        up, gate = (first, second) if op.gate_first is None else (second, first)
        return (rounded(up * ACTIVATIONS[op.activation](gate), op.result),)

    @impl(LoraMatMulOp)
    def lora_matmul(self, interpreter: Interpreter, op: LoraMatMulOp, args: tuple[Any, ...]):
        value, weight, down, up = (wide(x, op.accumulate) for x in args)
        return (rounded(value @ weight + op.scale.value.data * ((value @ down) @ up), op.result),)
