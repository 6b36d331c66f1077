"""The text form of kernels that every GPU emitter takes: a module with nothing but `gpu.module @kernels`, generic form."""

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, gpu, math, memref, scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr

from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes.lowering.to_gpu.bufferize import generic_text


def kernels_text(module: ModuleOp) -> str | None:
    """The kernels of a module that `linalg_to_gpu` made, as text for the emitters; None when there are none."""
    kernels = [op.clone() for op in module.ops if isinstance(op, gpu.ModuleOp)]
    if not kernels:
        return None
    return generic_text(ModuleOp(list(kernels), {"gpu.container_module": UnitAttr()}))


def parse_kernels(text: str) -> ModuleOp:
    """The module that `kernels_text` printed."""
    context = Context(allow_unregistered=True)
    for dialect in (builtin.Builtin, arith.Arith, func.Func, gpu.GPU, math.Math, memref.MemRef, scf.Scf):
        context.load_dialect(dialect)
    return RlxParser(context, text).parse_module()
