"""A bundle's files for a GPU target, from a module that `linalg_to_gpu` made."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from xdsl.dialects import arith, func, gpu
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, UnitAttr

from rlx_passes.bundle.manifest import MANIFEST, Manifest
from rlx_passes.codegen.entries import entry_specs, prepare_name, with_code
from rlx_passes.codegen.planning import ConstantsFile, plan_of
from rlx_passes.core.errors import CodegenError, did_you_mean
from rlx_passes.lowerings.to_gpu.storage import storage_names
from rlx_passes.policy.fusion_target import FusionTarget

CONSTANTS = "constants.bin"
LIMIT = 2**31


EmitKernels = Callable[[ModuleOp, str], Mapping[str, bytes]]
"""`(kernels, chip)` to the files for a module that holds one `gpu.module` and is used up."""


def gpu_bundle(
    module: ModuleOp, target: FusionTarget, chip: str, emit_kernels: EmitKernels, chips: Sequence[str]
) -> dict[str, bytes]:
    """
    The files of the bundle, manifest included, for the host functions and kernels of `module`, on one of `chips`.

    `code` of an entry is `{"files", "plan", "prepare_plan", "constants", "storage"}`: `files` name the kernels' code,
    `storage` maps an RLX dtype to the one its buffers hold where that differs. Raises `CodegenError`.
    """
    if chip not in chips:
        known = ", ".join(chips)
        raise CodegenError(f"'{chip}' is no chip known for {target.name}{did_you_mean(chip, chips)} (known: {known})")
    kernels = _kernels(module)
    files = dict(emit_kernels(kernels, chip)) if kernels is not None else {}
    constants = ConstantsFile.of(module)
    code = {
        "files": sorted(files),
        "constants": CONSTANTS if constants.content else None,
        "storage": storage_names(target.required_storage()),
    }
    if constants.content:
        files[CONSTANTS] = bytes(constants.content)

    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    entries = [
        with_code(
            entry,
            {
                **code,
                "plan": plan_of(functions[entry.name], constants).to_json(),
                "prepare_plan": _prepare_plan(functions, functions[entry.name], constants),
            },
        )
        for entry in entry_specs(module)
    ]
    manifest = Manifest(target.name, chip, "", tuple(entries))
    return {MANIFEST: manifest.to_json().encode(), **files}


def _kernels(module: ModuleOp) -> ModuleOp | None:
    """
    A module with a copy of the kernels alone; None when there are none. Raises `CodegenError` for sizes and places
    that their indices, of 32 bits, do not reach.
    """
    kernels = [op.clone() for op in module.ops if isinstance(op, gpu.ModuleOp)]
    for op in (each for kernel in kernels for each in kernel.walk()):
        if isinstance(op, arith.ConstantOp) and isinstance(op.result.type, IndexType):
            number = cast("IntegerAttr[IndexType]", op.value).value.data
            if not -LIMIT <= number < LIMIT:
                raise CodegenError(f"GPU kernels reckon places in 32 bits, and {number} does not fit: use smaller dims")
    return ModuleOp(list(kernels), {"gpu.container_module": UnitAttr()}) if kernels else None


def _prepare_plan(
    functions: Mapping[str, func.FuncOp], function: func.FuncOp, constants: ConstantsFile
) -> Mapping[str, object] | None:
    name = prepare_name(function)
    return plan_of(functions[name], constants).to_json() if name is not None else None
