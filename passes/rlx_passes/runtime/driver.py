"""GPUs through their vendor's driver library, by ctypes. CUDA's driver API and HIP name the same calls differently."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rlx_passes.core.errors import RunError
from rlx_passes.runtime.gpu import Launch
from rlx_passes.switches.environment import var


@dataclass(frozen=True)
class Driver:
    """
    A driver API: its library (or the one that the environment variable names) and its functions.

    `start` are the functions called first, with the arguments given; `None` stands for a handle that the call fills and
    `HANDLE` for the last one filled.
    """

    title: str
    variable: str
    libraries: tuple[str, ...]
    start: tuple[tuple[str, tuple[object, ...]], ...]
    load: str
    function: str
    allocate: str
    free: str
    to_device: str
    to_host: str
    launch: str
    synchronize: str


HANDLE = object()


@dataclass(frozen=True)
class Memory:
    """A range of device memory; `owner` keeps it allocated."""

    address: int
    owner: "Allocation"


class Allocation:
    """Device memory that is freed when nothing refers to it any more."""

    def __init__(self, library: Any, free: str, address: int) -> None:
        self.address = address
        self._free = getattr(library, free)

    def __del__(self) -> None:
        self._free(ctypes.c_void_p(self.address))


class DriverDevice:
    """The first device of a driver, with the kernels of one code image loaded."""

    def __init__(self, driver: Driver, image: bytes) -> None:
        self._driver = driver
        self._library = _open(driver)
        handle = ctypes.c_void_p()
        for name, arguments in driver.start:
            given: list[Any] = []
            for each in arguments:
                if each is None:
                    handle = ctypes.c_void_p()
                given.append(ctypes.byref(handle) if each is None else handle if each is HANDLE else each)
            self._call(name, *given)
        self._module = ctypes.c_void_p()
        self._functions: dict[str, ctypes.c_void_p] = {}
        # PTX is text and ends in a zero; a binary does not mind one more byte.
        self._image = ctypes.create_string_buffer(image)
        if image:
            self._call(driver.load, ctypes.byref(self._module), self._image)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            raise RunError(f"{self._driver.title}: {name} failed with error {status}")

    def allocate(self, size: int) -> Memory:
        """Device memory."""
        address = ctypes.c_void_p()
        self._call(self._driver.allocate, ctypes.byref(address), ctypes.c_size_t(size))
        value = address.value or 0
        return Memory(value, Allocation(self._library, self._driver.free, value))

    def part(self, buffer: Memory, offset: int, size: int) -> Memory:
        """A range of a buffer."""
        return Memory(buffer.address + offset, buffer.owner)

    def write(self, buffer: Memory, data: bytes) -> None:
        """Copy to the device."""
        if data:
            self._call(self._driver.to_device, ctypes.c_void_p(buffer.address), data, ctypes.c_size_t(len(data)))

    def read(self, buffer: Memory, size: int) -> bytes:
        """Copy from the device."""
        data = ctypes.create_string_buffer(size)
        self._call(self._driver.synchronize)
        self._call(self._driver.to_host, data, ctypes.c_void_p(buffer.address), ctypes.c_size_t(size))
        return data.raw

    def launch(self, steps: Sequence[Launch[Memory]]) -> None:
        """Launch kernels on the default stream, which runs them in order."""
        for step in steps:
            given = [*(ctypes.c_void_p(each.address) for each in step.buffers), *map(ctypes.c_int32, step.sizes)]
            pointers = (ctypes.c_void_p * len(given))(*(ctypes.addressof(each) for each in given))
            sizes = [ctypes.c_uint(each) for each in (*step.grid, *step.block, 0)]
            self._call(self._driver.launch, self._function(step.kernel), *sizes, None, pointers, None)

    def _function(self, kernel: str) -> ctypes.c_void_p:
        if kernel not in self._functions:
            function = ctypes.c_void_p()
            self._call(self._driver.function, ctypes.byref(function), self._module, kernel.encode())
            self._functions[kernel] = function
        return self._functions[kernel]


def _open(driver: Driver) -> ctypes.CDLL:
    named = var(driver.variable)
    for library in (named,) if named else driver.libraries:
        try:
            return ctypes.CDLL(library)
        except OSError:
            continue
    raise RunError(
        f"{driver.title} was not found ({named or ' or '.join(driver.libraries)}): this bundle runs on a machine "
        "with such a "
        f"GPU and its driver; {driver.variable} names the library where it is elsewhere"
    )
