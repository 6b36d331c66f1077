"""What would have fused, had the target claimed it."""

from xdsl.dialects.builtin import ModuleOp

from rlx_passes.pipeline.builder import PassList
from rlx_passes.pipeline.row_options import DEFAULT_TUNING, row_spec
from rlx_passes.policy.fusion_target import supports_op
from rlx_passes.policy.policy import fusions
from rlx_passes.registry.context import fresh_context
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.rewriting.miss import MissRecord, Reason, collect_misses, refusing


def last_fusion(passes: PassList) -> str:
    """The last pass of the list that fuses ops of the kinds that are claimed, by name; empty where none does."""
    candidates = fusions()
    names = [row.name for row in passes.rows if row in candidates]
    return names[-1] if names else ""


def unclaimed_misses(module: ModuleOp, passes: PassList) -> tuple[MissRecord, ...]:
    """
    The matches in `module` of the passes that `passes` leaves out because their op kind is not claimed.

    `module` is a program after the last fusion that is in the list, its elementwise regions not marked yet; it stays as it is. What one
    unclaimed fusion would have made for another is not found.
    """
    work, found = module.clone(), list[MissRecord]()
    for row in fusions():
        if not row.claim or supports_op(passes.facts.table, row.claim):
            continue
        (pass_,) = create_passes([row_spec(row, passes.facts, frozenset(), DEFAULT_TUNING)])
        with collect_misses() as misses, refusing(row.claim):
            pass_.apply(fresh_context(), work)
        found += (miss for miss in misses if miss.reason is Reason.NOT_CLAIMED)
    return tuple(found)
