"""What a lowering says of itself: claims of targets are held against it, and refusals advise by it."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_dialect.decompose import composite_ops
from rlx_dialect.ops import RlxOp
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.rewriting.conversion import name_of

LINALG, GPU_KERNELS, STABLEHLO, MLX = "linalg", "GPU kernels", "StableHLO", "MLX"
"""What lowerings give, as messages and pages call it."""


class LoweringPass(ModulePass):
    """A pass that turns rlx ops into those of a backend dialect."""

    form: ClassVar[str]
    """What the ops become: one of the names above."""

    @classmethod
    @abstractmethod
    def forms(cls) -> frozenset[type[Operation]]:
        """The ops that are lowered by a rule of their own."""

    @classmethod
    def lowers(cls) -> frozenset[type[Operation]]:
        """Every op that is lowered: those with a rule of their own, and those that are taken apart into plain ones."""
        return cls.forms() | composite_ops()


def advice(forms: Sequence[str], op: Operation) -> str:
    """What to do about an op that lowerings to `forms` refuse and say nothing more about."""
    if not isinstance(op, RlxOp):
        unread = name_of(op).startswith(("stablehlo.", "chlo."))
        return f"{'drop from=rlx if it is set, ' if unread else ''}turn it into rlx ops first, or take it out"
    others = [name for name, cls in lowering_passes().items() if cls.form not in forms and type(op) in cls.lowers()]
    if not others:
        return "no other target has a form of it: write it in other ops, or run the program by the reference (rlx-run)"
    return f"write it in other ops, or choose a target that has a rule for it ({', '.join(others)})"


@cache
def lowering_passes() -> Mapping[str, type[LoweringPass]]:
    """The lowering of each built-in target."""
    from rlx_passes.universe import RLX_UNIVERSE

    lowerings = {name: load_target(name).lowering for name in builtin_targets()}
    found = {name: RLX_UNIVERSE.all_passes[spec.name]() for name, spec in lowerings.items() if spec is not None}
    return {name: cls for name, cls in found.items() if issubclass(cls, LoweringPass)}
