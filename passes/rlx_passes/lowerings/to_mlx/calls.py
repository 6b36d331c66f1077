"""The vocabulary of the lowerings: building `mlx.call` ops with inferred types."""

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ComplexType,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f32,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import array_of, dense
from rlx_dialect.dtypes import is_float, numpy_dtype
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.dialects.mlx import CallOp, SliceOp
from rlx_passes.rewriting.conversion import Emitter

Keyword: TypeAlias = bool | int | float | str | Sequence[int] | Attribute


class Calls(Emitter):
    """Builds MLX calls."""

    carries_attributes = False

    def call(self, callee: str, *arguments: SSAValue, to: Shaped, **keywords: Keyword) -> SSAValue:
        """The result, of type `to`, of one call."""
        attributes = {key: keyword_attribute(value) for key, value in keywords.items()}
        op = CallOp(callee, arguments, to.type, attributes)
        return self(op)

    def slice(self, value: SSAValue, axis: int, start: int, length: int) -> SSAValue:
        """The `length` entries of `axis` from `start`."""
        op = SliceOp(value, axis, start, length)
        return self(op)

    def scalar(self, value: float, element: Attribute) -> SSAValue:
        """A constant of rank 0."""
        import numpy as np

        array = np.asarray(value, dtype=numpy_dtype(element))
        op = ConstantOp(dense(Shaped((), element).type, array))
        return self(op)

    def astype(self, value: SSAValue, element: Attribute) -> SSAValue:
        """`value` as `element`; itself where it is that already."""
        given = shaped(value)
        if given.element == element:
            return value
        return self.call("mx.astype", value, to=Shaped(given.dims, element), dtype=element)

    def within(self, indices: SSAValue, table: SSAValue, axis: int) -> SSAValue:
        """Indices into an axis of `table`, those outside moved to the nearest entry."""
        return self.call("lib.within", indices, table, to=Shaped(shaped(indices).dims, i64), axis=axis)

    def transpose(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Dim i of the result is dim `axes[i]` of `value`."""
        given = shaped(value)
        return self.call("mx.transpose", value, to=given.with_dims(given.dims[a] for a in axes), axes=axes)

    def expand_dims(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Dims of 1 put in, at these places of the result."""
        given = shaped(value)
        dims: list[int] = list(given.dims)
        for axis in axes:
            dims.insert(axis, 1)
        return self.call("mx.expand_dims", value, to=given.with_dims(dims), axis=axes)

    def reduce(self, callee: str, value: SSAValue, axes: Sequence[int], to: Shaped, **keywords: Keyword) -> SSAValue:
        """A reduction to `to`, which keeps the reduced axes as 1 where it has the operand's rank."""
        keep = to.rank == shaped(value).rank
        return self.call(callee, value, to=to, axis=axes, keepdims=keep, **keywords)


def keyword_attribute(value: Keyword) -> Attribute:
    """The attribute of a Python value."""
    if isinstance(value, Attribute):
        return value
    if isinstance(value, bool):
        return IntegerAttr(int(value), i1)
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    if isinstance(value, float):
        return FloatAttr(value, f64)
    if isinstance(value, str):
        return StringAttr(value)
    return DenseArrayBase.from_list(i64, value)


def sum_element(element: Attribute, accumulate: Attribute | None) -> Attribute:
    """The type in which sums of `element` go on: `accumulate`, else f32 for narrower floats, else the type itself."""
    if not is_float(element):
        return element
    return accumulate if accumulate is not None else wide_element(element)


def wide_element(element: Attribute) -> Attribute:
    """f32 for floats that are narrower, else the type itself."""
    return f32 if is_narrow(element) else element


def is_narrow(element: Attribute) -> bool:
    """Whether this is a float narrower than f32."""
    return is_float(element) and element not in (f32, f64)


def is_integer(element: Attribute) -> bool:
    """Integers and truth values."""
    return isinstance(element, IntegerType)


def is_complex(element: Attribute) -> bool:
    """Complex numbers of any width."""
    return isinstance(element, ComplexType)


def is_zero(value: SSAValue) -> bool:
    """Whether this is a constant of zeros only."""
    owner = value.owner
    return isinstance(owner, ConstantOp) and not array_of(owner.value).any()
