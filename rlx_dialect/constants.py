"""Dense constants and NumPy arrays, one made from the other without a walk over the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerType,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.dtypes import dtype_of, numpy_dtype
from rlx_dialect.ops.shape import ExpandOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import Shaped, of_type, show

if TYPE_CHECKING:
    from rlx_dialect.arrays import Array


def dense(type: TensorType[Attribute], array: Array) -> DenseIntOrFPElementsAttr[Any]:
    """
    The constant of `type` that holds `array`, whose dtype is the type's; an array of one element is a splat.

    Raises `ValueError` where dtype or number of elements do not fit.
    """
    dims, element = of_type(type)
    if array.dtype != numpy_dtype(element):
        raise ValueError(f"{type} needs elements of {numpy_dtype(element)}, got {array.dtype}")
    if array.size != 1 and array.shape != dims:
        raise ValueError(f"{type} needs the shape {show(dims)}, got {show(array.shape)}")
    return DenseIntOrFPElementsAttr(cast(TensorType[Any], type), BytesAttr(array.tobytes()))


def constant_op(value: DenseIntOrFPElementsAttr[Any] | DenseResourceAttr) -> ConstantOp:
    """`ConstantOp(value)` in a third of the time."""
    return ConstantOp.create(result_types=(value.get_type(),), properties={"value": value}, location=UNKNOWN_LOC)


def array_of(value: Attribute) -> Array:
    """
    The array that a dense constant holds; a splat is stretched. Not a copy: read only.

    Raises `ValueError` for an attribute that is no dense tensor of a dtype of the dialect.
    """
    import numpy as np

    if not isinstance(value, DenseIntOrFPElementsAttr) or not isinstance(value.get_type(), TensorType):
        raise ValueError(f"expected a dense tensor constant, got {value}")
    dims, element = of_type(cast(TensorType[Attribute], value.get_type()))
    dtype = numpy_dtype(element)
    raw = value.data.data
    flat = np.frombuffer(raw, dtype=np.uint8) != 0 if dtype == np.bool_ else np.frombuffer(raw, dtype=dtype)
    return np.broadcast_to(flat.reshape(()), dims) if flat.size == 1 else flat.reshape(dims)


def splat(type: TensorType[Attribute], value: float) -> DenseIntOrFPElementsAttr[Any]:
    """The constant of `type` whose elements are all `value`, rounded to the element type."""
    import numpy as np

    return dense(type, np.array(value, dtype=numpy_dtype(type.element_type)))


MOVING = frozenset({ExpandOp, ReshapeOp, TransposeOp})
"""Ops through which a constant of equal elements is seen."""


def constant_of(value: SSAValue) -> DenseIntOrFPElementsAttr | None:
    """The elements of a dense constant of an element type of the dialect, or None where `value` is none."""
    owner = value.owner
    if type(owner) is not ConstantOp:
        return None
    attribute = owner.value
    if not isinstance(attribute, DenseIntOrFPElementsAttr) or not is_dtype(attribute.get_element_type()):
        return None
    return attribute


def scalar(value: SSAValue) -> float | None:
    """The number that every element of `value` is, else None. Looks through ops that only move elements."""
    while type(owner := value.owner) in MOVING:
        value = cast("ExpandOp", owner).input
    constant = constant_of(value)
    return None if constant is None else splat_of(constant)


def splat_of(constant: DenseIntOrFPElementsAttr) -> float | None:
    """The number that every element of a constant is."""
    element: Attribute = constant.get_element_type()
    if not isinstance(element, AnyFloat | IntegerType | IndexType):
        return None
    if not is_splat(constant):
        return None
    return float(element.unpack(constant.data.data[: element.compile_time_size], 1)[0])


def is_splat(constant: DenseIntOrFPElementsAttr) -> bool:
    """Whether a constant has elements, all of the same bits. xDSL's own test walks them, and fails without any."""
    raw, size = constant.data.data, constant.get_element_type().compile_time_size
    first = bytes(raw[:size])
    if not raw or raw[-size:] != first or raw[len(raw) // size // 2 * size :][:size] != first:
        return False
    return first * (len(raw) // size) == raw


def is_dtype(element: Attribute) -> bool:
    """Whether the reference knows the element type."""
    try:
        return isinstance(element, IndexType) or bool(dtype_of(element))
    except ValueError:
        return False


def integers(values: Sequence[int]) -> DenseIntOrFPElementsAttr[Any]:
    """A vector of i64."""
    import numpy as np

    array = np.array(values, np.int64)
    return dense(Shaped(array.shape, i64).type, array)
