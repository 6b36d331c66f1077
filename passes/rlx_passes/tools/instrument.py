"""Watching passes run: the program between them, how long they take, how many ops they leave. All to standard error."""

import sys
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rlx_passes.core.errors import PipelineError, did_you_mean

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from rlx_passes.report.recording import Recording
    from rlx_passes.tools.reports import Reports

    Print = Callable[[ModuleOp], str]


@dataclass(frozen=True)
class Dumps:
    """Before and after which passes the program is printed; `None` stands for every pass."""

    before: frozenset[str] | None = frozenset()
    after: frozenset[str] | None = frozenset()

    @staticmethod
    def of(before: str, after: str, before_all: bool, after_all: bool, known: Collection[str]) -> "Dumps":
        """From the flags; raises PipelineError for a name that is no pass."""
        return Dumps(None if before_all else _names(before, known), None if after_all else _names(after, known))


def _names(text: str, known: Collection[str]) -> frozenset[str]:
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    for name in sorted(names):
        if name not in known:
            raise PipelineError(f"unknown pass '{name}' to print around{did_you_mean(name, known)}")
    return names


@dataclass
class Instruments:
    """What the flags ask for around each pass."""

    dumps: Dumps
    text: "Print"
    statistics: bool = False
    clock: "Clock" = field(default_factory=lambda: Clock(False))
    rows: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])
    reports: "Reports | None" = None
    recording: "Recording | None" = None
    """That of the run at hand, where a report is asked for."""

    @contextmanager
    def watching(self, module: "ModuleOp", asked: "Sequence[ModulePass]") -> Generator[None]:
        """Run all passes over one module inside this block."""
        if self.reports is None:
            yield
            return
        with self.reports.watching(module, asked) as self.recording:
            yield

    @contextmanager
    def around(self, pass_: "ModulePass", module: "ModuleOp") -> Generator[None]:
        """Run one pass inside this block."""
        with self._around(pass_, module) if self.recording is None else self._recorded(pass_, module):
            yield

    @contextmanager
    def _recorded(self, pass_: "ModulePass", module: "ModuleOp") -> Generator[None]:
        assert self.recording is not None
        with self.recording.around(pass_, module), self._around(pass_, module):
            yield

    @contextmanager
    def _around(self, pass_: "ModulePass", module: "ModuleOp") -> Generator[None]:
        if self.dumps.before is None or pass_.name in self.dumps.before:
            self.dump("Before", pass_, module)
        ops = _size(module) if self.statistics else 0
        with self.clock.measure(pass_.name):
            yield
        if self.statistics:
            self.rows.append((pass_.name, ops, _size(module)))
        if self.dumps.after is None or pass_.name in self.dumps.after:
            self.dump("After", pass_, module)

    def dump(self, when: str, pass_: "ModulePass", module: "ModuleOp") -> None:
        """Print the program under a headline with the pass and its options."""
        from rlx_passes.registry.instantiate import spec_of

        print(
            f"// -----// IR Dump {when} {spec_of(pass_, explicit=False)} //----- //\n{self.text(module)}",
            file=sys.stderr,
        )

    def report(self) -> None:
        """Print what was gathered."""
        if self.statistics:
            print("// pass statistics: ops before, after, difference", file=sys.stderr)
            for name, before, after in self.rows:
                print(f"//  {before:8} {after:8} {after - before:+8}  {name}", file=sys.stderr)
        self.clock.report()


@dataclass
class Clock:
    """Wall-clock times by name, in the order in which they were taken."""

    on: bool
    times: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])

    @contextmanager
    def measure(self, name: str) -> Generator[None]:
        """Time the block."""
        started = time.perf_counter()
        yield
        self.times.append((name, time.perf_counter() - started))

    def report(self) -> None:
        """Print the times, each with its share."""
        if not self.on:
            return
        total = sum(seconds for _, seconds in self.times)
        print("// execution time, wall clock", file=sys.stderr)
        for name, seconds in [*self.times, ("total", total)]:
            print(f"//  {seconds:9.4f} s {100 * seconds / max(total, 1e-9):5.1f}%  {name}", file=sys.stderr)


def _size(module: "ModuleOp") -> int:
    return sum(1 for _ in module.walk()) - 1
