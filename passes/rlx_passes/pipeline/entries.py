"""The original's entry points as functions: what `switches.original.ENTRIES` says of each, under the old names."""

from typing import TYPE_CHECKING

from rlx_passes.pipeline.builder import Fuse, PassList, pass_list, run_list
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.switches.environment import Environment
from rlx_passes.switches.original import ENTRIES

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp


def fusion_passes_for_supported(
    table: frozenset[str], options: FusionOptions, target: FusionTarget | str, environment: Environment | None = None
) -> PassList:
    """The list for a caller's claim table: native defaults are applied, nothing is forced."""
    return pass_list(ENTRIES["supported"], target, options, table, environment)


def fusion_passes(
    target: FusionTarget | str, options: FusionOptions | None = None, environment: Environment | None = None
) -> PassList:
    """The list for a target's own table; a target whose lists unfuse does so unless keep or unfuse is set."""
    return pass_list(ENTRIES["fusion-passes"], target, options, None, environment)


def fk_passes_after_elementwise_regions(
    table: frozenset[str], options: FusionOptions, target: FusionTarget | str, environment: Environment | None = None
) -> PassList:
    """
    The list for a program whose elementwise regions are marked already. Never marks, never unfuses.

    Native defaults are *not* applied: do so on the options first where they are wanted.
    """
    return pass_list(ENTRIES["fk-after"], target, options, table, environment)


def fuse_passes(target: FusionTarget | str, environment: Environment | None = None) -> PassList:
    """The list that `fuse` runs: the options of the target, its own table."""
    return pass_list(ENTRIES["fuse"], target, None, None, environment)


def run_fusion_pipeline(
    module: "ModuleOp",
    target: FusionTarget | str,
    table: frozenset[str],
    options: FusionOptions | None = None,
    context: "Context | None" = None,
) -> None:
    """Fuse `module` in place with a caller's table and options; limits left at their default become the target's."""
    run_list(fusion_passes_for_supported(table, options or FusionOptions(), target), module, context)


def fuse(module: "ModuleOp", target: FusionTarget | str, context: "Context | None" = None) -> None:
    """Fuse `module` in place as the target does by default."""
    Fuse(target).run(module, context)
