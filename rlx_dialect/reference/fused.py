"""Fused ops, by their own formula; intermediate values are not rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import FusedAttentionBlockOp, FusedMatMulBiasActOp, FusedResidualLNOp
from rlx_dialect.reference.attention import attend, from_bhsd, to_bhsd
from rlx_dialect.reference.elementwise import ACTIVATIONS
from rlx_dialect.reference.normalization import layer_norm
from rlx_dialect.reference.numeric import rounded, wide


@register_impls
class FusedFunctions(InterpreterFunctions):
    @impl(FusedMatMulBiasActOp)
    def matmul_bias_act(self, interpreter: Interpreter, op: FusedMatMulBiasActOp, args: tuple[Any, ...]):
        lhs, rhs, bias = (wide(x, op.accumulate) for x in args)
        value = lhs @ rhs + bias
        if (activation := op.epilogue) is not None:
            value = ACTIVATIONS[activation](wide(value))
        return (rounded(value, op.result),)

    @impl(FusedResidualLNOp)
    def residual_ln(self, interpreter: Interpreter, op: FusedResidualLNOp, args: tuple[Any, ...]):
        value, residual, gamma, beta, *bias = args
        total = wide(value) + wide(residual) + (wide(bias[0]) if bias else 0)
        normed = rounded(layer_norm(total, gamma, beta, op.epsilon.value.data, op.accumulate), op.result)
        return (normed,) if op.sum is None else (normed, rounded(total, op.sum))

    @impl(FusedAttentionBlockOp)
    def attention_block(self, interpreter: Interpreter, op: FusedAttentionBlockOp, args: tuple[Any, ...]):
        values = iter(args)
        hidden, qkv_w, out_w = (wide(next(values)) for _ in range(3))
        qkv_b, out_b = (wide(next(values)) if bias is not None else 0 for bias in (op.qkv_b, op.out_b))
        mask = next(values, None)
        config, bsm = op.config, AttentionLayout.BSM
        q_width, k_width, _ = op.widths
        query, key, value = np.split(hidden @ qkv_w + qkv_b, (q_width, q_width + k_width), axis=-1)
        attended = attend(
            to_bhsd(query, bsm, config.heads),
            to_bhsd(key, bsm, config.kv_heads),
            to_bhsd(value, bsm, config.kv_heads),
            config,
            mask,
            op.masking,
        )
        return (rounded(from_bhsd(attended, bsm, hidden.ndim) @ out_w + out_b, op.result),)
