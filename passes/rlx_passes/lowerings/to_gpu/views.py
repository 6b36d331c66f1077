"""What memory a memref value stands for: a base buffer, an offset and strides, seen through every view op."""

from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.rewriting.conversion import name_of


@dataclass(frozen=True)
class View:
    """
    Element `i` of the view is element `offset + sum(terms) + sum(i[k] * strides[k])` of `base`.

    `base` is a function argument, an allocation or a constant; `terms` are run-time index values with their strides.
    """

    base: SSAValue
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    terms: tuple[tuple[SSAValue, int], ...] = ()

    @property
    def size(self) -> int:
        """How many elements the view has."""
        return element_count(self.shape)

    def is_whole(self, base_size: int) -> bool:
        """Whether the view is all of its base, of `base_size` elements, in order."""
        if self.offset or self.terms or self.size != base_size:
            return False
        packed = row_major(self.shape)
        return all(size == 1 or a == b for size, a, b in zip(self.shape, self.strides, packed, strict=True))


def element_count(shape: tuple[int, ...]) -> int:
    """The product of `shape`."""
    count = 1
    for size in shape:
        count *= size
    return count


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a packed row-major array of `shape`."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def static_shape(value: SSAValue) -> tuple[int, ...]:
    """The shape of a memref value; a size known only at run time is a `Refusal`."""
    shape = memref_type(value).get_shape()
    if DYNAMIC_INDEX in shape:
        raise Refusal(
            f"{value.type} has a size that is only known at run time, and GPU launches are planned ahead",
            "give every dim of the function's arguments a fixed size",
        )
    return shape


def memref_type(value: SSAValue) -> MemRefType:
    """The type of a memref value."""
    type_ = value.type
    if not isinstance(type_, MemRefType):
        raise Refusal(f"a buffer was expected where a value of type {type_} stands")
    return cast(MemRefType, type_)


def base_view(value: SSAValue) -> View:
    """The view that is all of a base buffer."""
    shape = static_shape(value)
    return View(value, shape, _strides(value))


def is_view_op(op: Operation) -> bool:
    """Whether `op` only renames memory."""
    return name_of(op) in _RENAMING or isinstance(op, memref.SubviewOp | memref.ReinterpretCastOp)


_RENAMING = frozenset(
    {
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.transpose",
        "memref.assume_alignment",
        "memref.memory_space_cast",
    }
)


def view_of(op: Operation, source: View) -> View:
    """The view that a view op's result is, given that of its source."""
    result = op.results[0]
    renamed = View(source.base, static_shape(result), _strides(result), source.offset, source.terms)
    if isinstance(op, memref.SubviewOp):
        return _subview(op, source, renamed)
    if isinstance(op, memref.ReinterpretCastOp):
        (offset,) = op.static_offsets.get_values()
        if offset == DYNAMIC_INDEX:
            return replace(renamed, offset=0, terms=((op.offsets[0], 1),))
        return replace(renamed, offset=offset, terms=())
    return renamed


def _subview(op: memref.SubviewOp, source: View, renamed: View) -> View:
    dynamic = iter(op.offsets)
    offset, terms = source.offset, list(source.terms)
    for start, stride in zip(op.static_offsets.get_values(), source.strides, strict=True):
        if start == DYNAMIC_INDEX:
            terms.append((next(dynamic), stride))
        else:
            offset += start * stride
    return replace(renamed, offset=offset, terms=tuple(terms))


def _strides(value: SSAValue) -> tuple[int, ...]:
    strides = memref_type(value).get_strides()
    if strides is None or any(stride is None for stride in strides):
        raise Refusal(f"{value.type} has strides that are only known at run time, which GPU launches cannot use")
    return tuple(stride for stride in strides if stride is not None)
