"""Running passes over one module, with everything that is to be watched on the way."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ParseError

from rlx_passes.core.errors import RlxError
from rlx_passes.core.index import PipelineRun
from rlx_passes.pipeline.builder import PassList
from rlx_passes.pipeline.fusion import FusionPass
from rlx_passes.reading.diagnostics import DiagnosticError, error
from rlx_passes.reading.verifying import verify
from rlx_passes.rewriting.conversion import name_of
from rlx_passes.tools.instrument import Instruments

if TYPE_CHECKING:
    from rlx_passes.tools.fusion_lock import FusionLock
    from rlx_passes.tools.rewrite_check import RewriteCheck

NOT_IMPORTED = (
    "nothing fuses in StableHLO: put --convert-stablehlo-to-rlx --rlx-raise before --rlx-fusion, or use --rlx-pipeline"
)


@dataclass(frozen=True)
class Runner:
    """
    A pipeline and how to watch it.

    Each step is a pass as it was asked for, and the passes that it comes to: itself, or the parts of a composite.
    """

    steps: Sequence[tuple[ModulePass, Sequence[ModulePass]]]
    instruments: Instruments
    verify_each: bool = False
    lock: "FusionLock | None" = None
    verify_rewrites: bool = False
    said: set[str] = field(default_factory=set[str])
    """What `verify_rewrites` has skipped in the module that it is at."""
    passes: PipelineRun = field(default_factory=PipelineRun)

    def run(self, context: Context, module: ModuleOp) -> None:
        """Run all passes; raises DiagnosticError or RlxError when one fails."""
        self.said.clear()
        with self.instruments.watching(module, [asked for asked, _ in self.steps]):
            for asked, parts in self.steps:
                if isinstance(asked, FusionPass):
                    self._fuse(context, module, asked.resolved(), parts)
                else:
                    for part in parts:
                        self._apply(context, module, part)

    def _fuse(self, context: Context, module: ModuleOp, asked: PassList, parts: Sequence[ModulePass]) -> None:
        """Run the fusion pipeline and print what came of it on one line, unless the whole run gets a report."""
        remark_not_imported(module)
        if self.instruments.recording is not None:
            for part in parts:
                self._apply(context, module, part)
            return
        with asked.reporting(module, in_full=False) as recorder:
            for part in parts:
                recorder.after_pass(part, module, self._apply(context, module, part))
            report = recorder.report()
        print(report.summary_line, file=sys.stderr)

    def _apply(self, context: Context, module: ModuleOp, pass_: ModulePass) -> bool:
        """Run one pass; whether it may have changed the program."""
        before = self._values(module, pass_)
        with self.instruments.around(pass_, module):
            try:
                touched = self.passes.apply(pass_, context, module)
            except (RlxError, ParseError):
                raise
            except Exception as fault:
                raise error(f"pass '{pass_.name}' failed: {_text(fault)}") from fault
        if before is not None:
            with self.instruments.clock.measure("(verify rewrites)"):
                before.hold(module, pass_, context)
        if self.lock is not None and pass_ is self.lock.after:
            self.lock.hold(module)
        if self.verify_each:
            try:
                with self.instruments.clock.measure("(verify)"):
                    verify(module)
            except DiagnosticError as fault:
                where = f"after pass '{pass_.name}': "
                raise DiagnosticError(
                    [type(found)(found.severity, where + found.message, found.place) for found in fault.diagnostics]
                ) from fault
        return touched

    def _values(self, module: ModuleOp, pass_: ModulePass) -> "RewriteCheck | None":
        """What `module` computes before a pass, if that is to be compared."""
        if not self.verify_rewrites:
            return None
        from rlx_passes.tools.rewrite_check import RewriteCheck

        with self.instruments.clock.measure("(verify rewrites)"):
            return RewriteCheck.of(module, pass_.name, self.said)


def remark_not_imported(module: ModuleOp) -> None:
    """Say so where a program is StableHLO still, in which nothing fuses."""
    dialects = {name_of(op).partition(".")[0] for op in module.walk()}
    if "stablehlo" in dialects and "rlx" not in dialects:
        print(f"rlx-opt: remark: {NOT_IMPORTED}", file=sys.stderr)


def _text(fault: Exception) -> str:
    message = " ".join(str(fault).split())
    return message if isinstance(fault, DiagnosticException) else f"{type(fault).__name__}: {message}"
