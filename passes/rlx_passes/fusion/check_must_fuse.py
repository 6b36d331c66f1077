"""`rlx-check-must-fuse`"""

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from rlx_passes.core.errors import RlxError
from rlx_passes.core.index import PatternPass, index_of
from rlx_passes.rewriting.legality import NO_FUSE
from rlx_passes.rewriting.miss import place, reasons
from rlx_passes.rewriting.patterns import is_step
from rlx_passes.rewriting.pins import MUST_FUSE


class NotFusedError(RlxError):
    """Ops with `rlx.must_fuse` that no fusion absorbed; `faults` holds their messages: location and reasons heard."""

    def __init__(self, ops: Iterable[Operation]):
        self.faults = tuple((op, _text(op)) for op in ops)
        super().__init__("\n".join(text for _, text in self.faults))


def _text(op: Operation) -> str:
    where = place(op.location)
    names = ", ".join(f"%{result.name_hint}" for result in op.results if result.name_hint)
    head = f"'{op.name}'" + (f" {names}" if names else "") + (f" at {where}" if where else "")
    if NO_FUSE in op.attributes:
        return f"{head} carries both {MUST_FUSE} and {NO_FUSE}: take one of them away"
    heard = reasons(op)
    if not heard:
        return (
            f"{head} must fuse, and no fusion of this pipeline tried it: see --print-pass-pipeline for those that ran"
        )
    return "\n".join([f"{head} must fuse, and nothing absorbed it:", *(f"  {miss}" for miss in heard)])


@dataclass(frozen=True)
class CheckMustFusePass(PatternPass):
    """
    Fail where an op with `rlx.must_fuse` is left: in no region, and absorbed by no fusion.

    The message names each such op, its location, and why the fusions that came across it did not take it.
    """

    name = "rlx-check-must-fuse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        left = [
            inner for inner in (op, *index_of(op).where(bool)) if MUST_FUSE in inner.attributes and not is_step(inner)
        ]
        if left:
            raise NotFusedError(left)
