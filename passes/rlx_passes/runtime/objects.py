"""Object files in this process: linked by LLVM, all of them with one pool of threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from itertools import count
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

    def __init__(self, data: bytes, where: str, symbols: Mapping[str, int] | None = None) -> None:
        """`symbols` are those that the file takes from elsewhere, the runtime's unless told otherwise."""
        self._where = where
        self._library = _linked(data, where, runtime() if symbols is None else symbols)
        self._found: dict[str, Any] = {}

    def address(self, symbol: str) -> int:
        """Where a function is. Raises `RunError` if the file has none of that name."""
        if symbol not in self._found:
            try:
                self._found[symbol] = _jit().lookup(self._library.name, symbol)
            except RuntimeError as error:
                raise RunError(f"{self._where} has no function '{symbol}', which the manifest names") from error
        return int(self._found[symbol][symbol])


@cache
def runtime() -> Mapping[str, int]:
    """Where the functions of the runtime are that all programs share, by name."""
    code = Code(runtime_object(_llvm().get_default_triple()), "the runtime of native programs", {})
    _KEPT.append(code)  # threads are in it until the process ends
    return {symbol: code.address(symbol) for symbol in SYMBOLS}


_KEPT: list[Code] = []
_NUMBERS = count()


@cache
def _jit() -> Any:
    """
    The linker of this process, which ends with it: threads are in its code.

    It reaches memory wherever it lies; LLVM's older one ends the process where sections lie far apart.
    """
    return _llvm().create_lljit_compiler(use_jit_link=True, suppress_errors=True)


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


def _linked(data: bytes, where: str, symbols: Mapping[str, int]) -> Any:
    """What keeps the code of an object file, and knows the name of its library."""
    builder = _llvm().JITLibraryBuilder().add_object_img(data).add_current_process()
    for symbol, address in symbols.items():
        builder.import_symbol(symbol, address)
    try:
        return builder.link(_jit(), f"program {next(_NUMBERS)}")
    except (RuntimeError, ValueError) as error:
        raise RunError(f"{where} cannot be loaded: {str(error).partition(chr(10))[0]}") from error
