"""What a lowering says about an op that it cannot express."""

from xdsl.dialects.builtin import UnknownLoc, UnregisteredOp
from xdsl.ir import Operation

from rlx_passes.errors import RlxError


class LoweringError(RlxError):
    """An op that has no form in the dialect it is lowered to; the message names the op, where it stands and why."""

    def __init__(self, op: Operation, reason: str):
        self.op = op
        where = "" if isinstance(op.location, UnknownLoc) else f" at {op.location}"
        super().__init__(f"'{name_of(op)}'{where} {reason}")


def name_of(op: Operation) -> str:
    """The name of `op` as the text has it, registered or not."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name
