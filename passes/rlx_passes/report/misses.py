"""Misses as they are heard, and as a report lists them: equal ones on one line, near ones first."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

from xdsl.ir import Block, Operation, SSAValue

from rlx_passes.report.advice import to_fuse
from rlx_passes.report.nearness import is_candidate, nearness, stands_between
from rlx_passes.report.parts import LINES, NOWHERE, PLACES, Blocking, Missed
from rlx_passes.report.places import Origin
from rlx_passes.rewriting.miss import BETWEEN, Blocker, CodedReason, Miss, Reason

SHOWN_BLOCKERS = 4


@dataclass(frozen=True)
class Heard:
    """One miss of a candidate, as it was when it was heard; `root` and `movers` are looked at once more in the end."""

    pattern: str
    root: Operation
    root_name: str
    origin: Origin
    reason: CodedReason
    detail: str
    blockers: tuple[Blocking, ...]
    movers: tuple[Operation, ...] = ()
    """Ops of which the loss means that a later fusion took the miss away."""

    @property
    def key(self) -> tuple[object, ...]:
        return self.pattern, self.root_name, self.reason, self.detail, tuple(each.op for each in self.blockers)


@dataclass
class Misses:
    """The misses of one run."""

    heard: list[Heard] = field(default_factory=list[Heard])
    no_candidates: Counter[str] = field(default_factory=Counter[str])
    taken: Counter[str] = field(default_factory=Counter[str])

    def hear(self, pattern: str, root: Operation, miss: Miss) -> None:
        """A miss in the program at hand."""
        self._hear(pattern, root, miss, live=True)

    def hear_of_copy(self, pattern: str, root: Operation, miss: Miss) -> None:
        """A miss in a copy of the program, whose ops go while those of the program stay."""
        self._hear(pattern, root, miss, live=False)

    def _hear(self, pattern: str, root: Operation, miss: Miss, *, live: bool) -> None:
        if not is_candidate(root, miss):
            self.no_candidates[pattern] += 1
            return
        movers = (root,) if live else ()
        if miss.reason is Reason.LATER_FUSION:
            movers += tuple(each for each in miss.blockers if isinstance(each, Operation))
        others = [each for each in miss.blockers if each is not root]
        blockers = tuple(map(_blocking, others[:SHOWN_BLOCKERS]))
        origin = Origin.of(root.location)
        detail = miss.text or (BETWEEN if stands_between(miss) else "")
        self.heard.append(Heard(pattern, root, root.name, origin, miss.reason, detail, blockers, movers))

    def grouped(self) -> tuple[tuple[Missed, ...], int]:
        """The lines of a report and how many more there would be. Counts the misses that another fusion took away."""
        groups: dict[tuple[object, ...], list[Heard]] = {}
        for each in self.heard:
            if any(op.parent is None for op in each.movers):
                self.taken[each.pattern] += 1
            else:
                groups.setdefault(each.key, []).append(each)
        lines = sorted(map(_line, groups.values()), key=lambda line: line.nearness)
        return tuple(lines[:LINES]), max(0, len(lines) - LINES)


def _line(equal: list[Heard]) -> Missed:
    first = equal[0]
    blocker = f"{first.blockers[0].op} {first.blockers[0].value}".strip() if first.blockers else ""
    places = dict.fromkeys(each.origin for each in equal if each.origin != NOWHERE)
    return Missed(
        first.pattern,
        first.root_name,
        first.reason,
        first.detail,
        first.blockers,
        to_fuse(first.reason, first.detail, blocker, several=len(first.blockers) > 1),
        len(equal),
        tuple(islice(places, PLACES)),
        nearness(first.reason),
    )


def _blocking(blocker: Blocker) -> Blocking:
    if isinstance(blocker, SSAValue):
        owner = blocker.owner
        if isinstance(owner, Block):
            return Blocking("argument", f"%{blocker.name_hint or f'arg{owner.args.index(blocker)}'}")
        blocker = owner
    names = ", ".join(f"%{result.name_hint}" for result in blocker.results if result.name_hint)
    return Blocking(blocker.name, names, Origin.of(blocker.location))
