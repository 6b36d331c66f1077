"""The pass `convert-rlx-to-mlx`."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker, RewritePattern

from rlx_passes.codegen.errors import CodegenError
from rlx_passes.lowering.forms import LoweringPass
from rlx_passes.lowering.to_mlx import attention, contraction, elementwise, fused, normalization, reduction, shape
from rlx_passes.lowering.to_mlx.pattern import ToMlx

PATTERNS: tuple[RewritePattern, ...] = (
    *elementwise.PATTERNS,
    *contraction.PATTERNS,
    *normalization.PATTERNS,
    *attention.PATTERNS,
    *reduction.PATTERNS,
    *shape.PATTERNS,
    *fused.PATTERNS,
)


@dataclass(frozen=True)
class ConvertRlxToMlxPass(LoweringPass):
    """
    Every op of the rlx dialect as calls of MLX functions. Other ops stay as they are.

    Raises `CodegenError` for an op that has neither a lowering nor a plain form.
    """

    name = "convert-rlx-to-mlx"

    @classmethod
    def forms(cls) -> frozenset[type[Operation]]:
        return frozenset(pattern.root for pattern in PATTERNS if isinstance(pattern, ToMlx))

    @classmethod
    def lowers(cls) -> frozenset[type[Operation]]:
        return super().lowers() - fused.LOOPS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(GreedyRewritePatternApplier(list(PATTERNS))).rewrite_module(op)
        left = next((inner for inner in op.walk() if _is_program(inner)), None)
        if left is not None:
            raise CodegenError(f"'{left.name}' has no MLX form")


def _is_program(op: Operation) -> bool:
    return op.name.startswith("rlx.") and op.name != "rlx.artifact"
