"""wgpu: kernels to one SPIR-V module, read by wgpu's naga."""

from collections.abc import Mapping

from rlx_passes.codegen.chips import known_chip
from rlx_passes.codegen.gpu_text import parse_kernels
from rlx_passes.codegen.spirv import spirv_module

CHIPS = ("vulkan",)
SPIRV = "kernels.spv"


def emit(text: str, chip: str) -> Mapping[str, bytes]:
    """The file for the kernels in `text`, a module with one `gpu.module`."""
    known_chip("wgpu", chip, CHIPS)
    return {SPIRV: spirv_module(parse_kernels(text))}
