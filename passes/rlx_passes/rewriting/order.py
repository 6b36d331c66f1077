"""Which of two ops of a block comes first, without a walk of the block per question."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.ir import Operation


class Positions:
    """
    The places of the ops below `root`, numbered when first asked for.

    Ops that are put before another share its number; among those of one number, the distance is walked.
    """

    def __init__(self, root: Operation):
        self._root = root
        self._numbers: dict[Operation, int] | None = None

    def put_before(self, ops: Sequence[Operation], at: Operation) -> None:
        """Note that `ops` are right before `at` now."""
        if self._numbers is not None and at in self._numbers:
            for op in ops:
                self._numbers[op] = self._numbers[at]

    def is_after(self, op: Operation, at: Operation) -> bool:
        """Whether `op` comes after `at` in their block."""
        if self._numbers is None:
            self._numbers = {op: i for i, op in enumerate(self._root.walk())}
        mine, other = self._numbers.get(op), self._numbers.get(at)
        if mine is None or other is None or mine == other:
            return _walk_is_after(op, at)
        return mine > other


_positions: ContextVar[Positions | None] = ContextVar("rlx_positions", default=None)


@contextmanager
def numbered(root: Operation) -> Generator[None]:
    """Answer the questions of this module by number in the `with` block; every move must be told by `put_before`."""
    token = _positions.set(Positions(root))
    try:
        yield
    finally:
        _positions.reset(token)


def put_before(ops: Sequence[Operation], at: Operation) -> None:
    """Note that `ops` were inserted or moved right before `at`."""
    positions = _positions.get()
    if positions is not None:
        positions.put_before(ops, at)


def is_after(op: Operation, at: Operation) -> bool:
    """Whether `op` comes after `at`; both are in one block."""
    positions = _positions.get()
    return _walk_is_after(op, at) if positions is None else positions.is_after(op, at)


def _walk_is_after(op: Operation, at: Operation) -> bool:
    """Walk from `op` both ways until `at` is met: as many steps as lie between them."""
    before, after = op.prev_op, op.next_op
    while before is not None or after is not None:
        if before is at:
            return True
        if after is at:
            return False
        before = None if before is None else before.prev_op
        after = None if after is None else after.next_op
    return False
