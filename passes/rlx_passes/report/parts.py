"""The lines of a report as data."""

from dataclasses import dataclass

from rlx_passes.report.places import Origin
from rlx_passes.report.work import Work
from rlx_passes.rewriting.miss import CodedReason

NOWHERE = Origin()

PLACES = 8
"""As many places of one line are kept; the count says how many there are."""
LINES = 1000
"""As many lines of misses are kept."""


@dataclass(frozen=True)
class Blocking:
    """An op or value in the way: its op or `argument`, its name in the text where it has one, and its place."""

    op: str
    value: str = ""
    origin: Origin = NOWHERE

    def __str__(self) -> str:
        place = str(self.origin)
        return " ".join(filter(None, (self.op, self.value, f"at {place}" if place else "")))

    def to_json(self) -> dict[str, object]:
        return {"op": self.op, "value": self.value, "place": self.origin.to_json()}


@dataclass(frozen=True)
class Fused:
    """The ops of one family, before and after; `places` are those of the first ones after."""

    family: str
    before: int
    after: int
    places: tuple[Origin, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {**vars(self), "places": [place.to_json() for place in self.places]}


@dataclass(frozen=True)
class Missed:
    """Equal misses: of one pattern at ops of one kind, for one reason, blocked by the same kinds of ops."""

    pattern: str
    root: str
    reason: CodedReason
    detail: str
    blockers: tuple[Blocking, ...]
    to_fuse: str
    count: int
    places: tuple[Origin, ...]
    nearness: int
    """0 where an option alone is in the way, 1 where the form of the ops is, 2 where one of them is not there."""

    def to_json(self) -> dict[str, object]:
        return {
            **vars(self),
            "reason": {"code": self.reason.code, "title": self.reason.title, "text": self.reason.text},
            "blockers": [blocker.to_json() for blocker in self.blockers],
            "places": [place.to_json() for place in self.places],
        }


@dataclass(frozen=True)
class Rounded:
    """Equal changes of how often is rounded: `pattern` found an op in the place of `ops`, which round to `dtypes`."""

    pattern: str
    ops: tuple[str, ...]
    dtypes: tuple[str, ...]
    count: int
    places: tuple[Origin, ...]

    def to_json(self) -> dict[str, object]:
        return {
            **vars(self),
            "ops": list(self.ops),
            "dtypes": list(self.dtypes),
            "places": [place.to_json() for place in self.places],
        }


@dataclass(frozen=True)
class Prices:
    """The numbers of a target that times are reckoned with."""

    dispatch_ns: float
    memory_bw: float

    def nanoseconds(self, work: Work) -> float:
        """The time of launches and transfers."""
        return work.launches * self.dispatch_ns + work.bytes / max(self.memory_bw, 1.0)
