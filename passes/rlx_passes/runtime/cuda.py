"""Runs CUDA bundles through the driver API: the PTX is compiled by the driver for the GPU that is there."""

from collections.abc import Mapping

from rlx_passes.runtime.driver import HANDLE, Driver, DriverDevice, Memory
from rlx_passes.runtime.gpu import GpuProgram

CUDA = Driver(
    title="the CUDA driver",
    variable="RLX_CUDA_DRIVER",
    libraries=("libcuda.so.1", "libcuda.so", "nvcuda.dll"),
    start=(
        ("cuInit", (0,)),
        ("cuDevicePrimaryCtxRetain", (None, 0)),
        ("cuCtxSetCurrent", (HANDLE,)),
    ),
    load="cuModuleLoadData",
    function="cuModuleGetFunction",
    allocate="cuMemAlloc_v2",
    free="cuMemFree_v2",
    to_device="cuMemcpyHtoD_v2",
    to_host="cuMemcpyDtoH_v2",
    launch="cuLaunchKernel",
    synchronize="cuCtxSynchronize",
)


class CudaProgram(GpuProgram[Memory]):
    """A bundle compiled for cuda."""

    def _open(self, files: Mapping[str, bytes]) -> DriverDevice:
        ptx = next((code for name, code in files.items() if name.endswith(".ptx")), b"")
        return DriverDevice(CUDA, ptx)
