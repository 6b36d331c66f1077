"""
`rlx.must_fuse`: a unit attribute on an op that some fusion has to absorb, and what was heard of the attempts.

The reasons serve the message of `rlx-check-must-fuse` alone; no pass decides anything by them.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from xdsl.ir import Operation, SSAValue

if TYPE_CHECKING:
    from rlx_passes.miss import MissRecord

MUST_FUSE = "rlx.must_fuse"
"""A unit attribute on an op that must not be left after a fusion pipeline but in the body of a region."""

_heard: "WeakKeyDictionary[Operation, dict[MissRecord, None]]" = WeakKeyDictionary()


SHOWN_READERS = 4
"""As many readers of a value are looked at, so that a value with a thousand of them costs no more."""


def pinned(root: Operation, *blockers: Operation | SSAValue) -> Iterator[Operation]:
    """The ops with `rlx.must_fuse` among `root`, the ops that read it, the blockers, and the ops that define these; each once."""
    owners = [blocker if isinstance(blocker, Operation) else blocker.owner for blocker in blockers]
    readers = [use.operation for result in root.results for use in islice(result.uses, SHOWN_READERS)]
    for op in dict.fromkeys((root, *owners, *readers)):
        if isinstance(op, Operation) and MUST_FUSE in op.attributes:
            yield op


def note(op: Operation, record: "MissRecord") -> None:
    """Remember that a fusion that touches `op` was missed. Forgotten with the op."""
    _heard.setdefault(op, {})[record] = None


def reasons(op: Operation) -> "tuple[MissRecord, ...]":
    """The misses that were noted for `op`, in order, each once."""
    return tuple(_heard.get(op, ()))
