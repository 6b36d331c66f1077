"""What several rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import array_of, dense
from rlx_dialect.dtypes import dtype_of, numpy_dtype
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.conversion import Declined, Emitter
from rlx_passes.frontend.stablehlo.base import is_complex
from rlx_passes.frontend.stablehlo.data_movement import ConstantOp as StableConstantOp

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array


def real(value: SSAValue) -> Shaped:
    """Dims and element type of a tensor of numbers that RLX has and that are not complex."""
    if is_complex(value.type):
        raise Declined(f"has an operand of complex numbers, {value.type}")
    found = shaped(value)
    try:
        dtype_of(found.element)
    except ValueError as error:
        raise Declined(str(error)) from error
    return found


def splat(emit: Emitter, element: Attribute, number: float) -> SSAValue:
    """A constant of rank 0."""
    import numpy as np

    return emit(ConstantOp(dense(TensorType(element, []), np.array(number, dtype=numpy_dtype(element)))))


def constant_array(value: SSAValue) -> Array | None:
    """What a constant holds, whichever dialect it is of; None for any other value."""
    owner = value.owner
    if not isinstance(owner, ConstantOp | StableConstantOp):
        return None
    try:
        return array_of(owner.value)
    except ValueError:
        return None


def integer_width(element: Attribute) -> int:
    """How many bits an integer type has."""
    if not isinstance(element, IntegerType):
        raise Declined(f"needs integers, has {element}")
    return element.bitwidth


def require_static(value: SSAValue) -> Shaped:
    """Dims and element type of a value of which all dims are known."""
    found = shaped(value)
    if not found.static:
        raise Declined(f"has the dynamic type {found}")
    return found
