"""wgpu: kernels to one SPIR-V module, read by wgpu's naga."""

from collections.abc import Mapping

from rlx_passes.codegen.chips import known_chip
from rlx_passes.codegen.gpu_text import parse_kernels
from rlx_passes.codegen.spirv import spirv_module
from rlx_passes.codegen.unsigned import make_unsigned

CHIPS = ("vulkan",)
SPIRV = "kernels.spv"


def emit(text: str, chip: str) -> Mapping[str, bytes]:
    """The file for the kernels in `text`, a module with one `gpu.module`."""
    known_chip("wgpu", chip, CHIPS)
    module = parse_kernels(text)
    make_unsigned(module)
    return {SPIRV: spirv_module(module)}
