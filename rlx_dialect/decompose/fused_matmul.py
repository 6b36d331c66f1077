"""Fused products, and products of three matrices, in plain ops."""

from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import (
    BiMapOp,
    CastOp,
    FusedMatMulBiasActOp,
    FusedMatMulResidualOp,
    FusedSwiGLUOp,
    LoraMatMulOp,
    NarrowOp,
    TransposeOp,
)
from rlx_dialect.shapes import shaped


@plain_form(FusedMatMulBiasActOp, fused=True)
def matmul_bias_act(op: FusedMatMulBiasActOp) -> Decomposition:
    to = Plain()
    biased = to.matmul(op.lhs, op.rhs, op.bias, op.accumulate)
    return to.done(biased if (activation := op.epilogue) is None else to.activated(activation, biased))


@plain_form(FusedMatMulResidualOp, fused=True)
def matmul_residual(op: FusedMatMulResidualOp) -> Decomposition:
    to = Plain()
    return to.done(to.plus(to.matmul(op.lhs, op.rhs, accumulate=op.accumulate), op.residual))


@plain_form(FusedSwiGLUOp, fused=True)
def swiglu(op: FusedSwiGLUOp) -> Decomposition:
    to = Plain()
    axis = shaped(op.input).rank - 1
    length = shaped(op.result).dims[-1]
    first, second = (to.add(NarrowOp(op.input, axis=axis, start=start, length=length)).result for start in (0, length))
    up, gate = (first, second) if op.gate_first is None else (second, first)
    product = to.times(up, to.activated(op.activation, gate))
    return to.done(product if op.cast_to is None else to.add(CastOp(product, op.cast_to)).result)


@plain_form(LoraMatMulOp, fused=True)
def lora_matmul(op: LoraMatMulOp) -> Decomposition:
    to = Plain()
    product = to.matmul(op.input, op.weight, accumulate=op.accumulate)
    down = to.matmul(op.input, op.down, accumulate=op.accumulate)
    update = to.matmul(down, op.up, accumulate=op.accumulate)
    return to.done(to.plus(product, to.times(update, to.scalar(op.scale.value.data, op.input))))


@plain_form(BiMapOp)
def bi_map(op: BiMapOp) -> Decomposition:
    to = Plain()
    value, weight = to.widened(op.input), to.widened(op.weight)
    turned = to.add(TransposeOp(weight, [1, 0])).result
    return to.done(to.narrowed(to.matmul(to.matmul(weight, value), turned), op.result))
