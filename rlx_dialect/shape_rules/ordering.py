"""Shape rules of the ops that compare elements with one another: sorts, extrema, counts."""

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute

from rlx_dialect.dtypes import dtype_of, integer_limits, is_complex, is_float, is_integer
from rlx_dialect.relations import can_be
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, known, normalize_axis

INDEX = i64
"""The element type of indices where nothing else is said, as ONNX has it."""

_EXACT = {"f64": 2**53, "f32": 2**24, "f16": 2**11, "bf16": 2**8}
"""Up to which number a float type holds every integer."""

_BEYOND_SIZES = 2**53
"""No dim that only a run knows is held against a type that counts so far."""


def require_ordered(value: Shaped, name: str = "input") -> None:
    """The elements of `value` have an order; complex numbers have none."""
    if is_complex(value.element):
        raise ShapeError(f"{name} must have elements with an order, got {value}")


def require_counter(element: Attribute, last: int, what: str) -> None:
    """`element` holds every integer from 0 to `last`, a number or `DYNAMIC`. Truth values count nothing."""
    if is_float(element):
        most = _EXACT.get(dtype_of(element).name, 0)
    elif is_integer(element) and element != i1:
        most = integer_limits(element)[1]
    else:
        raise ShapeError(f"{what} must be integers or floats, got {element}")
    if (known(last) or most < _BEYOND_SIZES) and not can_be(most, "at least", last):
        raise ShapeError(f"{what} go up to {last}, which {element} does not hold")


def places(value: Shaped, axis: int, element: Attribute) -> Shaped:
    """Indices into `axis` in the dims of `value`."""
    size = value.dims[axis]
    require_counter(element, size if size == DYNAMIC else size - 1, "indices")
    return Shaped(value.dims, element)


def arg_reduce(
    value: Shaped, axis: int, keep_dims: bool, element: Attribute, operand: str = "input"
) -> tuple[Shaped, Shaped]:
    """The extremum along `axis` and its index of type `element`; the axis is dropped, or kept as 1."""
    require_ordered(value)
    axis = normalize_axis(axis, value.rank, operand)
    if not can_be(value.dims[axis], "at least", 1):
        raise ShapeError(f"dim {axis} of {value} has no element to choose")
    indices = places(value, axis, element)
    kept = (*value.dims[:axis], *([1] if keep_dims else []), *value.dims[axis + 1 :])
    return value.with_dims(kept), indices.with_dims(kept)


def top_k(value: Shaped, k: int, axis: int, element: Attribute) -> tuple[Shaped, Shaped]:
    """`k` values along `axis`, and their indices of type `element`."""
    require_ordered(value)
    axis = normalize_axis(axis, value.rank)
    size = value.dims[axis]
    if k < 0 or not can_be(size, "at least", k):
        raise ShapeError(f"k must be between 0 and the size of dim {axis} of {value}, got {k}")
    indices = places(value, axis, element)
    dims = (*value.dims[:axis], k, *value.dims[axis + 1 :])
    return value.with_dims(dims), indices.with_dims(dims)
