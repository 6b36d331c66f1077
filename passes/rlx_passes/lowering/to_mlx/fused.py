"""Fused ops: those that MLX has calls for, and the plain form of the others. Narrower floats are rounded at the end only."""

from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr, f64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import (
    AdaLayerNormOp,
    FusedMatMulBiasActOp,
    FusedMatMulResidualOp,
    FusedResidualLNOp,
    FusedResidualNormOp,
    FusedResidualRmsNormOp,
    FusedSwiGLUOp,
    GatedResidualOp,
    ScanBackwardOp,
    ScanBackwardXsOp,
)
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.lowering.to_mlx.calls import Calls, is_integer, sum_element, wide_element
from rlx_passes.lowering.to_mlx.contraction import matmul, product_element
from rlx_passes.lowering.to_mlx.elementwise import activate
from rlx_passes.lowering.to_mlx.normalization import Norm, layer_norm, rms_norm
from rlx_passes.lowering.to_mlx.pattern import ToMlx


def add_matmul(calls: Calls, op: FusedMatMulBiasActOp | FusedMatMulResidualOp, addend: SSAValue) -> SSAValue:
    """`lhs @ rhs + addend` in one call, or in two for integers and for empty sums of products, which `mx.addmm` does not take."""
    to = shaped(op.result)
    if is_integer(to.element) or shaped(op.lhs).dims[-1] == 0:
        return calls.call("mx.add", matmul(calls, op.lhs, op.rhs, to, op.accumulate), addend, to=to)
    wide = Shaped(to.dims, product_element(to.element, op.accumulate))
    operands = [calls.astype(operand, wide.element) for operand in (addend, op.lhs, op.rhs)]
    return calls.astype(calls.call("mx.addmm", *operands, to=wide), to.element)


class LowerFusedMatMulBiasAct(ToMlx[FusedMatMulBiasActOp]):
    """`mx.addmm`, then the activation."""

    root = FusedMatMulBiasActOp

    def lower(self, op: FusedMatMulBiasActOp, calls: Calls) -> Sequence[SSAValue]:
        value = add_matmul(calls, op, op.bias)
        return (value if op.epilogue is None else activate(calls, op.epilogue, value),)


class LowerFusedMatMulResidual(ToMlx[FusedMatMulResidualOp]):
    """`mx.addmm`."""

    root = FusedMatMulResidualOp

    def lower(self, op: FusedMatMulResidualOp, calls: Calls) -> Sequence[SSAValue]:
        return (add_matmul(calls, op, op.residual),)


class LowerResidualNorm(ToMlx[FusedResidualNormOp]):
    """The sum, and the norm of it."""

    norm: Norm

    def lower(self, op: FusedResidualNormOp, calls: Calls) -> Sequence[SSAValue]:
        to = shaped(op.result)
        wide = Shaped(to.dims, wide_element(to.element))
        addends = [op.input, op.residual] if op.bias is None else [op.input, op.residual, op.bias]
        total, *rest = (calls.astype(addend, wide.element) for addend in addends)
        for addend in rest:
            total = calls.call("mx.add", total, addend, to=wide)
        normed = type(self).norm(calls, total, op.gamma, op.beta, op.epsilon.value.data, op.accumulate)
        results = (normed,) if op.sum is None else (normed, total)
        return tuple(calls.astype(result, to.element) for result in results)


class LowerFusedResidualLN(LowerResidualNorm):
    root = FusedResidualLNOp
    norm = layer_norm


class LowerFusedResidualRmsNorm(LowerResidualNorm):
    root = FusedResidualRmsNormOp
    norm = rms_norm


class LowerAdaLayerNorm(ToMlx[AdaLayerNormOp]):
    """The norm without gain and shift, then the modulation."""

    root = AdaLayerNormOp

    def lower(self, op: AdaLayerNormOp, calls: Calls) -> Sequence[SSAValue]:
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
        return (calls.astype(calls.call("mx.add", scaled, shift, to=wide), to.element),)


class LowerGatedResidual(ToMlx[GatedResidualOp]):
    root = GatedResidualOp

    def lower(self, op: GatedResidualOp, calls: Calls) -> Sequence[SSAValue]:
        to = shaped(op.result)
        wide = Shaped(to.dims, wide_element(to.element))
        value, update, gate = (calls.astype(operand, wide.element) for operand in (op.input, op.update, op.gate))
        gated = calls.call("mx.multiply", gate, update, to=wide)
        return (calls.astype(calls.call("mx.add", value, gated, to=wide), to.element),)


class LowerFusedSwiGLU(ToMlx[FusedSwiGLUOp]):
    root = FusedSwiGLUOp

    def lower(self, op: FusedSwiGLUOp, calls: Calls) -> Sequence[SSAValue]:
        to, packed = shaped(op.result), shaped(op.input)
        wide = Shaped(to.dims, wide_element(packed.element))
        axis, length = packed.rank - 1, to.dims[-1]
        halves = [calls.slice(op.input, axis, start, length) for start in (0, length)]
        up, gate = (calls.astype(half, wide.element) for half in (halves if op.gate_first is None else halves[::-1]))
        product = calls.call("mx.multiply", up, calls.call("lib.silu", gate, to=wide), to=wide)
        return (calls.astype(product, to.element),)


LOOPS: frozenset[type[Operation]] = frozenset((ScanBackwardOp, ScanBackwardXsOp))
"""Composite ops that stand for a loop, which has no form here."""


class Decompose(RewritePattern):
    """Any other composite op becomes the plain ops it stands for, which are lowered in their turn."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if type(op) not in LOOPS and (plain := decompose(op)) is not None:
            rewriter.replace(op, plain.ops, plain.results)


PATTERNS = (
    LowerFusedMatMulBiasAct(),
    LowerFusedMatMulResidual(),
    LowerFusedResidualLN(),
    LowerFusedResidualRmsNorm(),
    LowerAdaLayerNorm(),
    LowerGatedResidual(),
    LowerFusedSwiGLU(),
    Decompose(),
)
