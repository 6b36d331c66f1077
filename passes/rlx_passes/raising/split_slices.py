"""Slices of an axis that was split off the last one, as `unflatten` and `unbind` make them, as slices of the last."""

from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from rlx_dialect.ops import NarrowOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC, Dims, normalize_axis
from rlx_passes.raising.trail import RaisingPattern
from rlx_passes.rewriting.legality import dims_of, only_reader, producer, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion


@dataclass(frozen=True)
class SliceOfSplit(RaisingPattern[NarrowOp]):
    """
    %0 = rlx.reshape %x : [b, s, 2 * n] -> [b, s, 2, n]
    %1 = rlx.narrow %0 axis(2) start(1) length(1)               =>    %2 = rlx.narrow %x axis(2) start(n) length(n)
    %2 = rlx.reshape %1 : [b, s, 1, n] -> [b, s, n]

    What the second reshape makes of it otherwise, such as heads, is made of the slice.
    """

    title = "slice_of_split"
    roots = (NarrowOp,)

    def starts(self, op: Operation) -> bool:
        if not isinstance(op, NarrowOp) or not isinstance(op.input.owner, ReshapeOp):
            return False
        dims, axis = dims_of(op.input), op.axis.value.data
        return _is_split(dims_of(op.input.owner.input), dims, normalize_axis(axis, len(dims)))

    def match(self, root: NarrowOp, /) -> Fusion:
        split, view = producer(root.input, ReshapeOp), only_reader(root.result, ReshapeOp)
        dims, before = dims_of(split.result), dims_of(split.input)
        axis = normalize_axis(root.axis.value.data, len(dims))
        step = prod(dims[axis + 1 :])
        last, after = len(before) - 1, dims_of(view.result)
        require(not view.sizes, Reason.DYNAMIC, view)
        narrow = NarrowOp(split.input, last, root.start.value.data * step, root.length.value.data * step)
        if dims_of(narrow.result) == after:
            return Fusion.of((root, view), narrow)
        return Fusion.of((root, view), narrow, ReshapeOp(narrow.result, after))


def _is_split(before: Dims, after: Dims, axis: int) -> bool:
    """Whether the last axis of `before`, and no other, became those from `axis` on, which is not the last one."""
    static = DYNAMIC not in (*before, *after)
    rank = len(before)
    return static and axis == rank - 1 < len(after) - 1 and after[:axis] == before[:-1] and after[axis] > 1
