"""ROCm: kernels to a code object (HSACO) by LLVM's AMDGPU backend, assembler and linker; ROCm itself is not needed."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from rlx_passes.codegen.gpu import gpu_bundle
from rlx_passes.codegen.gpu_binary import CLEAN, assembly, device_library
from rlx_passes.core.errors import CodegenError
from rlx_passes.core.toolchain import ELF, LD_LLD, LLVM_MC, checked, run, run_to_file
from rlx_passes.policy.fusion_target import FusionTarget

CHIPS = (
    "gfx900",
    "gfx906",
    "gfx908",
    "gfx90a",
    "gfx942",
    "gfx950",
    "gfx1030",
    "gfx1100",
    "gfx1101",
    "gfx1102",
    "gfx1151",
    "gfx1200",
    "gfx1201",
)
"""The chips that are known: CDNA first, then RDNA."""

HSACO = "kernels.hsaco"


def emit_kernels(kernels: ModuleOp, chip: str) -> Mapping[str, bytes]:
    """The file for `kernels`, a module with one `gpu.module`, on `chip`."""
    with tempfile.TemporaryDirectory() as folder:
        return {HSACO: _emit(kernels, chip, Path(folder))}


def _emit(kernels: ModuleOp, chip: str, folder: Path) -> bytes:
    library = folder / "amdgcn" / "bitcode" / "ocml.bc"  # where a ROCm toolkit has it; the text form is read as well
    library.parent.mkdir(parents=True)
    library.write_bytes(device_library("ocml.ll"))
    convert = (
        "gpu.module(convert-scf-to-cf,convert-gpu-to-rocdl"
        f"{{use-bare-ptr-memref-call-conv=true chipset={chip} runtime=HIP "
        f"index-bitwidth=32}},reconcile-unrealized-casts)"
    )
    pipeline = (
        f"{CLEAN},rocdl-attach-target{{chip={chip} O=3}},{convert},gpu-module-to-binary{{format=isa toolkit={folder}}}"
    )
    source, code = folder / "kernels.o", folder / HSACO
    isa = assembly(kernels, pipeline)
    assembled = run(LLVM_MC, ("-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-filetype=obj"), isa.encode())
    source.write_bytes(checked(LLVM_MC, assembled, ELF))
    try:
        return run_to_file(LD_LLD, ("-shared", "--no-undefined", source, "-o", code), code, ELF)
    except CodegenError as error:
        raise CodegenError(f"the kernels cannot be linked for {chip}: {error}") from error


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> Mapping[str, bytes]:
    """The bundle of a module that `convert-rlx-to-gpu` has lowered: one code object. Raises as `gpu_bundle` does."""
    return gpu_bundle(module, target, chip, emit_kernels, CHIPS)
