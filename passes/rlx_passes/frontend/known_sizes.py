"""What is known of the sizes of the values of a program: numbers, or polynomials over what only a run knows."""

from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import DimOp
from xdsl.ir import BlockArgument, SSAValue

from rlx_dialect.shapes import DYNAMIC, shaped
from rlx_dialect.signature import dims_of_argument
from rlx_passes.frontend.dim_sources import source_of
from rlx_passes.frontend.dims import AxisSize, Dim, IndexSize, Size


def sizes_of(value: SSAValue) -> tuple[Size, ...]:
    """The size of each axis of a ranked tensor."""
    return tuple(size_of(value, axis) for axis in range(shaped(value).rank))


def size_of(value: SSAValue, axis: int) -> Size:
    """The size of an axis of a ranked tensor. Sizes that compare equal are equal whenever the program runs."""
    size = shaped(value).dims[axis]
    if size != DYNAMIC:
        return size
    source = source_of(value, axis)
    if isinstance(source, SSAValue):
        return size_in(source)
    known = shaped(source[0]).dims[source[1]]
    return Dim.of(_named(*source)) if known == DYNAMIC else known


def size_in(index: SSAValue) -> Size:
    """What an index value that is a size comes to."""
    match index.owner:
        case ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case DimOp() as op if isinstance(axis := size_in(op.index), int):
            return size_of(op.source, axis)
        case AddiOp() as op:
            return size_in(op.lhs) + size_in(op.rhs)
        case SubiOp() as op:
            return size_in(op.lhs) - size_in(op.rhs)
        case MuliOp() as op:
            return size_in(op.lhs) * size_in(op.rhs)
        case _:
            return Dim.of(IndexSize(index))


def _named(tensor: SSAValue, axis: int) -> AxisSize:
    """The first axis among the arguments of a function that has the name of this one."""
    if isinstance(tensor, BlockArgument) and isinstance(func := tensor.owner.parent_op(), FuncOp):
        names = dims_of_argument(func, tensor.index)
        name = names[axis] if names is not None else axis
        for i, argument in enumerate(func.args if isinstance(name, str) else ()):
            others = dims_of_argument(func, i)
            if others is not None and name in others:
                return AxisSize(argument, list(others).index(name))
    return AxisSize(tensor, axis)
