"""StableHLO on XLA's CPU compiler, through a client of its own: JAX's backends and their environment stay untouched."""

import importlib
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from typing import Any

import numpy as np

from rlx_passes.core.errors import RunError
from rlx_passes.runtime.program import Array


@cache
def _jax(name: str) -> Any:
    """The module `name` of JAX, which is imported on first use. Raises `RunError` where JAX is not installed."""
    try:
        # JAX first: it quietens the logs of its libraries.
        importlib.import_module("jax")
        return importlib.import_module(name)
    except ImportError as error:
        raise RunError(
            "running StableHLO needs the Python package 'jax', which is not installed: pip install 'rlx-dialect[tpu]'"
        ) from error


@cache
def _client() -> Any:
    return _jax("jaxlib.xla_client").make_cpu_client()


SPECIALIZED = (
    "builtin.module(func.func(stablehlo-legalize-composite-to-call),inline,"
    "stablehlo-refine-arguments{{types={types}}},stablehlo-refine-shapes,"
    "func.func(stablehlo-canonicalize-dynamism),stablehlo-refine-shapes)"
)
"""StableHLO's own passes that put the sizes of a call in place of those that a program leaves open."""

BY_ELEMENTS = "XLA has no form for a size that elements decide"
BRANCHES = "both branches of an if have to fit, taken or not"
_OF_A_BRANCH = re.compile("branch .* mismatched return types")
_DIAGNOSTIC = re.compile(r'^error: (?:"[^"]*":\d+:\d+: )?(.*)', re.MULTILINE)
_DIMS = re.compile(r"tensor<(\d+(?:x\d+)*)x\w+>")
_OPEN = re.compile(r"tensor<(?:\d+x)*\?")


class XlaFunction:
    """
    The function `main` of a StableHLO module, compiled for this machine: at once, or for each set of sizes that it is
    called with where it leaves some open.

    Raises `RunError` with the compiler's first line for text that it refuses.
    """

    def __init__(self, text: str, title: str) -> None:
        self._text, self._title = text, title
        self._device = _client().local_devices()[0]
        self._executables: dict[tuple[str, ...], Any] = {}
        self._open = False
        with self._faults(), _context():
            module = _jax("jaxlib.mlir.ir").Module.parse(text)
            type = _main(module).type
            self._open = any(not each.has_static_shape for each in (*type.inputs, *type.results))
            if not self._open:
                self._executables[()] = self._compiled(module)

    def __call__(self, arguments: Sequence[Array]) -> list[Array]:
        """The results in order, as arrays that the caller owns."""
        jax = _jax("jax")
        with jax.enable_x64(True):
            placed = [jax.device_put(value, self._device) for value in arguments]
        shards = self._executable(placed).execute_sharded(placed).disassemble_into_single_device_arrays()
        return [np.array(result[0]) for result in shards]

    def _executable(self, arguments: Sequence[Any]) -> Any:
        if not self._open:
            return self._executables[()]
        with self._faults(), _context():
            module = _jax("jaxlib.mlir.ir").Module.parse(self._text)
            types = tuple(_typed(type, value.shape) for type, value in zip(_main(module).type.inputs, arguments))
            if types not in self._executables:
                passes = _jax("jaxlib.mlir.passmanager").PassManager.parse(SPECIALIZED.format(types=",".join(types)))
                passes.run(module.operation)
                if _OPEN.search(str(module)):
                    raise RunError(f"{self._title}: {BY_ELEMENTS}; make it static, or the size of an input")
                self._executables[types] = self._compiled(module)
        return self._executables[types]

    def _compiled(self, module: Any) -> Any:
        xla = _jax("jaxlib.xla_client")
        self._require_memory(str(module))
        return _client().compile_and_load(module, xla.DeviceList((self._device,)), xla.CompileOptions())

    def _require_memory(self, text: str) -> None:
        """XLA ends the process for tensors that no memory holds, also for those that hold nothing beside a long dim."""
        needed = max((prod(int(size) or 1 for size in dims.split("x")) for dims in _DIMS.findall(text)), default=0)
        try:
            np.empty(needed, np.uint8)
        except (MemoryError, ValueError) as error:
            raise RunError(f"{self._title}: no memory holds a tensor of {needed} elements") from error

    @contextmanager
    def _faults(self) -> Generator[None]:
        try:
            yield
        except RunError:
            raise
        except Exception as error:
            if _OF_A_BRANCH.search(str(error)):
                raise RunError(f"{self._title}: {BY_ELEMENTS}, as the branch of an if that is taken here") from error
            branches = f" ({BRANCHES})" if " stablehlo.if" in self._text or '"stablehlo.if"' in self._text else ""
            raise RunError(f"{self._title}: XLA cannot compile it: {_told(error)}{branches}") from error


def _told(error: Exception) -> str:
    """The first line that says what is wrong."""
    text = str(error).strip()
    diagnostic = _DIAGNOSTIC.search(text)
    return diagnostic[1] if diagnostic else text.splitlines()[0]


@cache
def _registered() -> None:
    """StableHLO's passes, which a process takes once."""
    _jax("jaxlib.mlir.dialects.stablehlo").register_stablehlo_passes()


def _context() -> Any:
    _registered()
    return _jax("jax.interpreters.mlir").make_ir_context()


def _main(module: Any) -> Any:
    return next(op for op in module.body.operations if op.attributes["sym_name"].value == "main")


def _typed(type: Any, dims: Sequence[int]) -> str:
    return f"tensor<{''.join(f'{size}x' for size in dims)}{type.element_type}>"
