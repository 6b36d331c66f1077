"""The attention block and the encoder layer in plain ops."""

from xdsl.ir import SSAValue

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import (
    AttentionOp,
    FusedAttentionBlockOp,
    FusedTransformerLayerOp,
    LayerNormOp,
    NarrowOp,
)


def _block(to: Plain, op: FusedAttentionBlockOp | FusedTransformerLayerOp) -> SSAValue:
    packed = to.matmul(op.hidden, op.qkv_w, op.qkv_b)
    starts = (0, op.widths[0], op.widths[0] + op.widths[1])
    query, key, value = (
        to.add(NarrowOp(packed, axis=2, start=start, length=width)).result for start, width in zip(starts, op.widths)
    )
    attention = to.add(
        AttentionOp(query, key, value, op.config, layout=AttentionLayout.BSM, mask=op.mask, mask_kind=op.masking)
    )
    return to.matmul(attention.result, op.out_w, op.out_b)


@plain_form(FusedAttentionBlockOp, fused=True)
def attention_block(op: FusedAttentionBlockOp) -> Decomposition:
    to = Plain()
    return to.done(_block(to, op))


@plain_form(FusedTransformerLayerOp, fused=True)
def transformer_layer(op: FusedTransformerLayerOp) -> Decomposition:
    to = Plain()
    w = op.weights

    def residual_ln(value: SSAValue, residual: SSAValue, gamma: SSAValue, beta: SSAValue | None, epsilon: float):
        beta = to.row(0.0, gamma, 0) if beta is None else beta
        return to.add(LayerNormOp(to.plus(value, residual), gamma, beta, epsilon=epsilon)).result

    attended = residual_ln(_block(to, op), op.hidden, w.ln1_g, w.ln1_b, op.epsilon1.value.data)
    wide = to.activated(op.epilogue, to.matmul(attended, w.fc1_w, w.fc1_b))
    return to.done(residual_ln(to.matmul(wide, w.fc2_w, w.fc2_b), attended, w.ln2_g, w.ln2_b, op.epsilon2.value.data))
