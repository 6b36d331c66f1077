"""Counting the rewrites of fusion patterns, and stopping after so many: how a wrong one is found among them."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from xdsl.ir import Operation


@dataclass
class Rewrites:
    """How many rewrites there were, at most `limit` (None: no limit), and the last one's pattern title and root."""

    limit: int | None = None
    count: int = 0
    title: str = ""
    root: Operation | None = None


_counted: ContextVar[Rewrites | None] = ContextVar("rlx_counted_rewrites", default=None)


@contextmanager
def counting(limit: int | None = None) -> Generator[Rewrites]:
    """Count rewrites inside the `with` block, and refuse those after the first `limit`."""
    rewrites = Rewrites(limit)
    token = _counted.set(rewrites)
    try:
        yield rewrites
    finally:
        _counted.reset(token)


def may_rewrite(title: str, root: Operation) -> bool:
    """Whether the pattern `title` may change the program at `root` now; if so, that is counted."""
    rewrites = _counted.get()
    if rewrites is None:
        return True
    if rewrites.count == rewrites.limit:
        return False
    rewrites.count += 1
    rewrites.title, rewrites.root = title, root
    return True
