"""cpu, native: linalg on tensors to an object file, by this project's own passes and LLVM."""

from __future__ import annotations

import re
from functools import partial
from hashlib import sha256
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, MemRefType, ModuleOp, StringAttr, SymbolRefAttr

from rlx_passes.bundle.manifest import MANIFEST, Manifest
from rlx_passes.codegen.c_header import HEADER, Compiled, c_header
from rlx_passes.codegen.entries import entry_specs, prepare_name, with_code, written_of
from rlx_passes.codegen.llvm_ir import llvm_ir
from rlx_passes.codegen.llvm_object import Machine, converts_half, has_fma, machine_of, object_code
from rlx_passes.codegen.native_runtime import runtime_object
from rlx_passes.codegen.portable import CODE, PORTABLE, RUNTIME, portable
from rlx_passes.lowerings.to_llvm.convert import ASSERTIONS, RlxConvertToLlvmPass
from rlx_passes.lowerings.to_loops.bufferize import bufferize
from rlx_passes.lowerings.to_loops.expand_math import expand
from rlx_passes.lowerings.to_loops.flatten_convolutions import flatten
from rlx_passes.lowerings.to_loops.fuse_elementwise import fuse
from rlx_passes.lowerings.to_loops.linalg_to_loops import to_loops
from rlx_passes.lowerings.to_loops.outline_rounds import outline
from rlx_passes.lowerings.to_loops.pack_products import pack
from rlx_passes.lowerings.to_loops.parallelize import parallelize
from rlx_passes.lowerings.to_loops.plan_buffers import ARENA, plan
from rlx_passes.lowerings.to_loops.unswitch_loops import unswitch
from rlx_passes.pipeline.chip import nearest
from rlx_passes.policy.fusion_target import FusionTarget

_LEVELS = {
    "x86-64-v2": ("cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"),
}
"""What each level of x86-64 has beyond the one before it."""

PREFIX = "rlx_run_"
"""Of the symbols of entries, so that none is `main`."""


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> dict[str, bytes]:
    """
    The files of a bundle for a module of linalg functions over tensors: the object file with all functions, that with
    threads and memory, and a header for C.

    `chip` is `host`, `portable` for a file of each level, or what `object_code` takes. Raises `ToolMissing` without the
    Python package llvmlite, `Refusal` for an op that a pass has no form for, `CodegenError` for an unknown chip.
    """
    if chip == PORTABLE:
        return portable(partial(emit, module, target), machine_of("host").triple)
    work = module.clone()
    lower(work, chip)
    entries = entry_specs(work)
    lowered = {op.sym_name.data: op for op in work.ops if isinstance(op, func.FuncOp)}
    prepares = {name: prepare_name(op) for name, op in lowered.items()}
    written = {entry.name: written_of(lowered[entry.name]) for entry in entries}
    arenas = {name: _arena(op) for name, op in lowered.items()}
    symbols = _renamed(work)
    RlxConvertToLlvmPass(half=converts_half(chip), fma=has_fma(chip)).apply(Context(), work)
    assertions = cast("ArrayAttr[StringAttr]", work.attributes.get(ASSERTIONS, ArrayAttr([])))
    told = [text.data for text in assertions]

    functions = {name: Compiled(symbol, arenas[name]) for name, symbol in symbols.items()}
    compiled = [(entry, functions[entry.name], functions.get(prepares[entry.name] or "")) for entry in entries]
    code = object_code(llvm_ir(work), chip)
    machine = machine_of(chip)
    digest = sha256(code).hexdigest()
    done = [
        with_code(
            entry,
            {
                "file": CODE,
                "sha256": digest,
                "triple": machine.triple,
                "needs": _needs(machine),
                "main": main._asdict(),
                "prepare": prepare._asdict() if prepare is not None else None,
                "written": written[entry.name],
                "assertions": told,
            },
        )
        for entry, main, prepare in compiled
    ]
    return {
        MANIFEST: Manifest(target.name, chip, "", tuple(done)).to_json().encode(),
        CODE: code,
        RUNTIME: runtime_object(machine.triple),
        HEADER: c_header(compiled, written, told).encode(),
    }


def lower(module: ModuleOp, chip: str) -> None:
    """From linalg on tensors to loops over memory, in place, by what the passes of these names do."""
    fuse(module)
    bufferize(module)
    flatten(module)
    parallelize(module)
    pack(module, nearest(chip))
    outline(module)
    expand(module)
    to_loops(module, nearest(chip))
    unswitch(module)
    plan(module)


def _needs(machine: Machine) -> list[str]:
    """What a processor has to have, in LLVM's words, so far as the name of the chip says it."""
    if machine.features:
        return sorted(each[1:] for each in machine.features.split(",") if each.startswith("+"))
    level = list(_LEVELS).index(machine.cpu) if machine.cpu in _LEVELS else -1
    return [feature for features in list(_LEVELS.values())[: level + 1] for feature in features]


def _renamed(module: ModuleOp) -> dict[str, str]:
    """The symbols of functions by their names before: words of C that are no one else's."""
    symbols: dict[str, str] = {}
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    for op in functions:
        name = op.sym_name.data
        word = PREFIX + re.sub(r"\W", "_", name, flags=re.ASCII)
        while word in symbols.values():
            word += "_"
        symbols[name] = word
        op.sym_name = StringAttr(word)
    for op in functions:
        for each in op.walk():
            if isinstance(each, func.CallOp):
                each.properties["callee"] = SymbolRefAttr(symbols[each.callee.string_value()])
    return symbols


def _arena(function: func.FuncOp) -> int:
    """The bytes of memory that a function takes as its last argument."""
    given = list(function.arg_attrs or ())
    last = function.function_type.inputs.data[-1:]
    if not given or ARENA not in given[-1].data or not isinstance(last[0], MemRefType):
        return 0
    return last[0].get_shape()[0]
