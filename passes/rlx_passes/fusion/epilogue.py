"""The activation at the end of a product or a convolution."""

from xdsl.ir import SSAValue

from rlx_dialect.ops import ActivationOp
from rlx_passes.rewriting.legality import NO_FUSE, live_uses, only_reader, require
from rlx_passes.rewriting.miss import Miss, Reason, report_miss


def sole_activation(title: str, value: SSAValue) -> ActivationOp | None:
    """The activation that alone reads `value`. Another reader, or a pinned one, is a miss of `title` and stays out."""
    try:
        tail = only_reader(value, ActivationOp)
        require(NO_FUSE not in tail.attributes, Reason.NO_FUSE, tail)
    except Miss as miss:
        for reader in dict.fromkeys(use.operation for use in live_uses(value)):
            if isinstance(reader, ActivationOp):
                report_miss(title, reader, miss)
        return None
    return tail
