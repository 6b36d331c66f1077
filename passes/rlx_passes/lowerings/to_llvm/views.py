"""What stands for a memref and for other values that are more than one in the llvm dialect."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, StridedLayoutAttr, i64
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_llvm.code import Code, Number
from rlx_passes.lowerings.to_llvm.types import POINTER, bytes_of, held, part_of, stored


@dataclass(frozen=True)
class View:
    """Elements in memory: number [i, j, ..] lies `offset + i * strides[0] + j * strides[1] + ..` after `pointer`."""

    pointer: SSAValue
    offset: Number
    sizes: tuple[Number, ...]
    strides: tuple[Number, ...]
    element: Attribute

    @property
    def unit(self) -> Attribute:
        """The type in memory of an element."""
        part = part_of(self.element)
        return stored(self.element) if part is None else LLVMArrayType(2, stored(part))

    @property
    def alignment(self) -> int:
        """What the address of every element is a multiple of."""
        return bytes_of(part_of(self.element) or self.element)

    def address(self, code: Code, indices: Sequence[Number]) -> SSAValue:
        """The pointer to the element at `indices`."""
        index = self.offset
        for each, stride in zip(indices, self.strides, strict=True):
            index = code.add(index, code.multiply(each, stride))
        return code.pointer(self.pointer, index, self.unit)

    def start(self, code: Code) -> SSAValue:
        """The pointer to the first element."""
        return code.pointer(self.pointer, self.offset, self.unit)

    def is_contiguous(self) -> bool:
        """Whether the elements are known to lie side by side in their order."""
        expected: int | None = 1
        for size, stride in zip(reversed(self.sizes), reversed(self.strides)):
            if size == 1:
                continue
            if expected is None or stride != expected:
                return False
            expected = expected * size if isinstance(size, int) else None
        return True


Held = SSAValue | int | tuple[SSAValue, SSAValue] | View
"""What stands for a value: the two parts of a complex number, an integer of 64 bits that is known, or one value."""


def row_major(code: Code, sizes: Sequence[Number]) -> tuple[Number, ...]:
    """The strides of elements that lie side by side, the last dim's first to grow."""
    strides: list[Number] = []
    step: Number = 1
    for position, size in enumerate(reversed(sizes), 1):
        strides.append(step)
        step = code.multiply(step, size) if position < len(sizes) else step
    return tuple(reversed(strides))


def sizes_of(type_: MemRefType[Attribute]) -> tuple[int | None, ...]:
    """The sizes of a memref; None for those that the type leaves open."""
    return tuple(None if size == DYNAMIC_INDEX else size for size in type_.get_shape())


def strides_of(type_: MemRefType[Attribute]) -> tuple[int | None, ...] | None:
    """The strides of a memref, None for those left open; None for all of them where elements lie side by side."""
    if isinstance(type_.layout, NoneAttr):
        return None
    if not isinstance(type_.layout, StridedLayoutAttr):
        raise Refusal(f"has {type_}, whose layout is none of strides")
    return tuple(type_.layout.get_strides())


def memref_view(code: Code, type_: Attribute, pointer: SSAValue, open_: Iterator[Number]) -> View:
    """The view that a memref type says lies at `pointer`; `open_` gives the sizes and then the strides left open."""
    memref = cast("MemRefType[Attribute]", type_)
    sizes = tuple(next(open_) if size is None else size for size in sizes_of(memref))
    strides = strides_of(memref)
    if strides is None:
        return View(pointer, 0, sizes, row_major(code, sizes), memref.element_type)
    given = tuple(next(open_) if stride is None else stride for stride in strides)
    return View(pointer, 0, sizes, given, memref.element_type)


def part_types(type_: Attribute) -> list[Attribute]:
    """The types of the values that stand for one of `type_` where it goes to another block or function."""
    if isinstance(type_, MemRefType):
        memref = cast("MemRefType[Attribute]", type_)
        numbers = (*sizes_of(memref), *(strides_of(memref) or ()))
        return [POINTER, *(i64 for each in numbers if each is None)]
    part = part_of(type_)
    return [held(type_)] if part is None else [held(part)] * 2


def spread(code: Code, value: Held, type_: Attribute) -> list[Number]:
    """The values that stand for `value`, of `type_`, in another block or function."""
    if isinstance(value, View):
        memref = cast("MemRefType[Attribute]", type_)
        declared = (*sizes_of(memref), *(strides_of(memref) or ()))
        numbers = (*value.sizes, *value.strides)
        return [value.start(code), *(number for each, number in zip(declared, numbers) if each is None)]
    return list(value) if isinstance(value, tuple) else [value]


def gather(code: Code, type_: Attribute, values: Iterator[SSAValue]) -> Held:
    """The opposite: what stands for a value of `type_` that came as the next of `values`."""
    if isinstance(type_, MemRefType):
        return memref_view(code, cast("Attribute", type_), next(values), values)
    return next(values) if part_of(type_) is None else (next(values), next(values))
