"""Which buffers lie on the stack of a function, and which have to be asked for and may not be had."""

from collections.abc import Iterable, Iterator
from math import prod

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation, SSAValue

from rlx_passes.lowerings.to_llvm.types import bytes_of

LARGEST_ON_STACK = 1 << 16
"""How many bytes of buffers one function keeps on the stack, which threads have less of than programs."""

_CARRIERS = scf.YieldOp | scf.ConditionOp | func.ReturnOp | scf.ForOp | scf.WhileOp | arith.SelectOp


def is_of_region(op: memref.AllocOp | memref.AllocaOp, *, in_kernel: bool) -> bool:
    """Whether the buffer ends with the region that makes it, if nobody frees it before."""
    return (in_kernel or isinstance(op, memref.AllocaOp)) and not is_carried(op.memref)


def is_carried(buffer: SSAValue) -> bool:
    """Whether another value may come to stand for `buffer`, by which it is freed: a result, or what a loop carries."""
    return any(
        isinstance(use.operation, _CARRIERS)
        or any(isinstance(each.type, MemRefType) and is_carried(each) for each in use.operation.results)
        for use in buffer.uses
    )


def needs_heap(op: Operation) -> bool:
    """Whether the code of `op`, a function or `scf.parallel`, asks for memory: outside of kernels, or in one."""
    kernels = [each for each in op.walk() if isinstance(each, scf.ParallelOp)]
    if op in kernels:
        return _more_than_stack(op.walk(), in_kernel=True)
    return _more_than_stack(_outside(op), in_kernel=False) or any(map(needs_heap, kernels))


def _outside(op: Operation) -> Iterator[Operation]:
    """The ops in `op` that are in no kernel."""
    for region in op.regions:
        for block in region.blocks:
            for each in block.ops:
                yield each
                if not isinstance(each, scf.ParallelOp):
                    yield from _outside(each)


def _more_than_stack(ops: Iterable[Operation], *, in_kernel: bool) -> bool:
    total = 0
    for op in ops:
        if not isinstance(op, memref.AllocOp | memref.AllocaOp):
            continue
        shape = op.memref.type.get_shape()
        if DYNAMIC_INDEX in shape or not is_of_region(op, in_kernel=in_kernel):
            return True
        total += prod(shape) * bytes_of(op.memref.type.element_type)
    return total > LARGEST_ON_STACK
