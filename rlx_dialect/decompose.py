"""
What each fused op stands for, in plain ops. The unfuse passes, lowerings that have nothing better, and verification use this.

A decomposition is exact: it holds the ops that fusion absorbed, with the attributes they had.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import AttentionLayout, BinaryKind
from rlx_dialect.ops import (
    ActivationOp,
    AttentionOp,
    BinaryOp,
    FusedAttentionBlockOp,
    FusedMatMulBiasActOp,
    FusedResidualLNOp,
    LayerNormOp,
    MatMulOp,
    NarrowOp,
)

OpT = TypeVar("OpT", bound=Operation)


class Decomposition(NamedTuple):
    """New ops in order, not yet inserted, and the value that stands for each result of the fused op."""

    ops: Sequence[Operation]
    results: Sequence[SSAValue]


def decompose(op: Operation) -> Decomposition | None:
    """The plain form of a fused op; None for any other op."""
    rule = _RULES.get(type(op))
    return None if rule is None else rule(op)


def _matmul_bias_act(op: FusedMatMulBiasActOp) -> Decomposition:
    product = MatMulOp(op.lhs, op.rhs, accumulate=op.accumulate)
    biased = BinaryOp(BinaryKind.ADD, product.result, op.bias)
    if (activation := op.epilogue) is None:
        return Decomposition((product, biased), (biased.result,))
    activated = ActivationOp(activation, biased.result)
    return Decomposition((product, biased, activated), (activated.result,))


def _residual_ln(op: FusedResidualLNOp) -> Decomposition:
    ops = [BinaryOp(BinaryKind.ADD, op.input, op.residual)]
    if op.bias is not None:
        ops.append(BinaryOp(BinaryKind.ADD, ops[-1].result, op.bias))
    total = ops[-1].result
    norm = LayerNormOp(total, op.gamma, op.beta, epsilon=op.epsilon.value.data, accumulate=op.accumulate)
    return Decomposition((*ops, norm), (norm.result,) if op.sum is None else (norm.result, total))


def _attention_block(op: FusedAttentionBlockOp) -> Decomposition:
    ops: list[Operation] = []

    def add(new: OpT) -> OpT:
        ops.append(new)
        return new

    def project(value: SSAValue, weight: SSAValue, bias: SSAValue | None) -> SSAValue:
        product = add(MatMulOp(value, weight)).result
        return product if bias is None else add(BinaryOp(BinaryKind.ADD, product, bias)).result

    packed = project(op.hidden, op.qkv_w, op.qkv_b)
    starts = (0, op.widths[0], op.widths[0] + op.widths[1])
    query, key, value = (
        add(NarrowOp(packed, axis=2, start=start, length=width)).result for start, width in zip(starts, op.widths)
    )
    attention = add(
        AttentionOp(query, key, value, op.config, layout=AttentionLayout.BSM, mask=op.mask, mask_kind=op.masking)
    )
    result = project(attention.result, op.out_w, op.out_b)
    return Decomposition(ops, (result,))


_RULES: dict[type[Operation], Callable[..., Decomposition]] = {
    FusedMatMulBiasActOp: _matmul_bias_act,
    FusedResidualLNOp: _residual_ln,
    FusedAttentionBlockOp: _attention_block,
}
FUSED_OPS = tuple(_RULES)
"""The ops that `decompose` takes apart."""
