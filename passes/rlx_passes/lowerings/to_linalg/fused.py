"""Fused ops with a better form than their decomposition: intermediate values stay in the accumulate type."""

from collections.abc import Sequence

from xdsl.ir import Attribute

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import FusedAttentionBlockOp, FusedMatMulBiasActOp, FusedResidualLNOp
from rlx_passes.lowerings.to_linalg.attention import attend, mask_of, sides_of
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Tensor
from rlx_passes.lowerings.to_linalg.contraction import accumulate_type, matmul
from rlx_passes.lowerings.to_linalg.elementwise import activation as activate
from rlx_passes.lowerings.to_linalg.normalization import Rows, layer_norm
from rlx_passes.lowerings.to_linalg.scalars import Scalar, computed
from rlx_passes.lowerings.to_linalg.shape import narrow


def _matmul_bias_act(op: FusedMatMulBiasActOp, b: LinalgBuilder) -> Sequence[Tensor]:
    lhs, bias = b.tensor(op.lhs), [] if op.bias is None else [b.tensor(op.bias)]
    product = matmul(b, lhs, b.tensor(op.rhs), accumulate_type(op.accumulate, lhs.element))
    activation = op.epilogue

    def epilogue(x: Scalar, *bias: Scalar) -> Scalar:
        value = x + bias[0].to(x.type) if bias else x
        return value if activation is None else activate(activation, value)

    return [b.elementwise([product, *bias], lhs.element, epilogue)]


def _residual_ln(op: FusedResidualLNOp, b: LinalgBuilder) -> Sequence[Tensor]:
    parts = [b.tensor(value) for value in (op.input, op.residual, op.bias) if value is not None]
    element = parts[0].element

    def add(first: Scalar, *others: Scalar) -> Scalar:
        for other in others:
            first = first + other
        return first

    total = b.elementwise(parts, computed(element), add)
    rows = Rows(b, total, total.rank - 1, accumulate_type(op.accumulate, element))
    normed = b.cast(layer_norm(rows, b.tensor(op.gamma), b.tensor(op.beta), op.epsilon.value.data), element)
    return [normed] if op.sum is None else [normed, b.cast(total, element)]


def _attention_block(op: FusedAttentionBlockOp, b: LinalgBuilder) -> Sequence[Tensor]:
    config, hidden = op.config, b.tensor(op.hidden)
    accumulate = accumulate_type(config.accumulate, hidden.element)

    def projected(x: Tensor, weight: Tensor, bias: Tensor | None, element: Attribute) -> Tensor:
        product = matmul(b, x, weight, accumulate)
        if bias is None:
            return b.cast(product, element)
        return b.elementwise([product, bias], element, lambda x, bias: x + bias.to(x.type))

    packed = projected(hidden, b.tensor(op.qkv_w), b.tensor(op.qkv_b) if op.qkv_b else None, accumulate)
    start, parts = 0, list[Tensor]()
    for width in op.widths:
        parts.append(narrow(b, packed, 2, start, width))
        start += width
    query, key, value = parts
    bsm = AttentionLayout.BSM
    sides = sides_of(b, query, key, value, bsm, config)
    attended = attend(b, sides, config, bsm, mask_of(op, b, op.mask), accumulate, accumulate)
    return [projected(attended, b.tensor(op.out_w), b.tensor(op.out_b) if op.out_b else None, hidden.element)]


LOWERINGS: Lowerings = {
    FusedMatMulBiasActOp: _matmul_bias_act,
    FusedResidualLNOp: _residual_ln,
    FusedAttentionBlockOp: _attention_block,
}
