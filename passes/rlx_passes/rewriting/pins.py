"""
`rlx.must_fuse`: a unit attribute on an op that some fusion has to absorb, and what was heard of the attempts.

The reasons serve the message of `rlx-check-must-fuse` alone; no pass decides anything by them.
"""

from collections.abc import Iterator
from itertools import islice

from xdsl.ir import Operation, SSAValue

MUST_FUSE = "rlx.must_fuse"
"""A unit attribute on an op that must not be left after a fusion pipeline but in the body of a region."""


SHOWN_READERS = 4
"""As many readers of a value are looked at, so that a value with a thousand of them costs no more."""


def pinned(root: Operation, *blockers: Operation | SSAValue) -> Iterator[Operation]:
    """The ops with `rlx.must_fuse` among `root`, its readers, the blockers, and their operands' owners; each once."""
    owners = [blocker if isinstance(blocker, Operation) else blocker.owner for blocker in blockers]
    readers = [use.operation for result in root.results for use in islice(result.uses, SHOWN_READERS)]
    for op in dict.fromkeys((root, *owners, *readers)):
        if isinstance(op, Operation) and MUST_FUSE in op.attributes:
            yield op
