"""Metal: kernels to Metal source by way of SPIR-V and spirv-cross, one file per kernel."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, f64

from rlx_passes.codegen.gpu import gpu_bundle
from rlx_passes.codegen.gpu_binary import kernel_functions
from rlx_passes.codegen.spirv import spirv_module
from rlx_passes.core.errors import CodegenError
from rlx_passes.core.toolchain import SPIRV_CROSS, checked, run
from rlx_passes.policy.fusion_target import FusionTarget

CHIPS = ("metal2.0", "metal2.4", "metal3.0")
_NOTE = b"// Compile with fast math off (-fno-fast-math): the kernels rely on infinities, NaN and exact rounding.\n"


def emit_kernels(kernels: ModuleOp, chip: str) -> Mapping[str, bytes]:
    """The files for `kernels`, a module with one `gpu.module`, which is used up; `chip` is the language version."""
    major, minor = chip.removeprefix("metal").split(".")
    if any(value.type == f64 for op in kernels.walk() for value in op.results):
        raise CodegenError("Metal has no f64: cast to f32, or compile for another target")
    names = [kernel.sym_name.data for kernel in kernel_functions(kernels)]
    code = spirv_module(kernels)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernels.spv"
        source.write_bytes(code)
        options = ("--msl", "--msl-version", str(int(major) * 10000 + int(minor) * 100), "--msl-decoration-binding")
        return {
            f"{name}.metal": _NOTE
            + checked(SPIRV_CROSS, run(SPIRV_CROSS, (source, *options, "--entry", name, "--stage", "comp")), b"#")
            for name in names
        }


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> Mapping[str, bytes]:
    """The bundle of a module lowered to kernels: a Metal source per kernel. Raises as `gpu_bundle` does."""
    return gpu_bundle(module, target, chip, emit_kernels, CHIPS)
