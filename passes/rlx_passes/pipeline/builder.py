"""
From options and a claim table to the list of passes, and running it.

Every list is one function over the rows of `policy.py`; the environment is read here and in `options.py`, once a list,
and what it says travels on as pass options.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rlx_passes.budget.limits import GPU_NATIVE, FusionLimits
from rlx_passes.core.spec import PassSpec
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.row_options import DEFAULT_TUNING, Tuning, row_spec
from rlx_passes.pipeline.target import load_target
from rlx_passes.policy import policy
from rlx_passes.policy.conditions import Facts, Row
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.switches.environment import Environment, current, flag
from rlx_passes.switches.original import ENTRIES, Entry, original_name
from rlx_passes.switches.variables import REPORT

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from rlx_passes.report.fusion_report import FusionReport, Recorder
    from rlx_passes.report.model import Report
    from rlx_passes.report.recording import Recording

BLOCK = "rlx-fuse-attention-block"


@dataclass(frozen=True)
class PassList:
    """The rows that were selected, and the facts on which they were: enough to write every pass with its options."""

    rows: tuple[Row, ...]
    facts: Facts

    def names(self) -> list[str]:
        """The names in the original's spelling."""
        return [original_name(row.name) for row in self.rows]

    def specs(self, tuning: Tuning = DEFAULT_TUNING) -> tuple[PassSpec, ...]:
        """The passes, each with its options, and the checks around them."""
        rows = with_pack_attention(self.rows) if tuning.pack_attention else self.rows
        if rows != policy.LOWERINGS:
            rows = (*rows, policy.CHECK)
        rows = tuple(row for row in rows if row.name not in tuning.without)
        present = frozenset(row.name for row in rows)
        return tuple(row_spec(row, self.facts, present, tuning) for row in rows)

    def passes(self, tuning: Tuning = DEFAULT_TUNING) -> "tuple[ModulePass, ...]":
        """The pass objects."""
        return create_passes(self.specs(tuning))

    def reporting(self, module: "ModuleOp", *, in_full: bool = True) -> "AbstractContextManager[Recorder]":
        """`report.fusion_report.reporting`, with the fusions left out because their op kinds are not claimed."""
        from rlx_passes.pipeline.unclaimed import unclaimed_after
        from rlx_passes.report.fusion_report import COUNTED_MISSES, reporting

        patterns = None if in_full else COUNTED_MISSES.values()
        return reporting(module, unclaimed_after(self.rows, self.facts, patterns), in_full=in_full)

    def recording(self) -> "Recording":
        """What records a run of these passes for a report."""
        from rlx_passes.pipeline.unclaimed import recording_of

        return recording_of(self.rows, self.facts)


