"""Fused convolutions in plain ops."""

from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import ConvOp, FusedConvBiasActOp
from rlx_dialect.shape_rules.windows import channel_axis
from rlx_dialect.shapes import shaped


@plain_form(FusedConvBiasActOp, fused=True)
def conv_bias_act(op: FusedConvBiasActOp) -> Decomposition:
    to = Plain()
    config, rank = op.config, shaped(op.result).rank
    value = to.add(ConvOp(op.input, op.weight, config)).result
    if op.bias is not None:
        value = to.plus(value, to.along(op.bias, channel_axis(config.layout, rank), rank))
    if op.residual is not None:
        value = to.plus(value, op.residual)
    return to.done(value if (activation := op.epilogue) is None else to.activated(activation, value))
