"""What one run of a function costs in launches and transfers."""

from collections.abc import Collection

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from rlx_dialect.dtypes import dtype_of
from rlx_dialect.kinds import KINDS
from rlx_dialect.ops import NarrowOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import count, shaped
from rlx_passes.budget.io_gate import GraphIoProfile

METADATA = (ConstantOp, ReshapeOp, TransposeOp, NarrowOp)
"""Ops that move nothing and start nothing."""

HOST = frozenset(KINDS[kind].op for kind in ("LogMel", "LogMelBackward", "Custom", "WelchPeaks"))
"""The ops, by name, for which the device waits on the host."""


def profile(func: FuncOp, outputs: Collection[SSAValue]) -> GraphIoProfile:
    """The profile of `func` if it gave `outputs`. Every op counts, read or not; a value of unknown size does not."""
    launches = syncs = host = traffic = 0
    for op in func.body.block.ops:
        if isinstance(op, METADATA) or op.has_trait(IsTerminator, value_if_unregistered=False):
            continue
        launches += 1
        syncs += op.name in HOST
        traffic += sum(map(size, (*op.operands, *op.results)))
        host += _read_back(op, outputs)
    return GraphIoProfile(launches, syncs, host, traffic)


def _read_back(op: Operation, outputs: Collection[SSAValue]) -> int:
    return sum(size(result) for result in op.results if result in outputs)


def size(value: SSAValue) -> int:
    """The bytes of a value; 0 where its dims are not known, or it is no tensor of the dialect."""
    if not isinstance(value.type, TensorType):
        return 0
    dims, element = shaped(value)
    try:
        return (count(dims) or 0) * dtype_of(element).size
    except ValueError:
        return 0
