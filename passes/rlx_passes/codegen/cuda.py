"""CUDA: kernels to PTX, and to a cubin where ptxas is installed."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from rlx_passes.codegen.gpu import gpu_bundle
from rlx_passes.codegen.gpu_binary import CLEAN, assembly, device_library
from rlx_passes.core.errors import CodegenError
from rlx_passes.core.toolchain import ELF, PTXAS, run, run_to_file
from rlx_passes.policy.fusion_target import FusionTarget

PTX_VERSION = {
    "sm_70": 63,
    "sm_75": 63,
    "sm_80": 70,
    "sm_86": 71,
    "sm_87": 74,
    "sm_89": 78,
    "sm_90": 80,
    "sm_90a": 80,
    "sm_100": 86,
    "sm_100a": 86,
    "sm_120": 87,
}
"""The chips that are known, each with the PTX version that introduced it."""

CHIPS = tuple(PTX_VERSION)

PTX, CUBIN = "kernels.ptx", "kernels.cubin"


def emit_kernels(kernels: ModuleOp, chip: str) -> Mapping[str, bytes]:
    """
    The files for `kernels`, a module with one `gpu.module`, on `chip`.

    Always PTX, which the driver compiles for the device it finds; a cubin for `chip` too where a ptxas knows it.
    """
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "libdevice.ll"
        library.write_bytes(device_library("libdevice.ll"))
        attach = f"nvvm-attach-target{{chip={chip} features=+ptx{PTX_VERSION[chip]} O=3 l={library}}}"
        convert = (
            "gpu.module(convert-scf-to-cf,"
            "convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true index-bitwidth=32},reconcile-unrealized-casts)"
        )
        ptx = assembly(kernels, f"{CLEAN},{attach},{convert},gpu-module-to-binary{{format=isa}}")
        _check_closed(ptx)
        found: dict[str, bytes] = {PTX: ptx.encode()}
        if _ptxas_knows(chip):
            source, cubin = Path(folder) / PTX, Path(folder) / CUBIN
            source.write_bytes(found[PTX])
            found[CUBIN] = run_to_file(PTXAS, (f"-arch={chip}", source, "-o", cubin), cubin, ELF)
    return found


def _ptxas_knows(chip: str) -> bool:
    """Whether there is a ptxas that compiles for `chip`; each release drops the oldest."""
    if PTXAS.find() is None:
        return False
    return f"'{chip}'" in run(PTXAS, ("--help",)).decode("utf-8", "replace")


def _check_closed(ptx: str) -> None:
    """PTX that calls a function nobody defines fails only when it is loaded: say so now."""
    for line in ptx.splitlines():
        if line.startswith(".extern .func"):
            raise CodegenError(f"the kernels call a function that has no device code: {line.strip()}")


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> Mapping[str, bytes]:
    """The bundle of a module lowered to kernels: PTX, and a cubin if ptxas knows the chip. Raises as `gpu_bundle`."""
    return gpu_bundle(module, target, chip, emit_kernels, CHIPS)
