"""`convert-rlx-to-gpu`: rlx functions to GPU kernels and the host functions that launch them."""

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from rlx_passes.lowering.forms import LoweringPass
from rlx_passes.lowering.to_gpu import linalg_to_gpu
from rlx_passes.lowering.to_linalg.convert import LOWERINGS, ConvertRlxToLinalgPass, lower_to_linalg


@dataclass(frozen=True)
class ConvertRlxToGpuPass(LoweringPass):
    """
    Lower every function through linalg and `mlir-opt` to `gpu.launch_func`s of one `gpu.module @kernels`.

    `target` decides in which types buffers are kept (`lowering/to_gpu/storage.py`).
    """

    name = "convert-rlx-to-gpu"
    form = ConvertRlxToLinalgPass.form

    target: Literal["cuda", "rocm", "wgpu", "metal"]

    @classmethod
    def forms(cls) -> frozenset[type[Operation]]:
        return frozenset(LOWERINGS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_to_linalg(op)
        linalg_to_gpu(op, self.target)
