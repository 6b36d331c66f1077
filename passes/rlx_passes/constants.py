"""What patterns ask of constants."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr
from xdsl.ir import SSAValue

from rlx_dialect.ops import ReshapeOp
from rlx_passes.legality import broadcast_source


def dense_of(value: SSAValue) -> DenseIntOrFPElementsAttr | None:
    """The tensor constant that `value` is."""
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, DenseIntOrFPElementsAttr):
        return owner.value
    return None


def uniform_of(value: SSAValue) -> float | None:
    """
    The one number that every element of a float constant is, -0.0 told from 0.0; None for any other value.

    Looks through broadcasts and reshapes, which do not change that.
    """
    value = broadcast_source(value)
    while isinstance(value.owner, ReshapeOp):
        value = broadcast_source(value.owner.input)
    dense = dense_of(value)
    if dense is None:
        return None
    element = dense.get_element_type()
    data = dense.data.data
    if not isinstance(element, AnyFloat) or not data:
        return None
    size = element.compile_time_size
    if data != data[:size] * (len(data) // size):
        return None
    return element.unpack(data[:size], 1)[0]


def is_one(value: SSAValue) -> bool:
    """Whether `value` is a constant of ones."""
    return uniform_of(value) == 1.0


def is_positive_zero(value: SSAValue) -> bool:
    """Whether `value` is a constant of zeros without a sign."""
    number = uniform_of(value)
    return number is not None and str(number) == "0.0"
