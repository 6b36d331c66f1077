"""
The types of the llvm dialect that stand for those of loops.

Floats narrower than f32 are integers of their bits, for what LLVM makes of arithmetic on them differs from chip to
chip. A truth value is i1, and a byte in memory.
"""

from typing import Any, TypeGuard, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    IndexType,
    IntegerType,
    VectorType,
    i1,
    i8,
    i16,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from rlx_passes.core.errors import Refusal

POINTER = LLVMPointerType()

NARROW: dict[type[Attribute], IntegerType] = {
    BFloat16Type: i16,
    Float16Type: i16,
    Float8E4M3FNType: i8,
    Float8E5M2Type: i8,
}


def is_vector(type_: Attribute) -> TypeGuard[VectorType[Attribute]]:
    return isinstance(type_, VectorType)


def is_integer(type_: Attribute) -> TypeGuard[IntegerType]:
    return isinstance(type_, IntegerType)


def element_of(type_: Attribute) -> Attribute:
    """The type of the elements of a vector; that of anything else."""
    return type_.element_type if is_vector(type_) else type_


def part_of(type_: Attribute) -> Attribute | None:
    """The type of both parts of complex numbers of `type_`; None for other types."""
    return cast("ComplexType[Any]", type_).element_type if isinstance(type_, ComplexType) else None


def width_of(type_: Attribute) -> int:
    """The bits of an integer, or of the elements of a vector of them."""
    return cast("IntegerType", element_of(type_)).width.data


def like(type_: Attribute, element: Attribute) -> Attribute:
    """`element`, or a vector of as many as `type_` has."""
    return VectorType(element, type_.shape) if is_vector(type_) else element


def held(type_: Attribute) -> Attribute:
    """The type of values of the scalar or vector type `type_`. Raises `Refusal` for one that no register holds."""
    if is_integer(type_):
        return IntegerType(type_.width.data)
    if isinstance(type_, IndexType):
        return i64
    if is_vector(type_):
        if len(type_.shape.data) != 1 or any(bool(each) for each in type_.scalable_dims.data):
            raise Refusal(f"has {type_}, where code takes vectors with one static dim")
        return VectorType(held(type_.element_type), type_.shape)
    if isinstance(type_, AnyFloat):
        return NARROW.get(type(type_), type_)
    raise Refusal(f"has a value of {type_}, which no register holds")


def stored(type_: Attribute) -> Attribute:
    """The type in memory of values of type `type_`."""
    return like(type_, i8) if element_of(type_) == i1 else held(type_)


def bytes_of(type_: Attribute) -> int:
    """What an element of a memref takes in memory. Raises `Refusal` for a type that no memory holds."""
    if (part := part_of(type_)) is not None:
        return 2 * bytes_of(part)
    if isinstance(type_, IndexType):
        return 8
    if isinstance(type_, IntegerType | AnyFloat):
        return (type_.bitwidth + 7) // 8
    raise Refusal(f"has elements of {type_}, which no memory holds")
