"""What is known of the sizes of the values of a program: numbers, or polynomials over what only a run knows."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import DimOp
from xdsl.ir import BlockArgument, SSAValue

from rlx_dialect.shapes import DYNAMIC, shaped
from rlx_dialect.signature import dims_of_argument
from rlx_passes.frontend.dim_sources import Source, source_before
from rlx_passes.frontend.dims import AxisSize, Dim, IndexSize, Size

_remembered: ContextVar[dict[Source, Size] | None] = ContextVar("rlx_remembered_sizes", default=None)


def sizes_of(value: SSAValue) -> tuple[Size, ...]:
    """The size of each axis of a ranked tensor."""
    return tuple(size_of(value, axis) for axis in range(shaped(value).rank))


def size_of(value: SSAValue, axis: int) -> Size:
    """The size of an axis of a ranked tensor. Sizes that compare equal are equal whenever the program runs."""
    remembered = _remembered.get()
    known = {} if remembered is None else remembered
    way: list[Source] = []
    found: Source | SSAValue | None = (value, axis)
    while isinstance(found, tuple) and found not in known:
        way.append(found)
        found = source_before(*found)
    if isinstance(found, SSAValue):
        size = size_in(found)
    elif found is None:
        size = _at_its_source(*way[-1])
    else:
        size = known[found]
    known.update(dict.fromkeys(way, size))
    return size


@contextmanager
def remembered_sizes() -> Generator[None]:
    """
    Inside the `with` block each op is gone through once, however many values behind it are asked for.

    Values of the program may be replaced meanwhile by others of equal sizes.
    """
    token = _remembered.set({})
    try:
        yield
    finally:
        _remembered.reset(token)


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


def _at_its_source(tensor: SSAValue, axis: int) -> Size:
    """The size of an axis that nothing before says: the first axis among the arguments of a function that has the name of this one stands for it."""
    size = shaped(tensor).dims[axis]
    if size != DYNAMIC:
        return size
    if isinstance(tensor, BlockArgument) and isinstance(func := tensor.owner.parent_op(), FuncOp):
        names = dims_of_argument(func, tensor.index)
        name = names[axis] if names is not None else axis
        for i, argument in enumerate(func.args if isinstance(name, str) else ()):
            others = dims_of_argument(func, i)
            if others is not None and name in others:
                return Dim.of(AxisSize(argument, list(others).index(name)))
    return Dim.of(AxisSize(tensor, axis))