def with_pack_attention(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows with the packing of attention projections before the attention block, if that is among them."""
    return tuple(new for row in rows for new in ((policy.PACK_ATTENTION, row) if row.name == BLOCK else (row,)))


def with_target_limits(options: FusionOptions, target: FusionTarget) -> FusionOptions:
    """
    Options whose limits are the default get the target's.

    The default *is* the GPU limits, so a caller who asks for just these on a target without bounds gets none. Limits
    that a user writes in a pipeline string are put in later and always hold.
    """
    return replace(options, fusion_limits=target.limits) if options.fusion_limits == GPU_NATIVE else options


def pass_list(
    entry: Entry,
    target: FusionTarget | str,
    options: FusionOptions | None = None,
    table: frozenset[str] | None = None,
    environment: Environment | None = None,
) -> PassList:
    """
    The list that an entry selects for a target.

    `table` replaces its claims, `options` the entry's own; limits left at their default become the target's.
    """
    target, environment = load_target(target) if isinstance(target, str) else target, environment or current()
    table = target.claims if table is None else table
    if options is None:
        options = FusionOptions.for_target(target, environment) if entry.of_target else FusionOptions()
    if entry.list_unfuses and target.list_unfuses and not options.keep_elementwise_regions:
        options = replace(options, unfuse_elementwise_regions=True)
    if entry.marked:
        rows = policy.placed((*policy.REGIONS, *policy.CLEANUP))
    else:
        options = options.apply_native_fk_defaults(target, environment)
        rows = policy.LOWERINGS if options.skip_fusion else policy.all_rows()
    facts = Facts(table, with_target_limits(options, target), target, environment)
    return PassList(tuple(row for row in rows if row.runs(facts)), facts)


@dataclass(frozen=True)
class Change:
    """One setting of `Fuse`: the field of the options that it replaces, or `MERGE`."""

    field: str
    value: FusionLimits | bool = True

    def __call__(self, options: FusionOptions, environment: Environment) -> FusionOptions:
        """The options with the setting."""
        if self.field == MERGE:
            return options.merge_env(environment)
        return replace(options, **{self.field: self.value})


MERGE = "merge_env"


@dataclass(frozen=True)
class Fuse:
    """
    `fuse` with settings. A value: each setter returns a new builder, and builders with equal settings are equal.

        Fuse("rocm").limits(FusionLimits(8, 4)).merge_env().run(module)

    Settings apply in the order in which they were made; the later one of a kind replaces the earlier.
    """

    target: FusionTarget | str
    chosen: FusionOptions | None = None
    changes: tuple[Change, ...] = ()

    def options(self, options: FusionOptions) -> "Fuse":
        """Use these options in place of the target's and of everything set before."""
        return Fuse(self.target, options)

    def limits(self, limits: FusionLimits) -> "Fuse":
        """Bound elementwise regions."""
        return self._then(Change("fusion_limits", limits))

    def skip_fusion(self, skip: bool = True) -> "Fuse":
        """Run the two lowering passes only."""
        return self._then(Change("skip_fusion", skip))

    def merge_env(self) -> "Fuse":
        """Let every variable of the environment count, whichever the target."""
        return self._then(Change(MERGE))

    def passes(self) -> PassList:
        """The list that `run` runs, under the environment of now."""
        environment = current()
        options = self.chosen or FusionOptions.for_target(self.target, environment)
        for change in self.changes:
            options = change(options, environment)
        return pass_list(ENTRIES["supported"], self.target, options, environment=environment)

    def run(
        self,
        module: "ModuleOp",
        context: "Context | None" = None,
        *,
        report: "Callable[[Report], object] | None" = None,
    ) -> "ModuleOp":
        """
        Fuse `module` in place and return it; `report` gets a report, as in `report=print`.

        Raises `RlxError` where an op with `rlx.must_fuse` is left.
        """
        if report is None:
            run_list(self.passes(), module, context)
        else:
            report(reported(self.passes(), module, context))
        return module

    def run_with_report(self, module: "ModuleOp", context: "Context | None" = None) -> "tuple[ModuleOp, FusionReport]":
        """`run`, and a report of what changed and what was missed, what the target does not claim included."""
        return module, _report(self.passes(), module, context)

    def _then(self, change: Change) -> "Fuse":
        return Fuse(
            self.target, self.chosen, (*(other for other in self.changes if other.field != change.field), change)
        )


def _report(passes: PassList, module: "ModuleOp", context: "Context | None") -> "FusionReport":
    with passes.reporting(module) as recorder:
        run_list(passes, module, context, recorder.after_pass)
    return recorder.report()


def reported(passes: PassList, module: "ModuleOp", context: "Context | None" = None) -> "Report":
    """Fuse `module` in place; the report of it."""
    from rlx_passes.registry.context import fresh_context

    recording = passes.recording()
    recording.run(passes.passes(), context or fresh_context(), module)
    return recording.report()


def run_list(
    passes: PassList,
    module: "ModuleOp",
    context: "Context | None",
    after: "Callable[[ModulePass, ModuleOp, bool], None] | None" = None,
) -> None:
    """
    Fuse `module` in place; `RLX_FUSION_REPORT` prints a report on standard error.

    `after` hears of each pass, and whether it may have changed anything.
    """
    from rlx_passes.core.index import PipelineRun
    from rlx_passes.registry.context import fresh_context

    if after is None and flag(REPORT):
        print(reported(passes, module, context), file=sys.stderr)
        return
    context = context or fresh_context()
    run = PipelineRun()
    for pass_ in passes.passes():
        touched = run.apply(pass_, context, module)
        if after is not None:
            after(pass_, module, touched)
