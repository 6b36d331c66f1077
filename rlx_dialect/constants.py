"""Dense constants and NumPy arrays, one made from the other without a walk over the elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute

from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.shapes import of_type

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array


def dense(type: TensorType[Attribute], array: Array) -> DenseIntOrFPElementsAttr[Any]:
    """
    The constant of `type` that holds `array`, whose dtype is the type's; an array of one element is a splat.

    Raises `ValueError` where dtype or number of elements do not fit.
    """
    dims, element = of_type(type)
    if array.dtype != numpy_dtype(element):
        raise ValueError(f"{type} needs elements of {numpy_dtype(element)}, got {array.dtype}")
    if array.size != 1 and array.shape != dims:
        raise ValueError(f"{type} needs the shape {list(dims)}, got {list(array.shape)}")
    return DenseIntOrFPElementsAttr(cast(TensorType[Any], type), BytesAttr(array.tobytes()))


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
