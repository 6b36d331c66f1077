"""Whether integers of a program are 0 or more, whatever it is called with."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from rlx_dialect.constants import array_of
from rlx_dialect.dtypes import integer_limits, is_integer
from rlx_dialect.ops import (
    ArgMaxOp,
    ArgMinOp,
    ArgsortOp,
    CastOp,
    ConcatOp,
    ExpandOp,
    GatherOp,
    IotaOp,
    NarrowOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TileOp,
    TransposeOp,
)
from rlx_dialect.shapes import shaped

_COUNTING = (ArgMaxOp, ArgMinOp, ArgsortOp, IotaOp)
_MOVING = (ExpandOp, GatherOp, NarrowOp, ReshapeOp, ReverseOp, SliceOp, TileOp, TransposeOp)
"""Ops that give elements of their first operand and no others."""


def never_negative(value: SSAValue) -> bool:
    """Whether no element is below 0: places and numbers counted up from 0, and what moves or joins such ones."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        match value.owner:
            case ConstantOp() as op:
                array = array_of(op.value)
                if array.dtype.kind not in "iu" or (array.size and array.min() < 0):
                    return False
            case ConcatOp() as op:
                waiting += op.operands
            case CastOp() as op if _keeps_numbers(op):
                waiting += op.operands
            case op if isinstance(op, _MOVING):
                waiting.append(op.operands[0])
            case op if isinstance(op, _COUNTING):
                pass
            case _:
                return False
    return True


def _keeps_numbers(op: CastOp) -> bool:
    """A cast between integers to a type that has every number of the other that is 0 or more."""
    before, after = shaped(op.operands[0]).element, shaped(op.results[0]).element
    if not is_integer(before) or not is_integer(after) or i1 in (before, after):
        return False
    return integer_limits(before)[1] <= integer_limits(after)[1]
