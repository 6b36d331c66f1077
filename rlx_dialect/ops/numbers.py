"""Numbers as attributes of ops whose operands may be integers or floats."""

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f64, i64
from xdsl.ir import Attribute

from rlx_dialect.dtypes import integer_limits, is_complex, is_float
from rlx_dialect.shapes import Shaped, ShapeError

NumberAttr = IntegerAttr | FloatAttr
NUMBER = IntegerAttr.constr(i64) | FloatAttr.constr(f64)
"""An integer for integers and truth values, a real number for floats and complex ones, written `custom<Number>`."""


def number_attr(value: float, element: Attribute) -> NumberAttr:
    """`value` as a number for `element`. Raises `ShapeError` for one that the element type does not have."""
    if takes_reals(element):
        return FloatAttr(float(value), f64)
    low, high = integer_limits(element)
    if value != value or not low <= value <= high or value != int(value):
        raise ShapeError(f"{value} is no value of {element}")
    return IntegerAttr(int(value), i64)


def takes_reals(element: Attribute) -> bool:
    """Whether numbers for `element` are written as real numbers."""
    return is_float(element) or is_complex(element)


def require_number(number: NumberAttr, of: Shaped, name: str) -> None:
    """`number` is written as the elements of `of` are, and is one of their values."""
    value = number.value.data
    if takes_reals(of.element):
        if isinstance(number, IntegerAttr):
            raise ShapeError(f"{name} must be a real number for {of}, got {value}; write {value}.0")
        return
    low, high = integer_limits(of.element)
    if not isinstance(value, int) or not low <= value <= high:
        raise ShapeError(f"{name} must be an integer from {low} to {high} for {of}, got {value}")
