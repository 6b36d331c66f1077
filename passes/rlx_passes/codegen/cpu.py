"""cpu: linalg on tensors to native code by the IREE compiler, one module for all functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp

from rlx_passes.bundle.manifest import MANIFEST, Manifest
from rlx_passes.codegen.branches import branch_on_unknown_sizes
from rlx_passes.codegen.entries import entry_specs, prepare_name, with_code
from rlx_passes.codegen.frames import pad_frames
from rlx_passes.codegen.lent import copy_lent
from rlx_passes.core.errors import CodegenError, ToolMissing
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.arith_machine import CPU
from rlx_passes.lowerings.to_loops.expand_math import expand
from rlx_passes.policy.fusion_target import FusionTarget

CODE = "main.vmfb"
INSTALL = "pip install rlx-dialect[cpu]"

FLAGS = (
    "--iree-opt-level=O3",
    # Of rows whose length is only known at run time, it would put whole ones on the stack, and then refuse to.
    "--iree-dispatch-creation-enable-aggressive-fusion=false",
    "--iree-llvmcpu-stack-allocation-limit=131072",
    # Programs mean what they say: nothing is computed in fewer bits than written.
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
    # Those of sizes that only a run shows.
    "--iree-opt-strip-assertions=false",
)
"""On MiniLM with 128 tokens other optimisation levels were slower, and aggressive fusion made no difference."""


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> Mapping[str, bytes]:
    """
    The bundle of a module that `convert-rlx-to-linalg` has lowered: `main.vmfb`.

    `chip` is a CPU name of LLVM, `generic`, or `host` for the machine that compiles. Raises `ToolMissing` without the
    Python package iree.compiler, `CodegenError` with what IREE says of a module that it cannot compile.
    """
    entries = entry_specs(module)
    framed = module.clone()
    pad_frames(framed)
    copy_lent(framed)
    expand(framed, CPU)
    ordered: Mapping[str, object] = {"in_order": True} if branch_on_unknown_sizes(framed) else {}
    code = compile_linalg(generic_text(framed), chip)
    prepares = {op_name: name for op_name, name in _prepares(module)}
    done = [
        with_code(entry, {"file": CODE, "main": entry.name, "prepare": prepares.get(entry.name), **ordered})
        for entry in entries
    ]
    return {MANIFEST: Manifest(target.name, chip, "", tuple(done)).to_json().encode(), CODE: code}


def compile_linalg(text: str, chip: str, flags: Sequence[str] = ()) -> bytes:
    """The IREE module for MLIR text on `chip`. Raises as `emit` does."""
    try:
        from iree import compiler
    except ImportError as error:
        raise ToolMissing(f"the Python package 'iree.compiler' is needed for target cpu: {INSTALL}") from error
    if not re.fullmatch(r"[A-Za-z0-9_.+-]+", chip):
        raise CodegenError(f"'{chip}' is no name of a CPU; say 'host', 'generic', or one that LLVM knows")
    arguments = [*FLAGS, f"--iree-llvmcpu-target-cpu={chip}", *flags]
    try:
        compile_str = cast("Callable[..., bytes]", compiler.compile_str)  # pyright: ignore[reportUnknownMemberType]
        return compile_str(text, target_backends=["llvm-cpu"], extra_args=arguments)
    except compiler.CompilerToolError as error:
        raise CodegenError(f"IREE cannot compile this module for cpu ({chip}): {_first_lines(str(error))}") from error


def _first_lines(text: str, most: int = 4) -> str:
    """What the compiler said first; its own invocation and the dump of the module are left out."""
    lines = [line.strip() for line in text.partition("Diagnostics:")[2].splitlines() if line.strip()]
    told = [line for line in lines if "error:" in line] or lines
    return "; ".join(line[:300] for line in told[:most]) or "it gave no reason"


def _prepares(module: ModuleOp) -> list[tuple[str, str]]:
    from xdsl.dialects import func

    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    return [(op.sym_name.data, name) for op in functions if (name := prepare_name(op)) is not None]
