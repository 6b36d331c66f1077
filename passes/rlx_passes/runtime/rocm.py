"""Runs ROCm bundles through HIP's module functions; the code object fits one chip only."""

from collections.abc import Mapping

from rlx_passes.runtime.driver import Driver, DriverDevice, Memory
from rlx_passes.runtime.gpu import GpuProgram

HIP = Driver(
    title="the HIP runtime",
    variable="RLX_HIP_RUNTIME",
    libraries=("libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7", "amdhip64.dll"),
    start=(("hipInit", (0,)), ("hipSetDevice", (0,))),
    load="hipModuleLoadData",
    function="hipModuleGetFunction",
    allocate="hipMalloc",
    free="hipFree",
    to_device="hipMemcpyHtoD",
    to_host="hipMemcpyDtoH",
    launch="hipModuleLaunchKernel",
    synchronize="hipDeviceSynchronize",
)


class RocmProgram(GpuProgram[Memory]):
    """A bundle compiled for rocm."""

    def _open(self, files: Mapping[str, bytes]) -> DriverDevice:
        return DriverDevice(HIP, next(iter(files.values()), b""))
