"""What both SwiGLU passes start from."""

from typing_extensions import TypeVar
from xdsl.ir import Operation

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp
from rlx_passes.rewriting.legality import only_reader, other_operand, producer, require_kind

OpT = TypeVar("OpT", bound=Operation)


def gated_by(silu: ActivationOp, wanted: type[OpT]) -> tuple[OpT, OpT, BinaryOp]:
    """
    Gate, up and product of `up * silu(gate)`: gate and up from `wanted` ops, each value read once. Raises `Miss`.
    """
    gate = producer(silu.input, wanted)
    only_reader(silu.input, ActivationOp)
    product = only_reader(silu.result, BinaryOp)
    require_kind(product, BinaryKind.MUL)
    value = other_operand(product, silu.result)
    up = producer(value, wanted)
    only_reader(value, BinaryOp)
    return gate, up, product
