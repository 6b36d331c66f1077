"""Runs wgpu bundles: SPIR-V kernels through wgpu-py, on Vulkan, Metal or D3D12, Mesa's lavapipe included."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from rlx_passes.core.errors import RunError
from rlx_passes.runtime.gpu import GpuProgram, Launch


@dataclass(frozen=True)
class Part:
    """A range of a wgpu buffer."""

    buffer: Any
    offset: int
    size: int


_FEATURES = ("shader-int64", "shader-f64")
_LIMITS = ("max-storage-buffers-per-shader-stage", "max-storage-buffer-binding-size", "max-buffer-size")


class WgpuDevice:
    """A wgpu device with the kernels of one SPIR-V module."""

    def __init__(self, code: bytes) -> None:
        try:
            import wgpu
        except ImportError as error:
            raise RunError("wgpu bundles run through the Python package 'wgpu': pip install wgpu") from error
        self._wgpu: Any = wgpu
        try:
            adapter: Any = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        except (RuntimeError, ValueError) as error:
            raise RunError(
                f"there is no GPU adapter for wgpu ({error}); Mesa's lavapipe serves without a GPU"
            ) from error
        features = [feature for feature in _FEATURES if feature in adapter.features]
        limits = {name: adapter.limits[name] for name in _LIMITS}
        self._device: Any = adapter.request_device_sync(required_features=features, required_limits=limits)
        self._module: Any = self._device.create_shader_module(code=code) if code else None
        self._pipelines: dict[str, Any] = {}
        self._layouts: dict[int, Any] = {}
        self._groups: WeakKeyDictionary[Launch[Part], Any] = WeakKeyDictionary()

    def allocate(self, size: int) -> Part:
        """A storage buffer."""
        usage = self._wgpu.BufferUsage
        size = -(-size // 4) * 4
        self._check(size, "max-buffer-size")
        buffer = self._device.create_buffer(size=size, usage=usage.STORAGE | usage.COPY_SRC | usage.COPY_DST)
        return Part(buffer, 0, size)

    def _check(self, size: int, limit: str) -> None:
        if size > (most := self._device.limits[limit]):
            raise RunError(f"a buffer of {size} bytes is more than this GPU allows ({limit} is {most})")

    def part(self, buffer: Part, offset: int, size: int) -> Part:
        """A range of a buffer."""
        return replace(buffer, offset=buffer.offset + offset, size=-(-size // 4) * 4)

    def write(self, buffer: Part, data: bytes) -> None:
        """Copy to the device; wgpu copies whole words."""
        padded = data + bytes(-len(data) % 4)
        self._device.queue.write_buffer(buffer.buffer, buffer.offset, padded)

    def read(self, buffer: Part, size: int) -> bytes:
        """Copy from the device."""
        words = -(-size // 4) * 4
        return bytes(self._device.queue.read_buffer(buffer.buffer, buffer.offset, words))[:size]

    def launch(self, steps: Sequence[Launch[Part]]) -> None:
        """One command buffer; wgpu orders dispatches that share memory."""
        encoder = self._device.create_command_encoder()
        compute = encoder.begin_compute_pass()
        for step in steps:
            compute.set_pipeline(self._pipeline(step.kernel, len(step.buffers) + bool(step.sizes)))
            compute.set_bind_group(0, self._group(step))
            compute.dispatch_workgroups(*step.grid)
        compute.end()
        self._device.queue.submit([encoder.finish()])

    def _layout(self, count: int) -> Any:
        """That of `count` buffers. What a layout is made of by itself leaves out those that a kernel does not read."""
        if count not in self._layouts:
            stage = self._wgpu.ShaderStage.COMPUTE
            entries = [{"binding": i, "visibility": stage, "buffer": {"type": "storage"}} for i in range(count)]
            self._layouts[count] = self._device.create_bind_group_layout(entries=entries)
        return self._layouts[count]

    def _pipeline(self, kernel: str, count: int) -> Any:
        if kernel not in self._pipelines:
            stage = {"module": self._module, "entry_point": kernel}
            layout = self._device.create_pipeline_layout(bind_group_layouts=[self._layout(count)])
            self._pipelines[kernel] = self._device.create_compute_pipeline(layout=layout, compute=stage)
        return self._pipelines[kernel]

    def _group(self, step: Launch[Part]) -> Any:
        """The buffers of a launch; its sizes lie in one more."""
        if step not in self._groups:
            parts = list(step.buffers)
            if step.sizes:
                parts.append(self.allocate(4 * len(step.sizes)))
                self.write(parts[-1], np.array(step.sizes, np.int32).tobytes())
            self._check(max(each.size for each in parts), "max-storage-buffer-binding-size")
            entries = [
                {"binding": i, "resource": {"buffer": each.buffer, "offset": each.offset, "size": each.size}}
                for i, each in enumerate(parts)
            ]
            self._groups[step] = self._device.create_bind_group(layout=self._layout(len(parts)), entries=entries)
        return self._groups[step]


class WgpuProgram(GpuProgram[Part]):
    """A bundle compiled for wgpu."""

    def _open(self, files: Mapping[str, bytes]) -> WgpuDevice:
        return WgpuDevice(b"".join(files.values()))
