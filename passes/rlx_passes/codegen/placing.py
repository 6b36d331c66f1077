"""Where temporaries lie in their arena, by their lifetimes."""

from collections.abc import Sequence
from dataclasses import dataclass

from rlx_dialect.dims import Dim, Size
from rlx_passes.bundle.launch_plan import ALIGNMENT, Kind, aligned


@dataclass
class Use:
    """A buffer while the plan is made: `first` and `last` are the steps that touch it."""

    kind: Kind
    place: Size
    size: Size
    first: int | None = None
    last: int = -1

    def touch(self, first: int, last: int) -> None:
        """Note that the buffer is in use from `first` to `last`."""
        self.first = first if self.first is None else min(self.first, first)
        self.last = max(self.last, last)

    def meets(self, other: "Use") -> bool:
        """Whether there is a step at which both are alive."""
        if self.first is None or other.first is None:
            return False
        return self.first <= other.last and other.first <= self.last


def place(uses: Sequence[Use]) -> Size:
    """Give each temporary its place in the arena, and return the arena's size: those of known sizes lie first."""
    temporaries = [use for use in uses if use.kind == "temporary"]
    return _place_open(temporaries, _place_known(temporaries))


def _place_known(temporaries: Sequence[Use]) -> int:
    """Greedy by size: the largest first, each at the lowest offset where it meets nothing that is alive with it."""
    placed: list[tuple[int, int, Use]] = []
    arena = 0
    sized = [(use.size, use) for use in temporaries if isinstance(use.size, int)]
    for size, use in sorted(sized, key=lambda each: -each[0]):
        at = 0
        for start, end, _ in sorted((each for each in placed if each[2].meets(use)), key=lambda each: each[0]):
            if at + size <= start:
                break
            at = max(at, end)
        use.place = at
        placed.append((at, -(-(at + size) // ALIGNMENT) * ALIGNMENT, use))
        arena = max(arena, placed[-1][1])
    return arena


def _place_open(temporaries: Sequence[Use], arena: Size) -> Size:
    """Two that have one size in every run, and are never alive at the same time, share a place behind `arena`."""
    shared: dict[Size, list[list[Use]]] = {}
    for use in temporaries:
        if not isinstance(use.size, Dim):
            continue
        places = shared.setdefault(use.size, [])
        free = next((users for users in places if not any(other.meets(use) for other in users)), None)
        if free is not None:
            use.place = free[0].place
            free.append(use)
            continue
        use.place = arena
        arena = arena + aligned(use.size)
        places.append([use])
    return arena
