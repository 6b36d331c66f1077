"""cpu: bundles that IREE compiled, run by its runtime on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlx_passes.bundle.folder import Bundle
from rlx_passes.bundle.manifest import Call, Entry, TensorSpec
from rlx_passes.core.dtypes import numpy_dtype
from rlx_passes.core.errors import RunError
from rlx_passes.runtime.program import Program

Array = NDArray[Any]

INSTALL = "pip install rlx-dialect[cpu]"
THREADS, IN_ORDER = "local-task", "local-sync"
"""The drivers of IREE: for all code, and for code that says `in_order`."""

ASSERTED = "FAILED_PRECONDITION; "
"""After it IREE gives the text of an assertion in the code that does not hold."""

ALIGNMENT = 64
"""Of memory that compiled code may read where it lies."""

ELEMENTS = {
    "f32": "FLOAT_32",
    "f16": "FLOAT_16",
    "bf16": "BFLOAT_16",
    "f64": "FLOAT_64",
    "f8e4m3fn": "FLOAT_8_E4M3_FN",
    "f8e5m2": "FLOAT_8_E5M2",
    "i8": "INT_8",
    "i16": "INT_16",
    "i32": "INT_32",
    "i64": "INT_64",
    "ui8": "INT_8",
    "ui16": "INT_16",
    "ui32": "INT_32",
    "ui64": "INT_64",
    "i1": "BOOL_8",
    "c64": "COMPLEX_64",
    "c128": "COMPLEX_128",
}
"""By RLX dtype: IREE's element type of it. Compiled code knows integers without a sign."""


class CpuProgram(Program):
    """
    One entry of a cpu bundle.

    Paramsand prepared values stay in buffers from `load` on. Inputs are not copied if IREE can use their memory.
    """

    def __init__(self, bundle: Bundle, entry: Entry) -> None:
        super().__init__(bundle, entry)
        self._iree = _iree()
        self._device = _device(IN_ORDER if entry.code.get("in_order") else THREADS)
        self._module = self._load_code(bundle, str(entry.code.get("file", "")))
        self._main = self._function(entry.code.get("main"))
        self._dtypes = [numpy_dtype(spec.dtype) for spec in entry.outputs]
        self._kept: dict[tuple[str, str], Any] = {}
        self._specs = {("input", spec.name): spec for spec in entry.inputs}
        self._specs |= {("param", spec.name): spec for spec in entry.params}

    def _load_code(self, bundle: Bundle, file: str) -> Any:
        try:
            module = self._iree.VmModule.mmap(_instance(), str(bundle.file(file)))
            hal = self._iree.create_hal_module(_instance(), self._device)
            self._context = self._iree.VmContext(_instance(), [hal, module])
        except (RuntimeError, ValueError) as error:
            raise RunError(f"{bundle.path}: IREE cannot load '{file}': {_first_line(error)}") from error
        return module

    def _function(self, name: object) -> Any:
        found = self._module.lookup_function(str(name))
        if found is None:
            raise RunError(f"{self.bundle.path}: the code has no function '{name}', which the manifest names")
        return found

    def _prepare(self, params: Mapping[str, Array]) -> None:
        self._kept = {
            ("param", name): self._view(self._specs["param", name], value, keep=True) for name, value in params.items()
        }
        call = self.entry.prepare
        if call is None:
            return
        results = self._invoke(self._function(self.entry.code.get("prepare")), self._arguments(call, {}))
        for i, name in enumerate(call.results):
            self._kept["prepared", name] = results.get_as_object(i, self._iree.HalBufferView)
        # A param that only prepare reads is not needed again.
        read = set(self.entry.call.arguments)
        self._kept = {key: view for key, view in self._kept.items() if key in read}

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        results = self._invoke(self._main, self._arguments(self.entry.call, inputs))
        return [self._array(results, i) for i in range(len(self._dtypes))]

    def _arguments(self, call: Call, inputs: Mapping[str, Array]) -> Any:
        arguments = self._iree.VmVariantList(len(call.arguments))
        for role, name in call.arguments:
            if role == "input":
                arguments.push_ref(self._view(self._specs[role, name], inputs[name]))
            else:
                arguments.push_ref(self._kept[role, name])
        return arguments

    def _invoke(self, function: Any, arguments: Any) -> Any:
        results = self._iree.VmVariantList(len(self._dtypes))
        try:
            self._context.invoke(function, arguments, results)
        except (RuntimeError, ValueError, LookupError, MemoryError) as error:
            raise RunError(f"{self._title} failed: {_told(error)}") from error
        return results

    def _view(self, spec: TensorSpec, array: Array, *, keep: bool = False) -> Any:
        """A buffer view of `array`: its own memory if that is aligned, a copy for a value that is kept or is not."""
        iree = self._iree
        element = int(getattr(iree.HalElementType, ELEMENTS[spec.dtype]))
        memory = int(iree.MemoryType.DEVICE_LOCAL | iree.MemoryType.HOST_VISIBLE)
        usage = int(iree.BufferUsage.DEFAULT | iree.BufferUsage.MAPPING)
        flat = array.reshape(-1).view(np.uint8)
        if not keep and flat.size and flat.ctypes.data % ALIGNMENT == 0 and array.flags.writeable:
            buffer = self._device.allocator.import_host_allocation(flat, memory, usage)
        else:
            buffer = self._device.allocator.allocate_buffer_copy(memory, usage, self._device, flat)
        return iree.HalBufferView(buffer, array.shape, element)

    def _array(self, results: Any, i: int) -> Array:
        """A copy of result `i`."""
        dtype = self._dtypes[i]
        view = results.get_as_object(i, self._iree.HalBufferView)
        shape = tuple(view.shape)
        if 0 in shape:
            return np.zeros(shape, dtype)
        raw = view.map().asarray([view.byte_length], np.dtype(np.uint8))
        return raw.copy().view(dtype).reshape(shape)


@cache
def _iree() -> Any:
    """The runtime package."""
    try:
        import iree.runtime
    except ImportError as error:
        raise RunError(f"the Python package 'iree.runtime' is needed to run a cpu bundle: {INSTALL}") from error
    return iree.runtime


@cache
def _instance() -> Any:
    return _iree().VmInstance()


@cache
def _device(driver: str) -> Any:
    """The CPU device, one for all programs of a driver: its threads are shared."""
    return _iree().get_device(driver)


def _told(error: Exception) -> str:
    """What IREE says, or the code where it looked at sizes itself."""
    line = _first_line(error)
    return line.partition(ASSERTED)[2].rstrip("; ") or line


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
