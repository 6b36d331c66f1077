"""Fused ops: those that MLX has a call for, and the plain form of the others."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from rlx_dialect.decompose import decompose
from rlx_dialect.ops import FusedMatMulBiasActOp, FusedResidualLNOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.lowering.to_mlx.calls import Calls, is_integer, wide_element
from rlx_passes.lowering.to_mlx.contraction import matmul, product_element
from rlx_passes.lowering.to_mlx.elementwise import activate
from rlx_passes.lowering.to_mlx.normalization import layer_norm
from rlx_passes.lowering.to_mlx.pattern import ToMlx


class LowerFusedMatMulBiasAct(ToMlx[FusedMatMulBiasActOp]):
    """`mx.addmm`, then the activation."""

    root = FusedMatMulBiasActOp

    def lower(self, op: FusedMatMulBiasActOp, calls: Calls) -> Sequence[SSAValue]:
        to = shaped(op.result)
        if is_integer(to.element):
            product = matmul(calls, op.lhs, op.rhs, to, op.accumulate)
            value = calls.call("mx.add", product, op.bias, to=to)
        else:
            wide = Shaped(to.dims, product_element(to.element, op.accumulate))
            operands = [calls.astype(operand, wide.element) for operand in (op.bias, op.lhs, op.rhs)]
            value = calls.astype(calls.call("mx.addmm", *operands, to=wide), to.element)
        return (value if op.epilogue is None else activate(calls, op.epilogue, value),)


class LowerFusedResidualLN(ToMlx[FusedResidualLNOp]):
    """The sum, in f32 for narrower floats, and `mx.fast.layer_norm` of it."""

    root = FusedResidualLNOp

    def lower(self, op: FusedResidualLNOp, calls: Calls) -> Sequence[SSAValue]:
        to = shaped(op.result)
        wide = Shaped(to.dims, wide_element(to.element))
        addends = [op.input, op.residual] if op.bias is None else [op.input, op.residual, op.bias]
        total, *rest = (calls.astype(addend, wide.element) for addend in addends)
        for addend in rest:
            total = calls.call("mx.add", total, addend, to=wide)
        normed = calls.astype(
            layer_norm(calls, total, op.gamma, op.beta, op.epsilon.value.data, op.accumulate), to.element
        )
        return (normed,) if op.sum is None else (normed, calls.astype(total, to.element))


class Decompose(RewritePattern):
    """Any other fused op becomes the plain ops it stands for, which are lowered in their turn."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if (plain := decompose(op)) is not None:
            rewriter.replace(op, plain.ops, plain.results)


PATTERNS = (LowerFusedMatMulBiasAct(), LowerFusedResidualLN(), Decompose())
