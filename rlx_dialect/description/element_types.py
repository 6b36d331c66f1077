"""Which element types an op takes, found by asking its verifier."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.dtypes import DTYPES
from rlx_dialect.ops import RlxOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_dialect.xdsl_repairs import retype


class Alone(NamedTuple):
    """An op on arguments of its own: the block has those, and not yet the op."""

    op: RlxOp
    block: Block


def variants(op: RlxOp) -> Iterator[tuple[str, RlxOp, Block]]:
    """
    For each element type that fits the first operand: its name, a copy of `op`, a block whose arguments the copy reads.

    `op` has operands and no regions; operands and results of another element type keep it.
    """
    first = shaped(op.operands[0]).element
    for dtype in DTYPES.values():
        if (found := with_element(op, first, dtype.type)) is not None:
            yield dtype.name, found.op, found.block


def has_variants(op: RlxOp) -> bool:
    """Whether the element type of the first operand is one that could be another."""
    if not op.operands or op.regions or not isinstance(op.operands[0].type, TensorType):
        return False
    return shaped(op.operands[0]).element in {dtype.type for dtype in DTYPES.values()}


def with_element(op: RlxOp, before: Attribute, after: Attribute) -> Alone | None:
    """A copy of `op` alone with the element type `after` in place of `before`; None where the verifier refuses it."""

    def changed(type: Shaped) -> Shaped:
        return Shaped(type.dims, after if type.element == before else type.element)

    return alone(op, changed)


def alone(op: RlxOp, change: Callable[[Shaped], Shaped]) -> Alone | None:
    """A copy of `op` alone, the types of its tensors changed; None where the verifier refuses it."""

    def changed(value: SSAValue) -> Attribute:
        return change(shaped(value)).type if isinstance(value.type, TensorType) else value.type

    block = Block(arg_types=[changed(value) for value in op.operands])
    copy = op.clone()
    copy.operands = block.args
    inner = (argument for region in copy.regions for each in region.blocks for argument in each.args)
    for value in (*copy.results, *inner):
        retype(value, changed(value))
    try:
        copy.refine()
        copy.verify()
    except (ValueError, VerifyException):
        return None
    return Alone(copy, block)
