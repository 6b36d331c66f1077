"""What several pieces of random programs share."""

from random_programs import Program
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import OpResult, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, MatMulOp
from rlx_dialect.shapes import DYNAMIC, Dims, shaped

EPSILONS = (1e-5, 1e-6, 1e-12)


def dims_of(value: SSAValue) -> Dims:
    return shaped(value).dims


def product(p: Program, x: SSAValue, width: int | None = None) -> OpResult:
    """`x` times a new weight, which now and then has batch dims or an accumulate type."""
    dims = dims_of(x)
    width = width or p.pick(p.width, p.width, 4, 1)
    weight = p.argument((*dims[:-2], dims[-1], width) if p.chance(0.05) and DYNAMIC not in dims else (dims[-1], width))
    accumulate = p.one_of([f32, f64]) if p.chance(0.05) else None
    return p.emit(MatMulOp(x, weight, accumulate=accumulate))


def biased(p: Program, x: SSAValue, width: int | None = None) -> OpResult:
    value = product(p, x, width)
    bias = p.argument(dims_of(value)[-1:]) if p.chance(0.6) else p.broadcast_form(dims_of(value))
    p.maybe_read(value)
    return p.emit(BinaryOp(BinaryKind.SUB, value, bias)) if p.chance(0.05) else p.add(value, bias)
