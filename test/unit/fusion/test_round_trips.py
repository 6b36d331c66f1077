"""
Over the programs of the lit files: unfusing gives the plain program back, and fusing that again the fused one.

Programs are compared by what their functions return, as expressions: names, the order of independent ops and that of
operands that commute do not count.
"""

from collections.abc import Sequence

import pytest
from lit_cases import LitCase, lit_cases
from programs import context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from rlx_dialect.attributes import COMMUTATIVE, BinaryKind
from rlx_dialect.ops import BinaryOp
from rlx_dialect.ops.base import i64_attr
from rlx_dialect.shapes import shaped
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.fusion.fuse_ada_layer_norm import FuseAdaLayerNormPass
from rlx_passes.fusion.fuse_attention_block import FuseAttentionBlockPass
from rlx_passes.fusion.fuse_conv_affine_act import FuseConvAffineActPass
from rlx_passes.fusion.fuse_conv_bias_act import FuseConvBiasActPass
from rlx_passes.fusion.fuse_gated_residual import FuseGatedResidualPass
from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass
from rlx_passes.fusion.fuse_residual_rms_norm import FuseResidualRmsNormPass
from rlx_passes.fusion.fuse_rms_norm_reshape import FuseRmsNormReshapePass
from rlx_passes.fusion.fuse_shared_input_matmul import FuseSharedInputMatMulPass
from rlx_passes.fusion.fuse_swiglu import FuseSwiGLUPass
from rlx_passes.fusion.fuse_swiglu_dual_matmul import FuseSwiGLUDualMatMulPass
from rlx_passes.fusion.fuse_transformer_layer import FuseTransformerLayerPass
from rlx_passes.raising.canonicalize_broadcasts import CanonicalizeBroadcastsPass
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass

LATER = ("ada_layer_norm", "gated_residual")
FUSE: tuple[ModulePass, ...] = (
    CanonicalizeBroadcastsPass(),
    FuseMatMulBiasActPass(),
    FuseConvBiasActPass(),
    FuseConvAffineActPass(),
    FuseAttentionBlockPass(),
    FuseResidualLNPass(yield_to=LATER),
    FuseResidualRmsNormPass(yield_to=LATER),
    FuseAdaLayerNormPass(),
    FuseGatedResidualPass(),
    FuseRmsNormReshapePass(),
    FuseTransformerLayerPass(),
    FuseSwiGLUDualMatMulPass(),
    FuseSharedInputMatMulPass(yield_to=("attention_block",)),
    FuseSwiGLUPass(),
    DeadCodeEliminationPass(),
)
"""Every fusion that some target claims, in the order of the policy."""

UNFUSE: tuple[ModulePass, ...] = (UnfusePass(), CanonicalizeBroadcastsPass(), DeadCodeEliminationPass())

EXACT = (
    *("fuse_residual_ln", "fuse_residual_rms_norm", "fuse_gated_residual", "fuse_matmul_residual", "fuse_swiglu"),
    "fuse_attention_block",
)
"""The passes, by their lit files, whose fused ops are taken apart into the very ops that they were made of."""

SKIPPED = ("regions", "region_prologue", "batch_preprocess", "control_flow", "must_fuse", "fuse_attention_backward_all")
"""Words in the names of lit files whose ops other passes take apart."""


def file_of(case: LitCase) -> str:
    return case.name.split("/")[-1].split(":")[0]


CASES = [
    case for case in lit_cases("fusion", "expansion", "simplify/dead_code_elimination.mlir") if case.name.endswith(":0")
]


def run(module: ModuleOp, passes: Sequence[ModulePass]) -> ModuleOp:
    for pass_ in passes:
        pass_.apply(context(), module)
    module.verify()
    return module


def meaning(module: ModuleOp) -> dict[str, list[str]]:
    """What each function without regions returns, as expressions over its arguments."""
    return {
        func.sym_name.data: returned(func)
        for func in module.walk()
        if isinstance(func, FuncOp) and not any(op.regions for op in func.body.block.ops)
    }


def returned(func: FuncOp) -> list[str]:
    texts: dict[SSAValue, str] = {argument: f"%{i}" for i, argument in enumerate(func.args)}
    for op in func.body.block.ops:
        operands = [texts[value] for value in op.operands]
        if isinstance(op, BinaryOp) and BinaryKind(op.kind.data) in COMMUTATIVE:
            operands.sort()
        if not op.results:
            return operands
        properties = ", ".join(f"{key}={value}" for key, value in sorted(op.properties.items()))
        for i, result in enumerate(op.results):
            texts[result] = f"{op.name}#{i}<{properties}>({', '.join(operands)})"
    raise AssertionError(f"@{func.sym_name.data} has no terminator")


def from_the_start(module: ModuleOp) -> ModuleOp:
    """Axes counted from the start, as the fused ops' parts have them."""
    for op in module.walk():
        axis = op.properties.get("axis")
        if isinstance(axis, IntegerAttr):
            op.properties["axis"] = i64_attr(axis.value.data % shaped(op.results[0]).rank)
    return module


@pytest.mark.parametrize("case", [case for case in CASES if file_of(case) in EXACT], ids=file_of)
def test_unfusing_gives_the_program_back(case: LitCase):
    plain = run(case.module(), UNFUSE)
    fused = plain.clone()
    case.run(fused)
    assert meaning(from_the_start(run(fused, UNFUSE))) == meaning(from_the_start(plain))


@pytest.mark.parametrize(
    "case", [case for case in CASES if not any(word in file_of(case) for word in SKIPPED)], ids=file_of
)
def test_fusing_again_gives_the_fused_program_back(case: LitCase):
    fused = run(run(case.module(), UNFUSE), FUSE)
    again = run(run(fused.clone(), UNFUSE), FUSE)
    assert meaning(again) == meaning(fused)
