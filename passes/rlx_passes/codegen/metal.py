"""Metal: kernels to Metal source by way of SPIR-V and spirv-cross, one file a kernel."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from rlx_passes.codegen.chips import known_chip
from rlx_passes.codegen.gpu_text import parse_kernels
from rlx_passes.codegen.spirv import kernel_functions, spirv_module
from rlx_passes.codegen.toolchain import SPIRV_CROSS, run

CHIPS = ("metal2.0", "metal2.4", "metal3.0")
_NOTE = b"// Compile with fast math off (-fno-fast-math): the kernels rely on infinities, NaN and exact rounding.\n"


def emit(text: str, chip: str) -> Mapping[str, bytes]:
    """The files for the kernels in `text`, a module with one `gpu.module`; `chip` is the language version."""
    known_chip("metal", chip, CHIPS)
    major, minor = chip.removeprefix("metal").split(".")
    module = parse_kernels(text)
    names = [kernel.sym_name.data for kernel in kernel_functions(module)]
    code = spirv_module(module)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernels.spv"
        source.write_bytes(code)
        options = ("--msl", "--msl-version", str(int(major) * 10000 + int(minor) * 100), "--msl-decoration-binding")
        return {
            f"{name}.metal": _NOTE + run(SPIRV_CROSS, (source, *options, "--entry", name, "--stage", "comp"))
            for name in names
        }
