"""Python's collector of garbage, which goes through whatever is new, and finds little where programs are made."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

OBJECTS = 200_000
"""After how many new objects there is a collection: ops and values of about 20,000 lines."""


@contextmanager
def rare_collection() -> Generator[None]:
    """Collect garbage seldom inside the block; Python would do so after every 700 new objects, a line of 50."""
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
