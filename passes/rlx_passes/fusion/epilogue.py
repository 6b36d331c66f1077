"""The activation at the end of a product or a convolution, and the views on the way to it."""

from xdsl.ir import SSAValue

from rlx_dialect.ops import ActivationOp, CastOp, ClampOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.rewriting.legality import NO_FUSE, dims_of, live_uses, only_reader, optional_reader, require
from rlx_passes.rewriting.miss import BETWEEN, Miss, Reason, report_miss


def sole_activation(title: str, value: SSAValue) -> ActivationOp | None:
    """
    The activation that alone reads `value`. Another reader, a pinned one, or one behind a cast or a clamp is a miss of
    `title` and stays out.
    """
    try:
        tail = only_reader(value, ActivationOp)
        require(NO_FUSE not in tail.attributes, Reason.NO_FUSE, tail)
    except Miss as miss:
        for reader in dict.fromkeys(use.operation for use in live_uses(value)):
            if isinstance(reader, ActivationOp):
                report_miss(title, reader, miss)
            elif isinstance(reader, CastOp | ClampOp) and (beyond := optional_reader(reader.result, ActivationOp)):
                between = Miss(Reason.NOT_PRODUCED_BY, reader, detail=BETWEEN, candidate=True)
                report_miss(title, beyond, between)
        return None
    return tail


def views_of(value: SSAValue) -> tuple[ReshapeOp, ...]:
    """The reshapes, one of the other, by which alone `value` is read; pinned ones end them."""
    views: list[ReshapeOp] = []
    while (view := optional_reader(value, ReshapeOp)) is not None and NO_FUSE not in view.attributes:
        views.append(view)
        value = view.result
    return tuple(views)


def keeps_rows(view: ReshapeOp) -> bool:
    """Whether what lies along the last axis before `view` does so after it."""
    before, after = dims_of(view.input), dims_of(view.result)
    return bool(before and after) and before[-1] == after[-1] != DYNAMIC
