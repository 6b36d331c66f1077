"""What a lowering says about an op that it cannot express."""

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from rlx_passes.errors import RlxError


class LoweringError(RlxError):
    """An op that has no form in the dialect it is lowered to; the message names the op and says why, tools add where it stands."""

    def __init__(self, op: Operation, reason: str):
        self.op = op
        super().__init__(f"'{name_of(op)}' {reason}")


def name_of(op: Operation) -> str:
    """The name of `op` as the text has it, registered or not."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name
