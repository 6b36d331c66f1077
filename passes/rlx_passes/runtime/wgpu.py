"""Runs wgpu bundles: SPIR-V kernels through wgpu-py, on Vulkan, Metal or D3D12, Mesa's lavapipe included."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rlx_passes.core.errors import RunError
from rlx_passes.runtime.gpu import GpuProgram


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
        self._groups: dict[tuple[tuple[int, int, int], ...], Any] = {}

    def allocate(self, size: int) -> Part:
        """A storage buffer."""
        usage = self._wgpu.BufferUsage
        size = -(-size // 4) * 4
        buffer = self._device.create_buffer(size=size, usage=usage.STORAGE | usage.COPY_SRC | usage.COPY_DST)
        return Part(buffer, 0, size)

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

    def launch(self, steps: Sequence[tuple[str, tuple[int, int, int], tuple[int, int, int], Sequence[Part]]]) -> None:
        """One command buffer; wgpu orders dispatches that share memory."""
        encoder = self._device.create_command_encoder()
        compute = encoder.begin_compute_pass()
        for kernel, grid, _, buffers in steps:
            compute.set_pipeline(self._pipeline(kernel, len(buffers)))
            compute.set_bind_group(0, self._group(buffers))
            compute.dispatch_workgroups(*grid)
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

    def _group(self, buffers: Sequence[Part]) -> Any:
        key = tuple((id(each.buffer), each.offset, each.size) for each in buffers)
        if key not in self._groups:
            entries = [
                {"binding": i, "resource": {"buffer": each.buffer, "offset": each.offset, "size": each.size}}
                for i, each in enumerate(buffers)
            ]
            self._groups[key] = self._device.create_bind_group(layout=self._layout(len(buffers)), entries=entries)
        return self._groups[key]


class WgpuProgram(GpuProgram[Part]):
    """A bundle compiled for wgpu."""

    def _open(self, files: Mapping[str, bytes]) -> WgpuDevice:
        return WgpuDevice(b"".join(files.values()))
