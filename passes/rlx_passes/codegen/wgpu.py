"""wgpu: kernels to one SPIR-V module, read by wgpu's naga."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from rlx_passes.codegen.chips import known_chip
from rlx_passes.codegen.spirv import spirv_module
from rlx_passes.codegen.unsigned import make_unsigned

CHIPS = ("vulkan",)
SPIRV = "kernels.spv"


def emit(kernels: ModuleOp, chip: str) -> Mapping[str, bytes]:
    """The file for `kernels`, a module with one `gpu.module`, which is used up."""
    known_chip("wgpu", chip, CHIPS)
    make_unsigned(kernels)
    return {SPIRV: spirv_module(kernels)}
