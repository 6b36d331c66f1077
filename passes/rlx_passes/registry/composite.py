"""Passes that expand to a list of passes."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_passes.core.index import apply_all
from rlx_passes.core.spec import PassSpec
from rlx_passes.registry.instantiate import create_passes


class CompositePass(ModulePass):
    """A pass that is a list of others. A tool runs and prints the list; `apply` runs it where nobody expands."""

    @abstractmethod
    def expand(self) -> tuple[PassSpec, ...]:
        """The list, under the environment of now. Raises PipelineError or TargetError on unusable options."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_all(flatten((self,)), ctx, op)


def flatten(passes: Iterable[ModulePass]) -> Sequence[ModulePass]:
    """The passes with every composite replaced by its parts."""
    flat: list[ModulePass] = []
    for pass_ in passes:
        if isinstance(pass_, CompositePass):
            flat += flatten(create_passes(pass_.expand()))
        else:
            flat.append(pass_)
    return flat
