"""`rlx-raise-transpose`: transposes and slices of axes that are joined or split become those of the axes themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from rlx_dialect.dims import Size
from rlx_dialect.known_sizes import remembered_sizes, sizes_of
from rlx_dialect.ops import ReshapeOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.index import PatternPass
from rlx_passes.raising.batched_products import SplitProductBatch, SplitSoftmaxBatch
from rlx_passes.raising.split_slices import SliceOfSplit
from rlx_passes.raising.trail import RaisingPattern
from rlx_passes.rewriting.legality import dims_of, producer, read_only_by, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class RaiseTranspose(RaisingPattern[ReshapeOp]):
    """
    %0 = rlx.reshape %x : [b, h, s, d] -> [b * h, s, d]
    %1 = rlx.transpose %0 [0, 2, 1]                         =>   %2 = rlx.transpose %x [0, 1, 3, 2]
    %2 = rlx.reshape %1 : [b * h, d, s] -> [b, h, d, s]

    Any axes that lie side by side may be joined, wherever they are moved, as long as the second reshape splits each
    into what it was joined from. Axes of size 1 may lie anywhere.
    """

    title = "transpose"
    roots = (ReshapeOp,)

    def starts(self, op: Operation) -> bool:
        moved = op.operands[0].owner
        if not isinstance(moved, TransposeOp) or not isinstance(join := moved.input.owner, ReshapeOp):
            return False
        before, after = dims_of(join.input), dims_of(join.result)
        return DYNAMIC in (*before, *after) or 0 in before or joined_axes(before, after) is not None

    def match(self, root: ReshapeOp, /) -> Fusion:
        moved = producer(root.input, TransposeOp)
        join = producer(moved.input, ReshapeOp)
        read_only_by(moved.result, (root,))
        dims = sizes_of(join.input)
        require(0 not in dims, Reason.AXIS, join, detail="an axis is empty")
        groups = joined_axes(dims, sizes_of(join.result))
        require(groups is not None, Reason.DIMS_NOT_KNOWN_EQUAL, join, detail="axes are joined and split at once")
        assert groups is not None, "required above"
        order = split_order(dims, [groups[axis] for axis in moved.permutation.get_values()], sizes_of(root.result))
        require(order is not None, Reason.DIMS_NOT_KNOWN_EQUAL, root, detail="the axes are not split as they were")
        assert order is not None, "required above"
        require(order != sorted(order), Reason.AXIS, root, detail="the axes keep their order")
        return Fusion.of((join, moved, root), TransposeOp(join.input, order))


def joined_axes(dims: Sequence[Size], joined: Sequence[Size]) -> list[list[int]] | None:
    """For each size in `joined` the adjacent axes of `dims`, none of size 1, that make it; None if an axis is left."""
    axes = iter([axis for axis, size in enumerate(dims) if size != 1])
    groups: list[list[int]] = []
    for whole in joined:
        group: list[int] = []
        size: Size = 1
        while size != whole:
            axis = next(axes, None)
            if axis is None:
                return None
            group.append(axis)
            size = size * dims[axis]
        groups.append(group)
    return groups if next(axes, None) is None else None


def split_order(dims: Sequence[Size], groups: Sequence[Sequence[int]], result: Sequence[Size]) -> list[int] | None:
    """For each size in `result` its axis of `dims`: those of `groups` in order, those of size 1 between, each once."""
    moved = iter([axis for group in groups for axis in group])
    ones = iter([axis for axis, size in enumerate(dims) if size == 1])
    order = [next(ones if size == 1 else moved, None) for size in result]
    found = [axis for axis in order if axis is not None]
    complete = len(found) == len(result) == len(dims)
    return found if complete and all(dims[axis] == size for axis, size in zip(found, result)) else None


@dataclass(frozen=True)
class RaiseTransposePass(PatternPass):
    """
    A transpose of joined axes becomes one of the axes themselves, a product of joined batches one of the batches, a
    slice of a split axis one of the whole axis.
    """

    name: ClassVar[str] = "rlx-raise-transpose"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with remembered_sizes():
            for pattern in (SplitProductBatch(), SplitSoftmaxBatch(), RaiseTranspose(), SliceOfSplit()):
                run_patterns(op, (pattern,))
