"""The attention block and the encoder layer, by their own formula; intermediate values are not rounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import SSAValue

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import FusedAttentionBlockOp, FusedTransformerLayerOp
from rlx_dialect.reference.attention import attend, from_bhsd, to_bhsd
from rlx_dialect.reference.elementwise import ACTIVATIONS
from rlx_dialect.reference.normalization import layer_norm
from rlx_dialect.reference.numeric import Array, rounded, wide


def _block(
    op: FusedAttentionBlockOp | FusedTransformerLayerOp,
    hidden: Array,
    weights: tuple[Array, Array],
    biases: tuple[Array, Array],
    mask: Array | None,
) -> Array:
    """All in float64; `weights` and `biases` are those of the first and the second projection."""
    config, bsm = op.config, AttentionLayout.BSM
    q_width, k_width, _ = op.widths
    packed = hidden @ weights[0] + biases[0]
    query, key, value = np.split(packed, (q_width, q_width + k_width), axis=-1)
    attended = attend(
        to_bhsd(query, bsm, config.heads),
        to_bhsd(key, bsm, config.kv_heads),
        to_bhsd(value, bsm, config.kv_heads),
        config,
        mask,
        op.masking,
    )
    return from_bhsd(attended, bsm, hidden.ndim) @ weights[1] + biases[1]


def _taken(operands: Sequence[SSAValue | None], args: Sequence[Array]) -> list[Array]:
    """The argument of each operand in float64; zero for an operand that is absent."""
    values = iter(args)
    return [np.zeros(1) if operand is None else wide(next(values)) for operand in operands]


@register_impls
class FusedAttentionFunctions(InterpreterFunctions):
    @impl(FusedAttentionBlockOp)
    def attention_block(self, interpreter: Interpreter, op: FusedAttentionBlockOp, args: tuple[Any, ...]):
        hidden, qkv_w, out_w, qkv_b, out_b = _taken((op.hidden, op.qkv_w, op.out_w, op.qkv_b, op.out_b), args)
        mask = None if op.mask is None else args[-1]
        return (rounded(_block(op, hidden, (qkv_w, out_w), (qkv_b, out_b), mask), op.result),)

    @impl(FusedTransformerLayerOp)
    def transformer_layer(self, interpreter: Interpreter, op: FusedTransformerLayerOp, args: tuple[Any, ...]):
        order = (
            *(op.hidden, op.qkv_w, op.qkv_b, op.out_w, op.out_b, op.ln1_g, op.ln1_b),
            *(op.fc1_w, op.fc1_b, op.fc2_w, op.fc2_b, op.ln2_g, op.ln2_b),
        )
        hidden, qkv_w, qkv_b, out_w, out_b, ln1_g, ln1_b, fc1_w, fc1_b, fc2_w, fc2_b, ln2_g, ln2_b = _taken(order, args)
        mask = None if op.mask is None else args[-1]
        block = _block(op, hidden, (qkv_w, out_w), (qkv_b, out_b), mask)
        attended = layer_norm(block + hidden, ln1_g, ln1_b, op.epsilon1.value.data)
        fed = ACTIVATIONS[op.epilogue](attended @ fc1_w + fc1_b) @ fc2_w + fc2_b
        return (rounded(layer_norm(fed + attended, ln2_g, ln2_b, op.epsilon2.value.data), op.result),)
