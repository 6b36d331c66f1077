"""Running a launch plan: what all GPU runtimes share. A device only has to allocate, copy and launch."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from rlx_dialect.dims import Atom, Dim, Size, Symbol, substituted
from rlx_dialect.relations import size_name
from rlx_passes.bundle.folder import Bundle
from rlx_passes.bundle.launch_plan import BranchStep, CheckStep, LaunchStep, LetStep, LoopStep, Plan, ReadStep, Step
from rlx_passes.bundle.manifest import Call, Entry, Role, TensorSpec
from rlx_passes.core.dtypes import numpy_dtype
from rlx_passes.core.errors import BundleError, RunError
from rlx_passes.runtime.program import Array, Program

BufferT = TypeVar("BufferT")

LARGEST = 2**31 - 1
"""Kernels compute places in 32 bits."""
AT_ONCE = 1024
"""Launches that a device is given together."""


@dataclass(frozen=True, eq=False)
class Launch(Generic[BufferT]):
    """A launch that is ready: `buffers` in the order of the kernel's arguments, then `sizes`. Equal to itself alone."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    buffers: Sequence[BufferT]
    sizes: Sequence[int]


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

    def launch(self, steps: Sequence[Launch[BufferT]]) -> None:
        """Run kernels in order, each after the one before is done."""
        ...


class GpuProgram(Program, Generic[BufferT]):
    """A program that is a launch plan; a backend opens the device with the bundle's code."""

    def __init__(self, bundle: Bundle, entry: Entry) -> None:
        super().__init__(bundle, entry)
        code = entry.code
        where = f"{bundle.path}: entry '{entry.name}'"
        known = entry.size_names()
        self.plan = Plan.from_json(code.get("plan"), where, known | _names("prepared", entry.prepared))
        prepare = code.get("prepare_plan")
        self.prepare_plan = Plan.from_json(prepare, where, known) if prepare is not None else None
        if (entry.prepare is None) != (self.prepare_plan is None):
            raise BundleError(f"{where} has a prepare call or a prepare plan without the other")
        self.storage: Mapping[str, str] = code.get("storage", {})
        constants = code.get("constants")
        self._constants = bundle.read(constants) if constants is not None else b""
        self._files: Mapping[str, bytes] = {name: bundle.read(name) for name in code.get("files", ())}
        self._fixed: dict[tuple[str, str], BufferT] = {}
        self._known: dict[str, int] = {}
        self._sizes: Mapping[str, int] | None = None
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
        self._known = {}
        self._runner = None
        for name, array in params.items():
            self._fixed["param", name] = self._upload(array, specs[name])
            self._note("param", name, array.shape)
        if self.entry.prepare is not None and self.prepare_plan is not None:
            runner = self._new_runner(self.prepare_plan, self.entry.prepare, self._known)
            runner.run()
            shapes = {spec.name: spec.shape for spec in self.entry.prepared}
            for i, name in enumerate(self.entry.prepare.results):
                self._fixed["prepared", name] = runner.result(i)
                self._note("prepared", name, runner.shape(i, shapes[name]))
        if self._names <= self._known.keys():
            self._runner_for({})

    def _note(self, role: Role, name: str, shape: Sequence[int]) -> None:
        self._known |= {size_name(role, name, axis): size for axis, size in enumerate(shape)}

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        runner = self._runner_for(inputs)
        for spec in self.entry.inputs:
            if (buffer := runner.inputs.get(spec.name)) is not None:
                self.device.write(buffer, self._stored(inputs[spec.name], spec).tobytes())
        runner.run()
        return [
            self._download(runner.result(i), spec, runner.shape(i, spec.shape))
            for i, spec in enumerate(self.entry.outputs)
        ]

    def _runner_for(self, inputs: Mapping[str, Array]) -> "_Runner[BufferT]":
        """The plan with buffers for these inputs; those of the last call if no size has changed."""
        given = {size_name("input", name, i): n for name, a in inputs.items() for i, n in enumerate(a.shape)}
        sizes = {name: size for name, size in {**self._known, **given}.items() if name in self._names}
        if self._runner is None or sizes != self._sizes:
            self._runner, self._sizes = None, sizes  # before memory for others is taken
            self._runner = self._new_runner(self.plan, self.entry.call, sizes)
        return self._runner

    @cached_property
    def _names(self) -> frozenset[str]:
        return self.plan.names()

    @cached_property
    def _pool(self) -> BufferT:
        """The constants."""
        pool = self.device.allocate(max(4, len(self._constants)))
        self.device.write(pool, self._constants)
        return pool

    def _new_runner(self, plan: Plan, call: Call, sizes: Mapping[str, int]) -> "_Runner[BufferT]":
        where = f"entry '{self.entry.name}'"
        try:
            fixed = plan.at(sizes)
        except ArithmeticError as error:
            raise RunError(f"{where} cannot run with these sizes: {error}") from error
        fixed.check_memory(where)
        return _Runner(self.device, fixed, *self._buffers(fixed, call), where)

    def _buffers(self, plan: Plan, call: Call) -> tuple[dict[str, BufferT], list[BufferT | None]]:
        """The inputs by name, and all buffers, None for one whose size a run finds out."""
        device, inputs, buffers = self.device, dict[str, BufferT](), list[BufferT | None]()
        arena = device.allocate(number_of(plan.arena)) if plan.arena else None
        for each in plan.buffers:
            if isinstance(each.size, Dim):
                buffers.append(None)
                continue
            place, size = number_of(each.place), each.size
            if each.kind == "argument":
                if place >= len(call.arguments):
                    raise BundleError(f"the launch plan has an argument {place} that its call lacks")
                role, name = call.arguments[place]
                if role == "input":
                    inputs[name] = device.allocate(size)
                buffers.append(inputs[name] if role == "input" else self._fixed[role, name])
            elif each.kind == "temporary" and arena is not None:
                buffers.append(device.part(arena, place, size))
            elif each.kind == "constant":
                if place + size > max(4, len(self._constants)):
                    raise BundleError("a constant of the launch plan lies outside of the constants file")
                buffers.append(device.part(self._pool, place, size))
            else:
                buffers.append(device.allocate(size))
        return inputs, buffers

    def _stored(self, array: Array, spec: TensorSpec) -> Array:
        """`array` in the type that buffers hold."""
        stored = array.astype(numpy_dtype(self.storage.get(spec.dtype, spec.dtype)), copy=False)
        return stored if stored.size else np.zeros(4, np.uint8)

    def _upload(self, array: Array, spec: TensorSpec) -> BufferT:
        data = self._stored(array, spec).tobytes()
        buffer = self.device.allocate(max(8, len(data)))
        self.device.write(buffer, data)
        return buffer

    def _download(self, buffer: BufferT, spec: TensorSpec, shape: Sequence[int]) -> Array:
        dtype: np.dtype[Any] = numpy_dtype(self.storage.get(spec.dtype, spec.dtype))
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        data = self.device.read(buffer, size) if size else b""
        return np.frombuffer(data, dtype).reshape(shape).astype(numpy_dtype(spec.dtype))


