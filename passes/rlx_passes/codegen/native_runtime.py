"""The part of compiled programs that gives them memory and threads: LLVM IR, the text beside this file."""

from functools import cache
from pathlib import Path
from typing import Any

TEXT = Path(__file__).with_suffix(".ll")
_SPREAD = TEXT.with_name("native_spread.ll")
_STAYS = "define internal void @spread() {\n  ret void\n}\n"
"""Where no thread can be kept off a processor."""

_PAUSES = {"x86_64": ("llvm.x86.sse2.pause", "", ""), "aarch64": ("llvm.aarch64.hint", "i32", " 1")}
"""By architecture, what lets the other thread of a core go first: the intrinsic, the type and value it takes."""

_PROCESSORS = {"linux": 84, "darwin": 58}
"""By system, the number of `_SC_NPROCESSORS_ONLN`."""


SYMBOLS = ("rlx_parallel", "rlx_threads", "rlx_alloc", "rlx_free")
"""What it gives to compiled code and to who calls it."""


@cache
def runtime_object(triple: str) -> bytes:
    """The object file for any processor of a machine, position independent. LLVM must have that target ready."""
    import llvmlite.binding

    llvm: Any = llvmlite.binding
    machine = llvm.Target.from_triple(triple).create_target_machine(opt=0, reloc="pic")  # atomics are what takes time
    return machine.emit_object(llvm.parse_assembly(runtime_text(triple)))


def runtime_text(triple: str) -> str:
    """
    The module for a machine, such as `x86_64-unknown-linux-gnu`.

    It defines `rlx_parallel(kernel, env, count, grain)`, `rlx_threads(count)`, `rlx_alloc(bytes)` and
    `rlx_free(memory)`. Linux is what a system that is not known is taken for.
    """
    arch, _, rest = triple.partition("-")
    arch = {"arm64": "aarch64", "amd64": "x86_64"}.get(arch, arch)
    apple = any(name in rest for name in ("darwin", "macosx", "apple"))
    processors = _PROCESSORS["darwin" if apple else "linux"]
    spread = _STAYS if apple else _SPREAD.read_text(encoding="utf-8")
    name, type_, value = _PAUSES.get(arch, ("llvm.sideeffect", "", ""))
    return f"""target triple = "{triple}"
{TEXT.read_text(encoding="utf-8")}
{spread}
@processors = internal constant i32 {processors}
declare void @{name}({type_})
define internal void @pause() {{
  call void @{name}({type_}{value})
  ret void
}}
"""
