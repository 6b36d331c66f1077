"""What a lowering says about an op that it cannot express."""

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation

from rlx_passes.errors import RlxError


class LoweringError(RlxError):
    """An op that has no form in the dialect it is lowered to; the message names the op, where it stands and why."""

    def __init__(self, op: Operation, reason: str):
        self.op = op
        where = "" if isinstance(op.location, UnknownLoc) else f" at {op.location}"
        super().__init__(f"'{op.name}'{where} {reason}")
