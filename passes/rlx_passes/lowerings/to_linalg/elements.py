"""Elements of tensors in the body of a linalg op: where they stand, and how they are read and written."""

from xdsl.dialects.builtin import IndexType, i1
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, SSAValue

from rlx_passes.lowerings.arith_machine import Natives
from rlx_passes.lowerings.to_linalg.scalars import Scalar, computed, signless


def index(block: Block, axis: int) -> Scalar:
    """The position along loop `axis` of the linalg op whose body is `block`."""
    op = linalg.IndexOp(axis)
    block.add_op(op)
    return Scalar(block, op.results[0], IndexType())


def load(block: Block, value: SSAValue, element: Attribute, natives: Natives) -> Scalar:
    """A stored element as what it stands for: a truth value kept as i32 is compared, a narrow float widened."""
    if element == i1 and value.type != i1:
        return Scalar(block, value, value.type, natives).differs(0)
    return Scalar(block, value, element, natives).to(computed(element))


def store(scalar: Scalar, element: Attribute, stored: Attribute) -> SSAValue:
    """`scalar`, rounded to `element`, as the tensor keeps it."""
    exact = scalar.to(element)
    return exact.value if signless(element) == stored else exact.to(stored).value
