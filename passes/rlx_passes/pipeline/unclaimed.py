"""What would have fused, had the target claimed it."""

from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_passes.core.index import Index, PipelineRun
from rlx_passes.pipeline.row_options import DEFAULT_TUNING, row_spec
from rlx_passes.policy.conditions import Facts, Row
from rlx_passes.policy.fusion_target import supports_op
from rlx_passes.policy.policy import POLICY, fusions
from rlx_passes.registry.context import fresh_context
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.report.fusion_report import Probe
from rlx_passes.report.recording import Recording
from rlx_passes.rewriting.effects import is_dead
from rlx_passes.rewriting.miss import Listener, Miss, MissRecord, Reason, listening, record, refusing


def unclaimed_after(rows: Sequence[Row], facts: Facts, patterns: Collection[str] | None = None) -> Probe:
    """What a report asks after each pass of the list `rows`: `unclaimed_misses`, once its last fusion has run."""
    last = last_fusion(rows)

    def probe(pass_: ModulePass, module: ModuleOp) -> tuple[MissRecord, ...]:
        return unclaimed_misses(module, facts, patterns) if pass_.name == last else ()

    return probe


def recording_of(rows: Sequence[Row], facts: Facts) -> Recording:
    """Records the list `rows`: by the prices of its target, and with what that does not claim."""
    last = last_fusion(rows)

    def probe(pass_: ModulePass, module: ModuleOp, listener: Listener) -> None:
        if pass_.name == last:
            hear_unclaimed(module, facts, listener)

    return Recording(facts.target, probe)


def last_fusion(rows: Sequence[Row]) -> str:
    """The last pass of a list that makes claimed ops."""
    candidates = fusions()
    return next((row.name for row in reversed(rows) if row in candidates), "")


def unclaimed_misses(module: ModuleOp, facts: Facts, patterns: Collection[str] | None = None) -> tuple[MissRecord, ...]:
    """`hear_unclaimed`, as text."""
    found: list[MissRecord] = []
    hear_unclaimed(module, facts, lambda pattern, root, miss: found.append(record(pattern, root, miss)), patterns)
    return tuple(found)


def hear_unclaimed(module: ModuleOp, facts: Facts, listener: Listener, patterns: Collection[str] | None = None) -> None:
    """
    Tells of the matches in `module` of the fusions that a list leaves out because their op kind is not claimed.

    `module` is a program after the last fusion that is in the list, its elementwise regions not marked yet; it stays as
    it is. What one unclaimed fusion would have made for another is not found. Of this package, only `patterns` are
    looked for where these are given.
    """
    names = None if patterns is None else {f"rlx-fuse-{title.replace('_', '-')}" for title in patterns}
    rows = [
        row
        for row in fusions()
        if row.claim
        and not supports_op(facts.table, row.claim)
        and (names is None or row.name in names or _foreign(row))
    ]
    if not rows:
        return
    index = Index(module)
    if names is None or any(map(_foreign, rows)) or any(map(is_dead, index.unread)):
        index = Index(module.clone())
    work, run = index.module, PipelineRun(index)

    def hear(pattern: str, root: Operation, miss: Miss) -> None:
        if miss.reason is Reason.NOT_CLAIMED:
            listener(pattern, root, miss)

    for row in rows:
        (pass_,) = create_passes([row_spec(row, facts, frozenset(), DEFAULT_TUNING)])
        with listening(hear), refusing(row.claim):
            run.apply(pass_, fresh_context(), work)


def _foreign(row: Row) -> bool:
    """Whether a pass is another package's, and may do more than patterns of ours, which only erase what is dead."""
    return row not in POLICY
