"""What a lowering says of itself: claims of targets are held against it, and refusals advise by it."""

from abc import abstractmethod
from functools import cache

from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_dialect.decompose import COMPOSITE_OPS
from rlx_dialect.ops import RlxOp
from rlx_passes.pipeline.target import builtin_targets, load_target


class LoweringPass(ModulePass):
    """A pass that turns rlx ops into those of a backend dialect."""

    @classmethod
    @abstractmethod
    def forms(cls) -> frozenset[type[Operation]]:
        """The ops that are lowered by a rule of their own."""

    @classmethod
    def lowers(cls) -> frozenset[type[Operation]]:
        """Every op that is lowered: those with a rule of their own, and those that are taken apart into plain ones."""
        return cls.forms() | frozenset(COMPOSITE_OPS)


def advice(op: Operation) -> str:
    """What to do about an op that a lowering refuses and says nothing more about."""
    if not isinstance(op, RlxOp):
        return "turn it into rlx ops first, or take it out"
    others = [name for name, kinds in lowered_by_target().items() if type(op) in kinds]
    if not others:
        return "no target has a form of it: write it in other ops, or run the program by the reference (rlx-run)"
    return f"write it in other ops, or choose a target that has a rule for it ({', '.join(others)})"


@cache
def lowered_by_target() -> dict[str, frozenset[type[Operation]]]:
    """By built-in target, the ops that its lowering has a rule or a plain form for."""
    from rlx_passes.universe import RLX_UNIVERSE

    found: dict[str, frozenset[type[Operation]]] = {}
    for name in builtin_targets():
        lowering = load_target(name).lowering
        cls = RLX_UNIVERSE.all_passes[lowering.name]() if lowering is not None else None
        if cls is not None and issubclass(cls, LoweringPass):
            found[name] = cls.lowers()
    return found
