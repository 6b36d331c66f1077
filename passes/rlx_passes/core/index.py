"""
The ops of a program by class, so that a pass finds those it starts at without a walk.

An index is good until its program changes. Within a `PipelineRun` consecutive pattern passes hand it on, and whoever
changes the program drops it. Any other pass may do what it likes: the next pattern pass after it makes a new index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

OpT = TypeVar("OpT", bound=Operation)


class Index:
    """The ops of `module` by class, each with its number in program order, and those of which no result is read."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.unread: list[Operation] = []
        self._count = 0
        self._numbered: defaultdict[type[Operation], list[tuple[int, Operation]]] = defaultdict(list)
        self._take(module)

    def _take(self, outer: Operation) -> None:
        numbered, unread, count = self._numbered, self.unread, self._count
        for region in outer.regions:
            for block in region.blocks:
                op = block.first_op
                while op is not None:
                    numbered[type(op)].append((count, op))
                    count += 1
                    for result in (results := op.results):
                        if result.first_use is not None:
                            break
                    else:
                        if results:
                            unread.append(op)
                    if op.regions:
                        self._count = count
                        self._take(op)
                        count = self._count
                    op = op.next_op
        self._count = count

    def where(self, wanted: Callable[[type[Operation]], object]) -> list[Operation]:
        """The ops below the module whose class is wanted, in program order."""
        lists = [numbered for kind, numbered in self._numbered.items() if wanted(kind)]
        if len(lists) != 1:
            lists = [sorted((pair for numbered in lists for pair in numbered), key=itemgetter(0))]
        return [op for _, op in lists[0]]

    def of(self, *kinds: type[OpT]) -> list[OpT]:
        """The ops below the module that are of one of `kinds`, in program order."""
        return cast("list[OpT]", self.where(lambda kind: issubclass(kind, kinds)))


class PatternPass(ModulePass):
    """A pass that asks `index_of` for ops, and calls `forget_index` when it changes them: `run_patterns` does both."""


@dataclass
class PipelineRun:
    """Passes run one after another over one module, the index of its ops handed on among them."""

    index: Index | None = None

    def apply(self, pass_: ModulePass, context: Context, module: ModuleOp) -> bool:
        """Run one pass; whether it may have changed the program."""
        before = self.index
        shares = isinstance(pass_, PatternPass)
        self.index = before if shares else None
        token = _run.set(self if shares else None)
        try:
            pass_.apply(context, module)
        except BaseException:
            self.index = None
            raise
        finally:
            _run.reset(token)
        return before is None or self.index is not before


_run: ContextVar[PipelineRun | None] = ContextVar("rlx_pipeline_run", default=None)


def apply_all(passes: Sequence[ModulePass], context: Context, module: ModuleOp) -> None:
    """Run `passes` over `module`."""
    run = PipelineRun()
    for pass_ in passes:
        run.apply(pass_, context, module)


def index_of(module: ModuleOp) -> Index:
    """The index of `module`: that of the pipeline run where it has a good one, else a new one."""
    run = _run.get()
    if run is not None and run.index is not None and run.index.module is module:
        return run.index
    index = Index(module)
    if run is not None:
        run.index = index
    return index


def forget_index() -> None:
    """The index of the pipeline run is good no longer."""
    run = _run.get()
    if run is not None:
        run.index = None
