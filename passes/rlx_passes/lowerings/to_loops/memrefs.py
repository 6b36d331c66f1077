"""Memrefs: their types, sizes and parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

Emit = Callable[[Operation], None]
"""Puts an op where code is written."""

Size: TypeAlias = "int | SSAValue"


def is_tensor(type: Attribute) -> bool:
    return isinstance(type, TensorType)


def memref_of(type: Attribute) -> MemRefType:
    """The contiguous memref that holds a tensor of `type`."""
    tensor = cast("TensorType[Attribute]", type)
    return MemRefType(tensor.element_type, tensor.get_shape())


def type_of(value: SSAValue) -> MemRefType:
    """The type of `value`, a memref."""
    return cast("MemRefType", value.type)


def is_static(type: MemRefType) -> bool:
    return DYNAMIC_INDEX not in type.get_shape()


def is_contiguous(type: MemRefType) -> bool:
    """Whether elements lie one after the other, from the start of their memory on."""
    return isinstance(type.layout, NoneAttr)


def index(value: int, emit: Emit) -> SSAValue:
    constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
    emit(constant)
    return constant.result


def constant(value: SSAValue) -> int | None:
    """The number that an index is, if it is written down."""
    owner = value.owner
    given = owner.value if isinstance(owner, arith.ConstantOp) else None
    return given.value.data if isinstance(given, IntegerAttr) else None


def as_value(size: Size, emit: Emit) -> SSAValue:
    return index(size, emit) if isinstance(size, int) else size


def divided(value: SSAValue, by: Size, emit: Emit) -> SSAValue:
    op = arith.DivUIOp(value, as_value(by, emit))
    emit(op)
    return op.result


def starts(view: memref.SubviewOp) -> list[Size]:
    """Where a view starts on each axis."""
    given = iter(view.offsets)
    return [next(given) if start == DYNAMIC_INDEX else start for start in view.static_offsets.get_values()]


def sizes(value: SSAValue, emit: Emit) -> list[Size]:
    """The sizes of a memref, read off it where its type does not say them."""
    found: list[Size] = []
    for axis, size in enumerate(type_of(value).get_shape()):
        if size != DYNAMIC_INDEX:
            found.append(size)
            continue
        dim = memref.DimOp(value, index(axis, emit))
        emit(dim)
        found.append(dim.result)
    return found


def allocate(type: MemRefType, shape: Sequence[Size], emit: Emit) -> memref.AllocOp:
    """Memory for a contiguous memref of `type`, with those of `shape` that the type does not say."""
    dynamic = [
        as_value(size, emit) for size, known in zip(shape, type.get_shape(), strict=True) if known == DYNAMIC_INDEX
    ]
    op = memref.AllocOp(dynamic, [], type)
    emit(op)
    return op


def allocate_static(type: MemRefType, emit: Emit) -> memref.AllocOp:
    """Memory for a contiguous memref of `type`, which says all sizes."""
    return allocate(type, type.get_shape(), emit)


def allocate_like(value: SSAValue, emit: Emit) -> memref.AllocOp:
    """Memory for as much as `value`, a memref, has."""
    old = type_of(value)
    return allocate(MemRefType(old.element_type, old.get_shape()), sizes(value, emit), emit)


def strides(type: MemRefType) -> list[int | None]:
    """The strides of a memref, as far as its type says them."""
    if isinstance(type.layout, StridedLayoutAttr):
        return [each.data if isinstance(each, IntAttr) else None for each in type.layout.strides]
    found: list[int | None] = []
    step: int | None = 1
    for size in reversed(type.get_shape()):
        found.append(step)
        step = None if step is None or size == DYNAMIC_INDEX else step * size
    return found[::-1]


def offset(type: MemRefType) -> int | None:
    """Where the elements of a memref start, if its type says so."""
    if isinstance(type.layout, StridedLayoutAttr):
        return type.layout.offset.data if isinstance(type.layout.offset, IntAttr) else None
    return 0


def part(
    source: SSAValue,
    offsets: Sequence[Size],
    shape: Sequence[Size],
    steps: Sequence[int],
    emit: Emit,
    *,
    dropped: frozenset[int] = frozenset(),
) -> SSAValue:
    """The elements of a memref from `offsets` on, `shape` of them at distances `steps`, without the axes `dropped`."""
    old = type_of(source)
    whole = all(at == 0 for at in offsets) and all(step == 1 for step in steps)
    if whole and not dropped and list(shape) == list(old.get_shape()):
        return source
    at, strided = offset(old), strides(old)
    for start, stride in zip(offsets, strided, strict=True):
        at = None if at is None or not isinstance(start, int) or stride is None else at + start * stride
    kept = [axis for axis in range(len(strided)) if axis not in dropped]
    new = [None if (stride := strided[axis]) is None else stride * steps[axis] for axis in kept]
    given = [size if isinstance(size := shape[axis], int) else DYNAMIC_INDEX for axis in kept]
    plain = MemRefType(old.element_type, given)
    type = (
        plain
        if at == 0 and new == strides(plain) and None not in new
        else MemRefType(old.element_type, given, StridedLayoutAttr(new, at))
    )
    op = memref.SubviewOp.get(source, offsets, shape, list[Size](steps), type)
    emit(op)
    return op.result


def collapsed(source: SSAValue, groups: Sequence[Sequence[int]], emit: Emit) -> SSAValue:
    """A memref of known sizes with each of `groups` of its axes as one."""
    old = type_of(source)
    shape, strided = old.get_shape(), strides(old)
    if all(len(group) == 1 for group in groups):
        return source
    sizes = [prod(shape[axis] for axis in group) for group in groups]
    plain = MemRefType(old.element_type, sizes)
    steps = [strided[next((axis for axis in reversed(group) if shape[axis] != 1), group[-1])] for group in groups]
    type = plain if is_contiguous(old) else MemRefType(old.element_type, sizes, StridedLayoutAttr(steps, offset(old)))
    op = memref.CollapseShapeOp(operands=[source], result_types=[type], properties={"reassociation": _axes(groups)})
    emit(op)
    return op.result


def expanded(source: SSAValue, groups: Sequence[Sequence[int]], shape: Sequence[int], emit: Emit) -> SSAValue:
    """A contiguous memref of known sizes with each of its axes as those of `shape` in a group."""
    op = memref.ExpandShapeOp(
        operands=[source, []],
        result_types=[MemRefType(type_of(source).element_type, shape)],
        properties={"reassociation": _axes(groups), "static_output_shape": DenseArrayBase.from_list(i64, shape)},
    )
    emit(op)
    return op.result


def _axes(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(ArrayAttr(IntegerAttr(axis, i64) for axis in group) for group in groups)


def unit_axes(shape: Sequence[Size], wanted: Sequence[int]) -> frozenset[int]:
    """The axes of `shape`, of one element each, that are left out where the rank goes down to that of `wanted`."""
    dropped: set[int] = set()
    kept = 0
    for axis, size in enumerate(shape):
        if size == 1 and len(dropped) < len(shape) - len(wanted) and (kept == len(wanted) or wanted[kept] != 1):
            dropped.add(axis)
        else:
            kept += 1
    return frozenset(dropped)


def dense_steps(type: MemRefType) -> list[int]:
    """The strides of a contiguous memref of known sizes."""
    steps: list[int] = []
    step = 1
    for size in reversed(type.get_shape()):
        steps.append(step)
        step *= size
    return steps[::-1]
