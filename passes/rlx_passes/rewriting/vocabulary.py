"""What rules to and from StableHLO both ask of values, in programs that may be half of each dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import array_of
from rlx_dialect.ops import ExpandOp, ReshapeOp
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo.data_movement import BroadcastInDimOp
from rlx_passes.dialects.stablehlo.data_movement import ConstantOp as StableConstantOp

if TYPE_CHECKING:
    from rlx_dialect.arrays import Array


def constant_value(value: SSAValue) -> Attribute | None:
    """The attribute of a constant, whichever dialect it is of; None for any other value."""
    owner = value.owner
    return owner.value if isinstance(owner, ConstantOp | StableConstantOp) else None


def constant_array(value: SSAValue) -> Array | None:
    """What a constant holds; None for any other value."""
    held = constant_value(value)
    try:
        return None if held is None else array_of(held)
    except ValueError:
        return None


def splat_number(value: SSAValue) -> float | int | complex | None:
    """The one number that a constant holds, seen through broadcasts of either dialect; None for any other value."""
    while isinstance(value.owner, ExpandOp | ReshapeOp | BroadcastInDimOp):
        value = value.owner.operands[0]
    array = constant_array(value)
    if array is None or not array.size:
        return None
    first = array.flat[0]
    return first.item() if bool((array == first).all()) or array.size == 1 else None


def integer_width(element: Attribute) -> int:
    """How many bits an integer type has."""
    if not isinstance(element, IntegerType):
        raise Refusal(f"needs integers, has {element}")
    return element.bitwidth
