"""What would have fused, had the target claimed it."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_passes.core.index import PipelineRun
from rlx_passes.pipeline.row_options import DEFAULT_TUNING, row_spec
from rlx_passes.policy.conditions import Facts, Row
from rlx_passes.policy.fusion_target import supports_op
from rlx_passes.policy.policy import fusions
from rlx_passes.registry.context import fresh_context
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.report.fusion_report import Probe
from rlx_passes.rewriting.miss import MissRecord, Reason, collect_misses, refusing


def unclaimed_after(rows: Sequence[Row], facts: Facts) -> Probe:
    """What a report asks after each pass of the list `rows`: `unclaimed_misses`, once its last fusion has run."""
    candidates = fusions()
    last = next((row.name for row in reversed(rows) if row in candidates), "")

    def probe(pass_: ModulePass, module: ModuleOp) -> tuple[MissRecord, ...]:
        return unclaimed_misses(module, facts) if pass_.name == last else ()

    return probe


def unclaimed_misses(module: ModuleOp, facts: Facts) -> tuple[MissRecord, ...]:
    """
    The matches in `module` of the fusions that a list leaves out because their op kind is not claimed.

    `module` is a program after the last fusion that is in the list, its elementwise regions not marked yet; it stays as
    it is. What one unclaimed fusion would have made for another is not found.
    """
    work, found, run = module.clone(), list[MissRecord](), PipelineRun()
    for row in fusions():
        if not row.claim or supports_op(facts.table, row.claim):
            continue
        (pass_,) = create_passes([row_spec(row, facts, frozenset(), DEFAULT_TUNING)])
        with collect_misses() as misses, refusing(row.claim):
            run.apply(pass_, fresh_context(), work)
        found += (miss for miss in misses if miss.reason is Reason.NOT_CLAIMED)
    return tuple(found)
