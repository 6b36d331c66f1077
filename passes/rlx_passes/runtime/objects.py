"""Object files in this process: linked by LLVM, all of them with one pool of threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from rlx_passes.codegen.native_runtime import SYMBOLS, runtime_object
from rlx_passes.core.errors import RunError

INSTALL = "pip install rlx-dialect[cpu]"


class Code:
    """An object file, ready to be called. Its functions live as long as it does."""

    _known: ClassVar[WeakValueDictionary[bytes, Code]] = WeakValueDictionary()

    @classmethod
    def of(cls, data: bytes, where: str) -> Code:
        """That of `data`, of which all programs of a bundle have one."""
        digest = sha256(data).digest()
        if (code := cls._known.get(digest)) is None:
            code = cls._known[digest] = cls(data, where)
        return code

    def __init__(self, data: bytes, where: str) -> None:
        llvm = _llvm()
        runtime()
        self._where = where
        self._engine = _linked(llvm, data, where)

    def address(self, symbol: str) -> int:
        """Where a function is. Raises `RunError` if the file has none of that name."""
        found: int = self._engine.get_function_address(symbol)
        if not found:
            raise RunError(f"{self._where} has no function '{symbol}', which the manifest names")
        return found


@cache
def runtime() -> Mapping[str, int]:
    """Where the functions of the runtime are that all programs share, by name."""
    llvm = _llvm()
    engine = _linked(llvm, runtime_object(llvm.get_default_triple()), "the runtime of native programs")
    found = {symbol: int(engine.get_function_address(symbol)) for symbol in SYMBOLS}
    engine.detach()  # never closed: threads are in its code until the process ends
    for symbol, address in found.items():
        llvm.add_symbol(symbol, address)
    return found


@cache
def _llvm() -> Any:
    """LLVM, for this machine."""
    try:
        import llvmlite.binding as llvm
    except ImportError as error:
        raise RunError(f"the Python package 'llvmlite' is needed to run a native cpu bundle: {INSTALL}") from error
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def misfit(triple: str, needs: Iterable[str]) -> str:
    """Why code for a system and a processor that has `needs` does not run here; empty where it does."""
    llvm = _llvm()
    here = llvm.get_process_triple()
    if _system(triple) != _system(here):
        return f"it was compiled for {triple}, and this is {here}"
    features = llvm.get_host_cpu_features()
    lacking = [each for each in needs if not features.get(each)]
    return f"it was compiled for a processor with {', '.join(lacking)}, which this one lacks" if lacking else ""


def _system(triple: str) -> tuple[str, str]:
    """Processor family and operating system."""
    family, _, rest = triple.partition("-")
    system = next((word for word in ("linux", "darwin", "windows") if word in rest), rest)
    return {"arm64": "aarch64", "amd64": "x86_64"}.get(family, family), system


def _linked(llvm: Any, data: bytes, where: str) -> Any:
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    try:
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()
    except (RuntimeError, ValueError) as error:
        raise RunError(f"{where} cannot be loaded: {str(error).partition(chr(10))[0]}") from error
    return engine
