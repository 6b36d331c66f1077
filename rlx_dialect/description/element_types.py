"""Which element types an op takes, found by asking its verifier."""

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.dtypes import DTYPES
from rlx_dialect.ops import RlxOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_dialect.xdsl_repairs import retype


def variants(op: RlxOp) -> Iterator[tuple[str, RlxOp, Block]]:
    """
    For each element type that fits the first operand: its name, a copy of `op`, a block whose arguments the copy reads.

    `op` has operands and no regions; operands and results of another element type keep it.
    """
    first = shaped(op.operands[0]).element
    for dtype in DTYPES.values():
        block = Block(arg_types=[_with(value, first, dtype.type) for value in op.operands])
        copy = op.clone(dict(zip(op.operands, block.args)))
        copy.operands = block.args
        for result, before in zip(copy.results, op.results):
            retype(result, _with(before, first, dtype.type))
        try:
            copy.refine()
            copy.verify()
        except (ValueError, VerifyException):
            continue
        yield dtype.name, copy, block


def has_variants(op: RlxOp) -> bool:
    """Whether the element type of the first operand is one that could be another."""
    if not op.operands or op.regions or not isinstance(op.operands[0].type, TensorType):
        return False
    return shaped(op.operands[0]).element in {dtype.type for dtype in DTYPES.values()}


def _with(value: SSAValue, before: Attribute, after: Attribute) -> Attribute:
    """The type of `value` with `after` in place of `before`."""
    if not isinstance(value.type, TensorType):
        return value.type
    dims, element = shaped(value)
    return Shaped(dims, after if element == before else element).type
