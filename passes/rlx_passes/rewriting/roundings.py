"""
Where a program rounds to a narrow float and an op found in its place does not: each is told to whoever listens, or,
under `keeping`, forbids the op.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import frexp

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.constants import scalar
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    ClampOp,
    ConcatOp,
    DynamicSliceOp,
    ExpandOp,
    GatherOp,
    NarrowOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TransposeOp,
    WhereOp,
)
from rlx_passes.rewriting.legality import tensor_type
from rlx_passes.rewriting.patterns import Fusion

Listener = Callable[[str, Operation, Sequence[Operation]], None]
"""Hears of a pattern's title, its root, and the ops whose results are no longer rounded."""

_listener: ContextVar[Listener | None] = ContextVar("rlx_rounding_listener", default=None)
_keeping: ContextVar[bool] = ContextVar("rlx_exact_rounding", default=False)

WIDE = 32
"""Floats of as many bits are those in which narrower ones are computed."""

EXACT = (
    *(ClampOp, ConcatOp, DynamicSliceOp, ExpandOp, GatherOp, NarrowOp, PadOp, ReshapeOp, ReverseOp, SliceOp),
    *(TransposeOp, WhereOp),
)
"""Ops that only move or choose elements."""

EXACT_BINARY = {BinaryKind.MAX, BinaryKind.MIN}
EXACT_ACTIVATIONS = {Activation.NEG, Activation.ABS, Activation.RELU}
MOST_OPS = 256


def keeps_roundings() -> bool:
    """Whether no rounding may go."""
    return _keeping.get()


@contextmanager
def keeping(all_of_them: bool) -> Generator[None]:
    """Inside the `with` block, if so, no rounding may go."""
    token = _keeping.set(all_of_them)
    try:
        yield
    finally:
        _keeping.reset(token)


@contextmanager
def hearing(listener: Listener) -> Generator[None]:
    """Send every rounding that goes to `listener` inside the `with` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(title: str, root: Operation, ops: Sequence[Operation]) -> None:
    """Say that the results of `ops` are no longer rounded."""
    if ops and (heard := _listener.get()) is not None:
        heard(title, root, ops)


def is_heard() -> bool:
    """Whether anybody listens."""
    return _listener.get() is not None


def roundings(fusion: Fusion) -> tuple[Operation, ...]:
    """The ops between what the new ops read and what they replace whose results are rounded to a narrow float."""
    new = set(fusion.new)
    given = {value for op in fusion.new for value in op.operands if value.owner not in new}
    found: dict[Operation, None] = {}
    reached: dict[SSAValue, bool] = {}

    def depends(value: SSAValue) -> bool:
        if value in given:
            return True
        owner = value.owner
        if value in reached or isinstance(owner, Block) or len(reached) > MOST_OPS:
            return reached.get(value, False)
        reached[value] = False
        inner = [depends(operand) for operand in owner.operands]
        reached[value] = any(inner)
        if reached[value] and value not in fusion.replaces and rounds(owner):
            found[owner] = None
        return reached[value]

    for value in fusion.replaces:
        depends(value)
    return tuple(found)


def rounds(op: Operation) -> bool:
    """Whether an op gives elements of a narrow float that it had to round."""
    if isinstance(op, (*EXACT, ConstantOp)) or not any(is_narrow(result) for result in op.results):
        return False
    if isinstance(op, CastOp):
        return not 0 < bits(op.input) < bits(op.result)
    if isinstance(op, ActivationOp):
        return op.activation not in EXACT_ACTIVATIONS
    if not isinstance(op, BinaryOp):
        return True
    scales = op.binary is BinaryKind.MUL and any(is_power(scalar(side)) for side in op.operands)
    return (
        op.binary not in EXACT_BINARY and not scales and not (op.binary is BinaryKind.DIV and is_power(scalar(op.rhs)))
    )


def is_power(number: float | None) -> bool:
    """Whether a number is a power of two, with which a product is exact but at the ends of the range."""
    return number is not None and abs(frexp(number)[0]) == 0.5


def bits(value: SSAValue) -> int:
    """The bits of a float; 0 for other elements."""
    element = tensor_type(value).element_type if isinstance(value.type, TensorType) else None
    return element.bitwidth if isinstance(element, AnyFloat) else 0


def is_narrow(value: SSAValue) -> bool:
    return 0 < bits(value) < WIDE
