"""`convert-rlx-to-gpu`: rlx functions to GPU kernels and the host functions that launch them."""

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from rlx_passes.core.errors import Refusal, ToolMissing
from rlx_passes.lowerings.arith_machine import LATER
from rlx_passes.lowerings.forms import GPU_KERNELS, LoweringPass, advice
from rlx_passes.lowerings.to_gpu import linalg_to_gpu
from rlx_passes.lowerings.to_gpu.blame import blamed
from rlx_passes.lowerings.to_linalg.convert import LOWERINGS, lower_to_linalg
from rlx_passes.pipeline.target import load_target
from rlx_passes.rewriting.conversion import on_copy


@dataclass(frozen=True)
class ConvertRlxToGpuPass(LoweringPass):
    """
    Lower every function through linalg and `mlir-opt` to `gpu.launch_func`s of one `gpu.module @kernels`.

    `target`, by name or by its file, decides in which types buffers are kept (table `storage`). Raises `Refusal` for an
    op that has no form in kernels, `ToolMissing` without mlir-opt, `TargetError` for a target without buffer data.
    """

    name = "convert-rlx-to-gpu"
    form = GPU_KERNELS

    target: str

    @classmethod
    def forms(cls) -> frozenset[type[Operation]]:
        return frozenset(LOWERINGS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        storage = load_target(self.target).required_storage()

        def lower(module: ModuleOp) -> None:
            lower_to_linalg(module, natives=LATER, program=op)
            linalg_to_gpu(module, storage)

        try:
            on_copy(op, lower)
        except ToolMissing:
            raise
        except Exception as fault:
            if isinstance(fault, Refusal) and fault.op is not None:
                raise
            raise blamed(op, fault, lower, partial(advice, (GPU_KERNELS,), program=op)) from fault
