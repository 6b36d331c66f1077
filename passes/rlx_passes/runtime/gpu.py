"""Running a launch plan: what all GPU runtimes share. A device only has to allocate, copy and launch."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from rlx_passes.bundle.folder import Bundle
from rlx_passes.bundle.launch_plan import Plan
from rlx_passes.bundle.manifest import Call, Entry, TensorSpec
from rlx_passes.core.dtypes import numpy_dtype
from rlx_passes.core.errors import BundleError
from rlx_passes.runtime.program import Array, Program

BufferT = TypeVar("BufferT")


class Device(Protocol[BufferT]):
    """A GPU or a substitute for one. A buffer may be a part of another."""

    def allocate(self, size: int) -> BufferT:
        """A buffer of `size` bytes."""
        ...

    def part(self, buffer: BufferT, offset: int, size: int) -> BufferT:
        """The `size` bytes of `buffer` from `offset`, the same memory."""
        ...

    def write(self, buffer: BufferT, data: bytes) -> None:
        """Fill the start of `buffer`."""
        ...

    def read(self, buffer: BufferT, size: int) -> bytes:
        """The first `size` bytes of `buffer`, after all launches so far."""
        ...

    def launch(
        self, steps: Sequence[tuple[str, tuple[int, int, int], tuple[int, int, int], Sequence[BufferT]]]
    ) -> None:
        """Run kernels in order, each after the one before is done: name, grid, block, buffers."""
        ...


class GpuProgram(Program, Generic[BufferT]):
    """A program that is a launch plan; a backend opens the device with the bundle's code."""

    def __init__(self, bundle: Bundle, entry: Entry) -> None:
        super().__init__(bundle, entry)
        code = entry.code
        where = f"{bundle.path}: entry '{entry.name}'"
        self.plan = Plan.from_json(code.get("plan"), where)
        prepare = code.get("prepare_plan")
        self.prepare_plan = Plan.from_json(prepare, where) if prepare is not None else None
        if (entry.prepare is None) != (self.prepare_plan is None):
            raise BundleError(f"{where} has a prepare call or a prepare plan without the other")
        self.storage: Mapping[str, str] = code.get("storage", {})
        constants = code.get("constants")
        self._constants = bundle.read(constants) if constants is not None else b""
        self._files: Mapping[str, bytes] = {name: bundle.read(name) for name in code.get("files", ())}
        self._fixed: dict[tuple[str, str], BufferT] = {}
        self._runner: _Runner[BufferT] | None = None

    @cached_property
    def device(self) -> Device[BufferT]:
        """Opened when params are loaded, so that a program can be made where no such device is."""
        return self._open(self._files)

    @abstractmethod
    def _open(self, files: Mapping[str, bytes]) -> Device[BufferT]:
        """The device, with the kernels in `files` loaded."""

    def _prepare(self, params: Mapping[str, Array]) -> None:
        specs = {spec.name: spec for spec in self.entry.params}
        for name, array in params.items():
            self._fixed["param", name] = self._upload(array, specs[name])
        if self.entry.prepare is not None and self.prepare_plan is not None:
            runner = self._new_runner(self.prepare_plan, self.entry.prepare)
            runner.run()
            for name, buffer in zip(self.entry.prepare.results, runner.results, strict=True):
                self._fixed["prepared", name] = buffer
        self._runner = self._new_runner(self.plan, self.entry.call)

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        if self._runner is None:
            raise BundleError(f"entry '{self.entry.name}' was not loaded")
        for spec in self.entry.inputs:
            if (buffer := self._runner.inputs.get(spec.name)) is not None:
                self.device.write(buffer, self._stored(inputs[spec.name], spec).tobytes())
        self._runner.run()
        return [
            self._download(buffer, spec) for buffer, spec in zip(self._runner.results, self.entry.outputs, strict=True)
        ]

    def _new_runner(self, plan: Plan, call: Call) -> "_Runner[BufferT]":
        return _Runner(self.device, plan, call, self._fixed, self._constants)

    def _stored(self, array: Array, spec: TensorSpec) -> Array:
        """`array` in the type that buffers hold."""
        stored = array.astype(numpy_dtype(self.storage.get(spec.dtype, spec.dtype)), copy=False)
        return stored if stored.size else np.zeros(4, np.uint8)

    def _upload(self, array: Array, spec: TensorSpec) -> BufferT:
        data = self._stored(array, spec).tobytes()
        buffer = self.device.allocate(max(4, len(data)))
        self.device.write(buffer, data)
        return buffer

    def _download(self, buffer: BufferT, spec: TensorSpec) -> Array:
        dtype: np.dtype[Any] = numpy_dtype(self.storage.get(spec.dtype, spec.dtype))
        shape = tuple(size or 0 for size in spec.shape)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        data = self.device.read(buffer, size) if size else b""
        return np.frombuffer(data, dtype).reshape(shape).astype(numpy_dtype(spec.dtype))


class _Runner(Generic[BufferT]):
    """A plan with its buffers allocated once; every run reuses them."""

    def __init__(
        self,
        device: Device[BufferT],
        plan: Plan,
        call: Call,
        fixed: Mapping[tuple[str, str], BufferT],
        constants: bytes,
    ) -> None:
        self.inputs: dict[str, BufferT] = {}
        self._device = device
        arena = device.allocate(plan.arena) if plan.arena else None
        pool = device.allocate(len(constants)) if any(each.kind == "constant" for each in plan.buffers) else None
        if pool is not None:
            device.write(pool, constants)
        buffers: list[BufferT] = []
        for each in plan.buffers:
            if each.kind == "argument":
                if each.place >= len(call.arguments):
                    raise BundleError(f"the launch plan has an argument {each.place} that its call lacks")
                role, name = call.arguments[each.place]
                if role == "input":
                    self.inputs[name] = device.allocate(each.size)
                buffers.append(self.inputs[name] if role == "input" else fixed[role, name])
            elif each.kind == "temporary" and arena is not None:
                buffers.append(device.part(arena, each.place, each.size))
            elif each.kind == "constant" and pool is not None:
                if each.place + each.size > max(4, len(constants)):
                    raise BundleError("a constant of the launch plan lies outside of the constants file")
                buffers.append(device.part(pool, each.place, each.size))
            else:
                buffers.append(device.allocate(each.size))
        self._steps = [
            (step.kernel, step.grid, step.block, [buffers[number] for number in step.buffers]) for step in plan.launches
        ]
        self.results = [buffers[number] for number in plan.results]

    def run(self) -> None:
        """Launch every step."""
        if self._steps:
            self._device.launch(self._steps)
