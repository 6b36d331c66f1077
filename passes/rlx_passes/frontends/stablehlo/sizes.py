"""Sizes that a program works out in tensors of integers, as index values."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.arith import AddiOp, ConstantOp, DivUIOp, IndexCastOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.tensor import DimOp, ExtractOp, FromElementsOp
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.dtypes import is_integer
from rlx_dialect.ops import BinaryOp, CastOp, ConcatOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC, normalize_axis, shaped
from rlx_passes.rewriting.conversion import Emitter
from rlx_passes.rewriting.vocabulary import constant_array

_ARITHMETIC: Mapping[str, Callable[[SSAValue, SSAValue], Operation]] = {
    BinaryKind.ADD: AddiOp,
    BinaryKind.SUB: SubiOp,
    BinaryKind.MUL: MuliOp,
    BinaryKind.DIV: DivUIOp,
}


def sizes_in(emit: Emitter, dims: Sequence[int], numbers: SSAValue) -> list[SSAValue]:
    """For each `?` of `dims`, its element of `numbers`, a tensor `[rank]` of integers."""
    return [element(emit, numbers, at) for at, dim in enumerate(dims) if dim == DYNAMIC]


def sizes_of(emit: Emitter, value: SSAValue) -> list[SSAValue]:
    """The size of each `?` of a tensor."""
    return [dim(emit, value, axis) for axis, size in enumerate(shaped(value).dims) if size == DYNAMIC]


def dim(emit: Emitter, value: SSAValue, axis: int) -> SSAValue:
    return emit(DimOp(value, index(emit, axis)))


def number_of(emit: Emitter, size: SSAValue, type: SSAValue) -> SSAValue:
    """A size as a tensor of rank 0, of the type of `type`."""
    return scalar_of(emit, size, shaped(type).element)


def scalar_of(emit: Emitter, size: SSAValue, type: Attribute) -> SSAValue:
    """A size as a tensor of rank 0 with elements of a type."""
    number = emit(IndexCastOp(size, type))
    return emit(FromElementsOp.build(operands=[[number]], result_types=[TensorType(type, [])]))


def index(emit: Emitter, number: int) -> SSAValue:
    return emit(ConstantOp.from_int_and_width(number, IndexType()))


def element(emit: Emitter, numbers: SSAValue, at: int) -> SSAValue:
    """An element of a tensor of rank 0 or 1: the size that it was made of, where that can be seen."""
    if (known := constant_array(numbers)) is not None:
        return index(emit, int(known.reshape(-1)[at]))
    owner = numbers.owner
    if isinstance(owner, FromElementsOp) and isinstance(made := owner.elements[at].owner, IndexCastOp):
        return made.input
    match owner:
        case ReshapeOp(input=input):
            return element(emit, input, at)
        case CastOp(input=input) if is_integer(shaped(input).element):
            return element(emit, input, at)
        case ConcatOp() as op if normalize_axis(op.axis.value.data, 1) == 0:
            for part in op.inputs:
                (length,) = shaped(part).dims
                if at < length:
                    return element(emit, part, at)
                at -= length
        case BinaryOp(kind=kind, lhs=lhs, rhs=rhs) if kind.data in _ARITHMETIC:
            left, right = (element(emit, side, at if shaped(side).dims not in ((), (1,)) else 0) for side in (lhs, rhs))
            return emit(_ARITHMETIC[kind.data](left, right))
        case _:
            pass
    position = [index(emit, at)] * shaped(numbers).rank
    read = emit(ExtractOp(numbers, position, shaped(numbers).element))
    return emit(IndexCastOp(read, IndexType()))
