"""Attention blocks and encoder layers as pieces of random programs."""

from pieces_common import EPSILONS, biased, dims_of
from random_programs import Program, truth
from xdsl.ir import OpResult, SSAValue

from rlx_dialect.attributes import Activation, AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionOp, LayerNormOp, MatMulOp, NarrowOp


def attention_block(p: Program) -> None:
    batch, sequence, heads, head = p.pick(1, 2), p.pick(3, 4, 70 if p.chance(0.1) else 3), p.pick(1, 2), p.pick(2, 4)
    hidden = p.argument((batch, sequence, heads * head))
    kv_heads = 1 if p.chance(0.15) else heads
    v_head = head if p.chance(0.9) else 2
    widths = (heads * head, kv_heads * head, kv_heads * v_head)
    p.keep(hidden)

    def project(x: SSAValue, width: int, bias: bool) -> OpResult:
        value = p.emit(MatMulOp(x, p.argument((dims_of(x)[-1], width))))
        p.maybe_read(value, probability=0.02)
        return p.add(value, p.argument((width,))) if bias else value

    with_bias = p.chance(0.7)
    if p.chance(0.7):
        packed = project(hidden, sum(widths), with_bias)
        starts = (0, widths[0], widths[0] + widths[1])
        order = (0, 1, 2) if p.chance(0.9) or len(set(widths)) > 1 else (1, 0, 2)
        parts = [p.emit(NarrowOp(packed, axis=2, start=starts[i], length=widths[i])) for i in order]
        p.maybe_read(*parts, probability=0.02)
    else:
        parts = [project(hidden, width, with_bias) for width in widths]
    mask, kind = None, None
    if p.chance(0.6):
        kind = p.one_of((MaskKind.KEYS, MaskKind.KEYS, MaskKind.BIAS))
        mask = truth(p, (batch, sequence)) if kind is MaskKind.KEYS else p.argument((1, 1, sequence, sequence))
    config = AttentionConfig.make(
        heads,
        head,
        kv_heads=kv_heads,
        v_head_dim=v_head,
        scale=None if p.chance(0.8) else 0.3,
        causal_offset=0 if p.chance(0.2) else None,
        softcap=2.0 if p.chance(0.1) else None,
        masked_rows=p.one_of((MaskedRows.UNIFORM, MaskedRows.ZERO)),
    )
    query, key, value = parts
    attended = p.emit(AttentionOp(query, key, value, config, layout=AttentionLayout.BSM, mask=mask, mask_kind=kind))
    p.maybe_read(attended, probability=0.03)
    out = project(attended, heads * head, with_bias if p.chance(0.95) else not with_bias)
    p.keep(out)
    if p.chance(0.7):
        encoder_tail(p, out, hidden)


def encoder_tail(p: Program, attended: SSAValue, hidden: SSAValue) -> None:
    """The residual norms and products that make a transformer layer of an attention block."""
    width = dims_of(hidden)[-1]

    def normed(value: SSAValue, residual: SSAValue) -> OpResult:
        total = p.add(value, residual)
        p.maybe_read(total, probability=0.05)
        return p.emit(LayerNormOp(total, p.argument((width,)), p.argument((width,)), epsilon=p.one_of(EPSILONS)))

    first = normed(attended, hidden)
    inner = biased(p, first, 4)
    inner = p.activation(inner, Activation.GELU, Activation.GELU, Activation.SILU, Activation.SIN)
    outer = p.emit(MatMulOp(inner, p.argument((4, width))))
    p.keep(normed(p.add(outer, p.argument((width,))), first if p.chance(0.95) else hidden))
