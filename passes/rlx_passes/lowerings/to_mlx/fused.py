"""Fused ops that MLX has calls for. Narrower floats are rounded at the end only."""

from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr, f64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.ops import (
    AdaLayerNormOp,
    FusedMatMulBiasActOp,
    FusedMatMulResidualOp,
    FusedResidualLNOp,
    FusedResidualNormOp,
    FusedResidualRmsNormOp,
    FusedSwiGLUOp,
    GatedResidualOp,
)
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls, is_integer, sum_element, wide_element
from rlx_passes.lowerings.to_mlx.contraction import matmul, product_element
from rlx_passes.lowerings.to_mlx.elementwise import activate
from rlx_passes.lowerings.to_mlx.normalization import Norm, layer_norm, rms_norm
from rlx_passes.rewriting.conversion import Rules


def add_matmul(calls: Calls, op: FusedMatMulBiasActOp | FusedMatMulResidualOp, addend: SSAValue | None) -> SSAValue:
    """`lhs @ rhs (+ addend)`: one call, but two for integers and empty sums, which `mx.addmm` does not take."""
    to = shaped(op.result)
    if addend is None:
        return matmul(calls, op.lhs, op.rhs, to, op.accumulate)
    if is_integer(to.element) or shaped(op.lhs).dims[-1] == 0:
        return calls.call("mx.add", matmul(calls, op.lhs, op.rhs, to, op.accumulate), addend, to=to)
    wide = Shaped(to.dims, product_element(to.element, op.accumulate))
    operands = [calls.astype(operand, wide.element) for operand in (addend, op.lhs, op.rhs)]
    return calls.astype(calls.call("mx.addmm", *operands, to=wide), to.element)


def _fused_matmul_bias_act(op: FusedMatMulBiasActOp, calls: Calls) -> SSAValue:
    """`mx.addmm`, or `mx.matmul`, then the activation."""
    value = add_matmul(calls, op, op.bias)
    return value if op.epilogue is None else activate(calls, op.epilogue, value)


def _fused_matmul_residual(op: FusedMatMulResidualOp, calls: Calls) -> SSAValue:
    """`mx.addmm`."""
    return add_matmul(calls, op, op.residual)


def _residual_norm(op: FusedResidualNormOp, calls: Calls, norm: Norm) -> Sequence[SSAValue]:
    """The sum, and the norm of it."""
    to = shaped(op.result)
    wide = Shaped(to.dims, wide_element(to.element))
    addends = [op.input, op.residual] if op.bias is None else [op.input, op.residual, op.bias]
    total, *rest = (calls.astype(addend, wide.element) for addend in addends)
    for addend in rest:
        total = calls.call("mx.add", total, addend, to=wide)
    normed = norm(calls, total, op.gamma, op.beta, op.epsilon.value.data, op.accumulate)
    results = (normed,) if op.sum is None else (normed, total)
    return tuple(calls.astype(result, to.element) for result in results)


def _fused_residual_ln(op: FusedResidualLNOp, calls: Calls) -> Sequence[SSAValue]:
    return _residual_norm(op, calls, layer_norm)


def _fused_residual_rms_norm(op: FusedResidualRmsNormOp, calls: Calls) -> Sequence[SSAValue]:
    return _residual_norm(op, calls, rms_norm)


def _ada_layer_norm(op: AdaLayerNormOp, calls: Calls) -> SSAValue:
    """The norm without gain and shift, then the modulation."""
    to = shaped(op.result)
    wide = Shaped(to.dims, sum_element(to.element, op.accumulate))
    value, scale, shift = (calls.astype(operand, wide.element) for operand in (op.input, op.scale, op.shift))
    none: dict[str, UnitAttr] = {"weight": UnitAttr()}
    if op.normalises is AdaNormKind.LAYER_NORM:
        none["bias"] = UnitAttr()
    home = "lib" if wide.element == f64 else "mx.fast"
    normed = calls.call(f"{home}.{op.normalises.value}", value, to=wide, **none, eps=op.epsilon.value.data)
    gain = calls.call("mx.add", calls.scalar(1, wide.element), scale, to=shaped(scale))
    scaled = calls.call("mx.multiply", normed, gain, to=wide)
    return calls.astype(calls.call("mx.add", scaled, shift, to=wide), to.element)


def _gated_residual(op: GatedResidualOp, calls: Calls) -> SSAValue:
    to = shaped(op.result)
    wide = Shaped(to.dims, wide_element(to.element))
    value, update, gate = (calls.astype(operand, wide.element) for operand in (op.input, op.update, op.gate))
    gated = calls.call("mx.multiply", gate, update, to=wide)
    return calls.astype(calls.call("mx.add", value, gated, to=wide), to.element)


def _fused_swiglu(op: FusedSwiGLUOp, calls: Calls) -> SSAValue:
    to, packed = shaped(op.result), shaped(op.input)
    wide = Shaped(to.dims, wide_element(packed.element))
    axis, length = packed.rank - 1, to.dims[-1]
    halves = [calls.slice(op.input, axis, start, length) for start in (0, length)]
    up, gate = (calls.astype(half, wide.element) for half in (halves if op.gate_first is None else halves[::-1]))
    product = calls.call("mx.multiply", up, activate(calls, op.activation, gate), to=wide)
    return calls.astype(product, to.element)


RULES: Rules = {
    FusedMatMulBiasActOp: _fused_matmul_bias_act,
    FusedMatMulResidualOp: _fused_matmul_residual,
    FusedResidualLNOp: _fused_residual_ln,
    FusedResidualRmsNormOp: _fused_residual_rms_norm,
    AdaLayerNormOp: _ada_layer_norm,
    GatedResidualOp: _gated_residual,
    FusedSwiGLUOp: _fused_swiglu,
}
