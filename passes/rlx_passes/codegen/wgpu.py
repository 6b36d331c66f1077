"""wgpu: kernels to one SPIR-V module, read by wgpu's naga."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from rlx_passes.codegen.gpu import gpu_bundle
from rlx_passes.codegen.naga import rewrite_for_naga
from rlx_passes.codegen.spirv import spirv_module
from rlx_passes.policy.fusion_target import FusionTarget

CHIPS = ("vulkan",)
SPIRV = "kernels.spv"


def emit_kernels(kernels: ModuleOp, _: str) -> Mapping[str, bytes]:
    """The file for `kernels`, a module with one `gpu.module`, which is used up."""
    rewrite_for_naga(kernels)
    return {SPIRV: spirv_module(kernels)}


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> Mapping[str, bytes]:
    """The bundle of a module that `convert-rlx-to-gpu` has lowered: one SPIR-V module. Raises as `gpu_bundle` does."""
    return gpu_bundle(module, target, chip, emit_kernels, CHIPS)
