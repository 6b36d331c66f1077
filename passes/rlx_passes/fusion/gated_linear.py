"""What both passes of gated linear units start from."""

from typing_extensions import TypeVar
from xdsl.ir import Operation

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp
from rlx_passes.rewriting.legality import only_reader, optional_reader, other_operand, producer, require_kind

OpT = TypeVar("OpT", bound=Operation)


def gated_by(act: ActivationOp, wanted: type[OpT]) -> tuple[OpT, OpT, BinaryOp]:
    """
    Gate, up and product of `up * act(gate)`: gate and up from `wanted` ops, each value read once. Raises `Miss`.
    """
    gate = producer(act.input, wanted)
    only_reader(act.input, ActivationOp)
    product = only_reader(act.result, BinaryOp)
    require_kind(product, BinaryKind.MUL)
    value = other_operand(product, act.result)
    up = producer(value, wanted)
    only_reader(value, BinaryOp)
    return gate, up, product


def opens_gate(act: ActivationOp, wanted: type[Operation]) -> bool:
    """Whether one would look for a gated unit at `act`: at every silu, and at others between `wanted` and a product."""
    if act.activation is Activation.SILU:
        return True
    product = optional_reader(act.result, BinaryOp) if isinstance(act.input.owner, wanted) else None
    return product is not None and product.kind.data == BinaryKind.MUL.value
