"""What records the passes that a tool or a compilation runs."""

from collections.abc import Sequence

from xdsl.passes import ModulePass

from rlx_passes.pipeline.builder import pass_list
from rlx_passes.pipeline.fusion import FusionPass
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.report.recording import Recording
from rlx_passes.switches.original import ENTRIES


def recording_of(asked: Sequence[ModulePass]) -> Recording:
    """For passes as they are asked for, composite or flat: of the first target that one of them names."""
    for pass_ in asked:
        if isinstance(pass_, FusionPass):
            return pass_.resolved().recording()
    for pass_ in asked:
        target = getattr(pass_, "target", None)
        if isinstance(target, str) and pass_.name.startswith(("rlx-", "convert-rlx-to-")):
            return recording_for(target)
    return Recording()


def recording_for(target: FusionTarget | str, options: FusionOptions | None = None) -> Recording:
    """For the list that a compilation for `target` runs."""
    return pass_list(ENTRIES["fuse"], target, options).recording()
