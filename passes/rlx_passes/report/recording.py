"""Watching passes run over a program, for a report of what they did."""

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_passes.core.index import PipelineRun
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.report.counts import nodes
from rlx_passes.report.families import families, family
from rlx_passes.report.misses import Misses
from rlx_passes.report.model import Report
from rlx_passes.report.parts import NOWHERE, PLACES, Fused, Prices
from rlx_passes.report.places import Origin
from rlx_passes.report.rounded import Roundings
from rlx_passes.report.snapshot import snapshot
from rlx_passes.report.work import Work
from rlx_passes.rewriting.miss import Listener, listening
from rlx_passes.rewriting.roundings import hearing

Probe = Callable[[ModulePass, ModuleOp, Listener], None]
"""Asked for more misses after each pass."""

IMPORT = "convert-stablehlo-to-rlx"
_LOWERS = ("rlx-hoist-prepare", "convert-rlx-to-")
"""What the names of passes begin with that take a program out of the dialect."""


def no_probe(pass_: ModulePass, module: ModuleOp, listener: Listener) -> None:
    """The probe that finds nothing."""


@dataclass
class Recording:
    """
    What passes do to one module: hold `watching` around the run and `around` around each pass, then ask for `report`.

    `target` is the one whose prices count; `probe` may tell of more misses after each pass.
    """

    target: FusionTarget | None = None
    probe: Probe = no_probe
    misses: Misses = field(default_factory=Misses)
    roundings: Roundings = field(default_factory=Roundings)
    changed: list[str] = field(default_factory=list[str])
    passes_run: int = 0
    before: Work | None = None
    before_after: str = ""
    fused_before: Counter[str] = field(default_factory=Counter[str])
    last: Report | None = None

    @contextmanager
    def watching(self, module: ModuleOp) -> Generator["Recording"]:
        """Hear of the misses in a `with` block; after it the report is made."""
        self._begin(module)
        with listening(self.misses.hear), hearing(self.roundings.hear):
            yield self
        self._end(module)

    @contextmanager
    def around(self, pass_: ModulePass, module: ModuleOp) -> Generator[None]:
        """Run one pass inside this block."""
        if self.last is None and pass_.name.startswith(_LOWERS):
            self._end(module, pass_.name)
        state = snapshot(module)
        yield
        self.passes_run += 1
        if snapshot(module) != state:
            self.changed.append(pass_.name)
        if pass_.name == IMPORT:
            self._begin(module, IMPORT)
        if self.last is None:
            self.probe(pass_, module, self.misses.hear_of_copy)

    def run(self, passes: Sequence[ModulePass], context: Context, module: ModuleOp) -> None:
        """Run `passes` over `module`, watched."""
        run = PipelineRun()
        with self.watching(module):
            for pass_ in passes:
                with self.around(pass_, module):
                    run.apply(pass_, context, module)

    def report(self) -> Report:
        """The report of the run, once it is over."""
        assert self.last is not None, "`watching` has ended"
        return self.last

    def _begin(self, module: ModuleOp, after: str = "") -> None:
        self.before, self.before_after = self._work(module), after
        self.fused_before = Counter(families(module))

    def _work(self, module: ModuleOp) -> Work:
        return Work.of(module, in_place=self.target is not None and self.target.route().in_place)

    def _end(self, module: ModuleOp, before: str = "") -> None:
        """Take stock, unless that was done before the program was lowered: passes and misses count up to there."""
        if self.last is not None:
            return
        missed, left_off = self.misses.grouped()
        target = self.target
        self.last = Report(
            target="" if target is None else target.name,
            before=self.before,
            after=self._work(module),
            before_after=self.before_after,
            after_before=before,
            prices=None if target is None else Prices(target.io.dispatch_ns, target.io.memory_bw),
            changed_by=tuple(self.changed),
            passes_run=self.passes_run,
            fused=self._fused(module),
            missed=missed,
            left_off=left_off,
            rounded=self.roundings.grouped(),
            taken=dict(self.misses.taken),
            no_candidates=dict(self.misses.no_candidates),
        )

    def _fused(self, module: ModuleOp) -> tuple[Fused, ...]:
        after, places = Counter[str](), dict[str, dict[Origin, None]]()
        for op in nodes(module):
            if name := family(op):
                after[name] += 1
                places.setdefault(name, {})[Origin.of(op.location)] = None
        return tuple(
            Fused(
                name,
                self.fused_before[name],
                after[name],
                tuple(place for place in places.get(name, ()) if place != NOWHERE)[:PLACES],
            )
            for name in sorted(self.fused_before.keys() | after.keys())
        )


def of_import(module: ModuleOp) -> Report:
    """The report of a program that an import made."""
    recording = Recording()
    with recording.watching(module):
        recording.before = None
    return recording.report()
