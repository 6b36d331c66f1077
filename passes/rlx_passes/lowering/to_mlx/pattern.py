"""What all patterns of the lowering share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic

from typing_extensions import TypeVar
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from rlx_passes.lowering.to_mlx.calls import Calls

OpT = TypeVar("OpT", bound=Operation)


class ToMlx(RewritePattern, ABC, Generic[OpT]):
    """One kind of op as MLX calls."""

    root: ClassVar[type[Operation]]

    @abstractmethod
    def lower(self, op: OpT, calls: Calls) -> Sequence[SSAValue]:
        """Append to `calls` what computes the results of `op`; the values that stand for them, of the same types."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, self.root):
            return
        calls = Calls()
        results = self.lower(op, calls)  # pyright: ignore[reportArgumentType]  # `root` is the class that OpT stands for
        rewriter.replace(op, calls.ops, results)