def _names(role: Role, specs: Sequence[TensorSpec]) -> frozenset[str]:
    return frozenset(size_name(role, spec.name, axis) for spec in specs for axis in range(len(spec.shape)))


def number_of(size: Size) -> int:
    """A size that is known by now."""
    if isinstance(size, Dim):
        raise BundleError(f"nothing says {size}, of which the launch plan speaks")
    return size


class _Runner(Generic[BufferT]):
    """A plan for known sizes with its buffers; every run reuses them, but for those whose sizes it finds out."""

    def __init__(
        self,
        device: Device[BufferT],
        plan: Plan,
        inputs: dict[str, BufferT],
        buffers: Sequence[BufferT | None],
        where: str,
    ) -> None:
        self.inputs, self._buffers = inputs, buffers
        self._own: dict[int, tuple[int, BufferT]] = {}
        self._device, self._plan, self._where = device, plan, where
        self._known: dict[Atom, Size] = {}
        self._ready: dict[int, Launch[BufferT]] = {}
        self._waiting: list[Launch[BufferT]] = []

    def result(self, i: int) -> BufferT:
        """The buffer of result `i`."""
        return self._buffer(self._plan.results[i])

    def shape(self, i: int, declared: Sequence[int | None]) -> tuple[int, ...]:
        """The shape of result `i`, of which `declared` is known before a run."""
        return tuple(map(self._at, self._plan.shapes[i] if self._plan.shapes else [size or 0 for size in declared]))

    def run(self) -> None:
        """Do every step."""
        self._own, self._known, self._waiting = {}, {}, []
        try:
            self._do(self._plan.launches)
        except ArithmeticError as error:
            raise RunError(f"{self._where} cannot run with these sizes: {error}") from error
        self._flush()

    def _at(self, size: Size) -> int:
        return size if isinstance(size, int) else number_of(substituted(size, self._known))

    def _buffer(self, number: int) -> BufferT:
        if (buffer := self._buffers[number]) is not None:
            return buffer
        size = self._at(self._plan.buffers[number].size)
        if number not in self._own or self._own[number][0] != size:
            self._own[number] = size, self._device.allocate(size)
        return self._own[number][1]

    def _do(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case LaunchStep():
                    self._launch(step)
                case LoopStep():
                    self._loop(step)
                case BranchStep():
                    self._do(step.then if self._element(step.condition, "i32") else step.otherwise)
                case LetStep():
                    self._known[Symbol(step.name)] = self._at(step.size)
                case ReadStep():
                    self._known[Symbol(step.name)] = self._element(step.buffer, step.dtype)
                case CheckStep():
                    if fault := step.relation.fault(self._known):
                        raise RunError(f"{self._where}: {step.message.partition(':')[0]}: {fault}")

    def _loop(self, loop: LoopStep) -> None:
        most = None if loop.rounds is None else self._at(loop.rounds)
        done = 0
        while most is None or done < most:
            self._known[Symbol(loop.name)] = done
            self._do(loop.before)
            if loop.condition is not None and not self._element(loop.condition, "i32"):
                return
            self._do(loop.body)
            done += 1

    def _launch(self, step: LaunchStep) -> None:
        launch = self._ready.get(id(step))
        if launch is None:
            (x, y, z), sizes = map(self._at, step.grid), [self._at(size) for size in step.sizes]
            if max(sizes, default=0) > LARGEST:
                raise RunError(f"{self._where}: '{step.kernel}' cannot reach more than {LARGEST} elements")
            launch = Launch(step.kernel, (x, y, z), step.block, [self._buffer(n) for n in step.buffers], sizes)
            fixed = not any(isinstance(size, Dim) for size in (*step.grid, *step.sizes))
            if fixed and all(self._buffers[n] is not None for n in step.buffers):
                self._ready[id(step)] = launch
        if min(launch.grid) > 0:
            self._waiting.append(launch)
        if len(self._waiting) == AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._device.launch(self._waiting)
            self._waiting = []

    def _element(self, buffer: int, dtype: str) -> int:
        """What a buffer of one element holds, after all launches so far."""
        self._flush()
        type_ = numpy_dtype(dtype)
        return int(np.frombuffer(self._device.read(self._buffer(buffer), type_.itemsize), type_)[0])
