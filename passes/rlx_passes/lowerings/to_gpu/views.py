"""What memory a memref value stands for: a base buffer, an offset and strides, seen through every view op."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, DenseArrayBase, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from rlx_dialect.dims import Size, product
from rlx_passes.core.errors import Refusal
from rlx_passes.rewriting.conversion import name_of

SizeOf = Callable[[SSAValue], Size | None]
"""What an index value of a host function comes to, where the sizes of its arguments and the rounds of loops say it."""


@dataclass(frozen=True)
class View:
    """
    Element `i` of the view is element `offset + sum(terms) + sum(i[k] * strides[k])` of `base`.

    `base` is a function argument, an allocation or a constant; `terms` are index values that elements decide, with
    their strides.
    """

    base: SSAValue
    shape: tuple[Size, ...]
    strides: tuple[Size, ...]
    offset: Size = 0
    terms: tuple[tuple[SSAValue, Size], ...] = ()

    @staticmethod
    def packed(base: SSAValue, shape: Sequence[Size]) -> "View":
        """All of a base buffer of `shape`."""
        return View(base, tuple(shape), row_major(shape))

    @property
    def size(self) -> Size:
        """How many elements the view has."""
        return product(self.shape)

    def is_whole(self, base_size: Size) -> bool:
        """Whether the view is all of its base, of `base_size` elements, in order."""
        if self.offset != 0 or self.terms or self.size != base_size:
            return False
        packed = row_major(self.shape)
        return all(size == 1 or a == b for size, a, b in zip(self.shape, self.strides, packed, strict=True))


def row_major(shape: Sequence[Size]) -> tuple[Size, ...]:
    """The strides of a packed row-major array of `shape`."""
    strides: list[Size] = []
    step: Size = 1
    for size in reversed(shape):
        strides.append(step)
        step = step * size
    return tuple(reversed(strides))


def memref_type(value: SSAValue) -> MemRefType:
    """The type of a memref value."""
    type_ = value.type
    if not isinstance(type_, MemRefType):
        raise Refusal(f"a buffer was expected where a value of type {type_} stands")
    return cast(MemRefType, type_)


def told(size: Size | None) -> Size:
    """`size`, which sizes of arguments have to say."""
    if size is None:
        raise Refusal(
            "a size is computed by what GPU launches are not planned for", "make it one of an argument, or a fixed one"
        )
    return size


def is_view_op(op: Operation) -> bool:
    """Whether `op` only renames memory."""
    return name_of(op) in _RENAMING or isinstance(op, memref.SubviewOp | memref.ReinterpretCastOp)


_SAME = frozenset({"memref.cast", "memref.assume_alignment", "memref.memory_space_cast"})
_RENAMING = _SAME | {"memref.collapse_shape", "memref.expand_shape"}


def view_of(op: Operation, source: View, size_of: SizeOf, size: SizeOf | None = None) -> View:
    """
    The view that a view op's result is, given that of its source.

    `size` finds out sizes, of which more has to be known than of places, for which `size_of` is asked.
    """
    size = size or size_of
    match op:
        case memref.SubviewOp():
            return _subview(op, source, size_of, size)
        case memref.ReinterpretCastOp():
            return _reinterpreted(op, source, size_of, size)
        case memref.ExpandShapeOp():
            return _expanded(op, source, size)
        case memref.CollapseShapeOp():
            return _collapsed(op, source)
        case _:
            return replace(source, shape=stated(source.shape, op.results[0]))


def stated(shape: Sequence[Size], value: SSAValue) -> tuple[Size, ...]:
    """The shape of a memref value, by its type where that is a number."""
    types = memref_type(value).get_shape()
    return tuple(size if type_ == DYNAMIC_INDEX else type_ for size, type_ in zip(shape, types, strict=True))


def _mixed(static: DenseArrayBase[I64], dynamic: Iterable[SSAValue], size_of: SizeOf) -> list[Size | SSAValue]:
    """The numbers of an op, part of them operands; an operand stays one where elements decide it."""
    left = iter(dynamic)
    found: list[Size | SSAValue] = []
    for number in static.get_values():
        if number != DYNAMIC_INDEX:
            found.append(number)
            continue
        value = next(left)
        size = size_of(value)
        found.append(value if size is None else size)
    return found


def _sizes(found: Iterable[Size | SSAValue]) -> tuple[Size, ...]:
    return tuple(told(None if isinstance(each, SSAValue) else each) for each in found)


def _subview(op: memref.SubviewOp, source: View, size_of: SizeOf, size: SizeOf) -> View:
    starts = _mixed(op.static_offsets, op.offsets, size_of)
    shape = _sizes(_mixed(op.static_sizes, op.sizes, size))
    steps = _sizes(_mixed(op.static_strides, op.strides, size))
    offset, terms = source.offset, list(source.terms)
    for start, stride in zip(starts, source.strides, strict=True):
        if isinstance(start, SSAValue):
            terms.append((start, stride))
        else:
            offset = offset + start * stride
    strides = [step * stride for step, stride in zip(steps, source.strides, strict=True)]
    kept = _kept_axes(memref_type(op.result).get_shape(), shape)
    return View(source.base, tuple(shape[i] for i in kept), tuple(strides[i] for i in kept), offset, tuple(terms))


def _kept_axes(types: Sequence[int], shape: Sequence[Size]) -> list[int]:
    """The axes that a subview keeps: some of size 1 may be left out."""
    kept: list[int] = []
    for axis, size in enumerate(shape):
        rest = len(types) - len(kept)
        fits = rest > 0 and (types[len(kept)] == size or (types[len(kept)] == DYNAMIC_INDEX and size != 1))
        if fits or rest == len(shape) - axis:
            kept.append(axis)
    return kept


def _reinterpreted(op: memref.ReinterpretCastOp, source: View, size_of: SizeOf, size: SizeOf) -> View:
    (offset,) = _mixed(op.static_offsets, op.offsets, size_of)
    shape = _sizes(_mixed(op.static_sizes, op.sizes, size))
    strides = _sizes(_mixed(op.static_strides, op.strides, size))
    if isinstance(offset, SSAValue):
        return View(source.base, shape, strides, 0, ((offset, 1),))
    return View(source.base, shape, strides, offset)


def _groups(op: memref.ExpandShapeOp | memref.CollapseShapeOp) -> list[list[int]]:
    return [[int(axis.value.data) for axis in group] for group in op.reassociation]


def _expanded(op: memref.ExpandShapeOp, source: View, size: SizeOf) -> View:
    shape = _sizes(_mixed(op.static_output_shape, op.output_shape, size))
    if not source.shape:
        return replace(source, shape=shape, strides=row_major(shape))
    strides: list[Size] = []
    for group, stride in zip(_groups(op), source.strides, strict=True):
        strides += [stride * inner for inner in row_major([shape[axis] for axis in group])]
    return replace(source, shape=shape, strides=tuple(strides))


def _collapsed(op: memref.CollapseShapeOp, source: View) -> View:
    """Each group of axes lies packed; the innermost that is not of size 1 says its stride."""
    shape: list[Size] = []
    strides: list[Size] = []
    for group in _groups(op):
        shape.append(product([source.shape[axis] for axis in group]))
        inner = next((axis for axis in reversed(group) if source.shape[axis] != 1), group[-1])
        strides.append(source.strides[inner])
    return replace(source, shape=tuple(shape), strides=tuple(strides))


def axis_of(op: memref.DimOp) -> int:
    """The axis that a `memref.dim` asks for."""
    owner = op.index.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
        raise Refusal("the size of an axis that is chosen at run time has no place in a GPU launch plan")
    return owner.value.value.data
