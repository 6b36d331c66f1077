"""Which keys a constant condition shows to each query, where these are all within a band around the query's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from rlx_dialect.ops import AttentionConfig
from rlx_dialect.ops.attention import END
from rlx_dialect.shapes import DYNAMIC

if TYPE_CHECKING:
    from rlx_dialect.reference import Array


class Band(NamedTuple):
    """Key j is visible to query i iff `i + low <= j <= i + high`; None is no bound."""

    low: int | None = None
    high: int | None = None

    def within(self, other: Band) -> Band:
        """What both show."""
        lows = [bound for bound in (self.low, other.low) if bound is not None]
        highs = [bound for bound in (self.high, other.high) if bound is not None]
        return Band(max(lows, default=None), min(highs, default=None))

    def reduced(self, queries: int, keys: int) -> Band:
        """Without bounds that hide nothing."""
        low, high = self
        if low is not None and queries != DYNAMIC and low <= 1 - queries:
            low = None
        if high is not None and keys != DYNAMIC and high >= keys - 1:
            high = None
        return Band(low, high)

    def fits(self, queries: int, keys: int) -> bool:
        """Whether attributes of an attention can say it where sizes are not known."""
        low, high = self
        if low is None or DYNAMIC not in (queries, keys):
            return True
        return low <= 0 if high is None else low <= high

    def shows_a_key(self, queries: int, keys: int) -> bool:
        """Whether each query is certain to see a key."""
        low, high = self
        if keys == 0 or (high is not None and high < 0) or (low is not None and high is not None and low > high):
            return False
        return low is None or (DYNAMIC not in (queries, keys) and queries + low <= keys)

    def flags(self, queries: int, keys: int) -> Array:
        """Which keys each query sees, `[queries, keys]`."""
        import numpy as np

        away = cast("Array", np.arange(keys)[None] - np.arange(queries)[:, None])
        least = -queries if self.low is None else self.low
        return (away >= least) & (away <= (keys if self.high is None else self.high))

    def config(self, config: AttentionConfig, queries: int, keys: int) -> AttentionConfig:
        """`config` with this band in the place of its own: symmetric windows as such, others below a causal offset."""
        low, high = self
        offset, left, right = high, None, None
        if low is not None and high is not None and low > high:
            offset = -queries
        elif low is not None:
            if high is None and low > 0:
                offset = max(low, keys - 1)
                left = offset - low
            elif high is None:
                left = -low
            elif queries == keys and low <= 0 < high:
                offset, left, right = None, -low, high
            else:
                left = high - low
        return config._replace(causal_offset=offset, window_left=left, window_right=right)


EVERYWHERE = Band()


def band_in(config: AttentionConfig, queries: int, keys: int) -> Band | None:
    """The band of an attention; None where it is at an end that only a run knows, or hides all keys."""
    offset: int | None
    if config.causal_offset == END:
        if DYNAMIC in (queries, keys):
            return None
        offset = keys - queries
    else:
        offset = None if config.causal_offset is None else int(config.causal_offset)
    middle = offset or 0
    low = None if config.window_left is None else middle - config.window_left
    high = None if config.window_right is None else middle + config.window_right
    return Band(low, high).within(Band(None, offset))


def band_of(flags: Array) -> Band | None:
    """The band that `[queries, keys]` flags show, each query at least one key; None for any others."""
    queries, keys = flags.shape
    if flags.all():
        return EVERYWHERE
    if queries < 2 or not keys or not flags.any(1).all():
        return None
    first, last = flags.argmax(1), keys - 1 - flags[:, ::-1].argmax(1)
    lows = [int(place) - query for query, place in enumerate(first) if place > 0]
    highs = [int(place) - query for query, place in enumerate(last) if place < keys - 1]
    band = Band(max(lows, default=None), min(highs, default=None))
    return band if bool((band.flags(queries, keys) == flags).all()) else None
