"""What a host function does, before it becomes ops: launches, and loops and branches around them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from xdsl.ir import SSAValue

from rlx_dialect.dims import Dim, Size
from rlx_dialect.relations import Relation
from rlx_passes.lowerings.to_gpu.kernel import Grid


@dataclass(frozen=True)
class Launch:
    """One launch: the kernel's arguments are `buffers`, which are base buffers, then `sizes`."""

    kernel: str
    grid: Grid
    buffers: tuple[SSAValue, ...]
    sizes: tuple[Dim, ...]
    reads: frozenset[SSAValue]
    writes: frozenset[SSAValue]


@dataclass(frozen=True)
class Loop:
    """
    Does `before`, ends unless `condition` then holds true, and does `body`, again and again.

    At most `rounds` times, where that is a size; `name` is that of the symbol for the number of the round.
    """

    name: str
    rounds: Size | None
    before: tuple[Step, ...]
    condition: SSAValue | None
    body: tuple[Step, ...]


@dataclass(frozen=True)
class Branch:
    """Does `then` where `condition` holds true, else `otherwise`."""

    condition: SSAValue
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


@dataclass(frozen=True)
class Check:
    """Ends the run unless the relation holds."""

    relation: Relation
    message: str


@dataclass(frozen=True)
class Read:
    """From here on the symbol `name` is the element in `buffer`."""

    name: str
    buffer: SSAValue


@dataclass(frozen=True)
class Let:
    """From here on the symbol `name` is what `size` is here. A buffer of such a size is made anew if it differs."""

    name: str
    size: Size


Step = Launch | Loop | Branch | Check | Read | Let

Scope = tuple[str, ...]
"""The loops in whose bodies something lies, by name."""


def homes(steps: Iterable[Step], made: Mapping[SSAValue, Scope]) -> dict[SSAValue, Scope]:
    """Where each buffer is made anew, at the latest: in the body in which it was made and nothing outside reads it."""
    found: dict[SSAValue, Scope] = {}

    def note(base: SSAValue, scope: Scope) -> None:
        known = found.setdefault(base, made.get(base, ()))
        found[base] = tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(known, scope)))

    def walk(steps: Iterable[Step], scope: Scope) -> None:
        for step in steps:
            match step:
                case Launch():
                    for base in step.buffers:
                        note(base, scope)
                case Read():
                    note(step.buffer, scope)
                case Branch():
                    note(step.condition, scope)
                    walk((*step.then, *step.otherwise), scope)
                case Loop():
                    if step.condition is not None:
                        note(step.condition, scope)
                    walk(step.before, scope)
                    walk(step.body, (*scope, step.name))
                case Check() | Let():
                    pass

    walk(steps, ())
    return found


def live(steps: Iterable[Step], wanted: set[SSAValue]) -> tuple[Step, ...]:
    """The steps on which the buffers in `wanted` depend afterwards; adds those that they depend on before."""
    kept: list[Step] = []
    for step in reversed(tuple(steps)):
        match step:
            case Launch():
                if step.writes & wanted:
                    kept.append(step)
                    wanted |= step.reads
            case Branch():
                given, others = set(wanted), set(wanted)
                then, otherwise = live(step.then, given), live(step.otherwise, others)
                if then or otherwise:
                    kept.append(replace(step, then=then, otherwise=otherwise))
                    wanted |= given | others | {step.condition}
            case Loop():
                if (found := _live_loop(step, wanted)) is not None:
                    kept.append(found)
            case Check() | Let():
                kept.append(step)
            case Read():
                kept.append(step)
                wanted.add(step.buffer)
    return tuple(reversed(kept))


def _live_loop(loop: Loop, wanted: set[SSAValue]) -> Loop | None:
    """What a round needs may come from the round before, so that rounds are gone through until nothing is new."""
    around = wanted if loop.condition is None else wanted | {loop.condition}
    if not (live(loop.body, set(wanted)) or live(loop.before, set(wanted))):
        return None
    while True:
        needed = set(around)
        body = live(loop.body, needed)
        before = live(loop.before, needed)
        if needed <= around:
            wanted |= around
            return replace(loop, before=before, body=body)
        around |= needed
