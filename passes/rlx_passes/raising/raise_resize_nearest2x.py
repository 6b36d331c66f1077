"""`rlx-raise-resize-nearest2x`: pixels that are repeated twice along both axes of a picture become one resize."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import ResizeCoordinates, ResizeMode
from rlx_dialect.ops import ConcatOp, ExpandOp, GatherOp, ReshapeOp, ResizeNearest2xOp, ResizeOp, TileOp
from rlx_dialect.shapes import DYNAMIC, Dims, normalize_axis
from rlx_passes.core.index import PatternPass
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import dims_of, producer, require
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns

PICTURE = frozenset({2, 3})
"""The axes of height and width."""

SIZES = (3, 4)
"""Stands in for an unknown size: where places depend on the scale alone, any two neighbours show the whole pattern."""


@dataclass(frozen=True)
class RaiseRepeatedPixels(RaisingPattern[ReshapeOp | GatherOp]):
    """
    %0 = rlx.reshape %x [N, C, H, 1, W, 1]
    %1 = rlx.expand %0 [N, C, H, 2, W, 2]       =>   %2 = rlx.resize_nearest2x %x
    %2 = rlx.reshape %1 [N, C, 2H, 2W]

    One axis at a time or both at once; by an expand or a tile, by a join of a value with itself, or by a gather of 0,
    0, 1, 1, and so on. Rows that are repeated as a whole, 0, 1, 0, 1, are another picture.
    """

    title = "resize_nearest2x"
    roots = (ReshapeOp, GatherOp)

    def starts(self, op: Operation) -> bool:
        """Something that repeats elements along axes of a picture, and no other: most repeated things are heads."""
        if not isinstance(op, self.roots) or len(dims_of(op.result)) != 4:
            return False
        try:
            return repeated(Trail(), op.result)[1] <= PICTURE
        except Miss:
            return False

    def match(self, root: ReshapeOp | GatherOp, /) -> Fusion:
        trail = Trail(root)
        x, axes = repeated(trail, root.result)
        if axes != PICTURE:
            x, others = repeated(trail, x)
            require(axes | others == PICTURE and not axes & others, Reason.AXIS, root)
        return Fusion.of(trail.closed(root), ResizeNearest2xOp(x))


def repeated(trail: Trail, value: SSAValue) -> tuple[SSAValue, frozenset[int]]:
    """The value whose elements appear twice in a row in `value`, and along which axes. Raises `Miss` without one."""
    op = trail.add(producer(value, (ReshapeOp, GatherOp)))
    if isinstance(op, GatherOp):
        return gathered(op)
    stretched = trail.into(op.input, (ExpandOp, ConcatOp, TileOp))
    wide = dims_of(stretched.result)
    single, narrow = doubled(stretched)
    places = [axis for axis, (d, w) in enumerate(zip(narrow, wide)) if d == 1 and w == 2]
    same = all(d == w for axis, (d, w) in enumerate(zip(narrow, wide)) if axis not in places)
    require(len(places) > 0 and same, Reason.NOT_PRODUCED_BY, stretched, detail="elements do not stand twice")
    dims = tuple(d for axis, d in enumerate(narrow) if axis not in places)
    axes = frozenset(place - before - 1 for before, place in enumerate(places))
    twice = tuple(2 * d if axis in axes else d for axis, d in enumerate(dims))
    known = dims.count(DYNAMIC) <= 1 and 0 not in dims and all(axis >= 0 and dims[axis] != DYNAMIC for axis in axes)
    require(known and twice == dims_of(value), Reason.AXIS, op, detail="not after the axis that is repeated")
    while dims_of(single) != dims:  # ones that are put in one at a time
        single = trail.into(single, ReshapeOp).input
    return single, axes


def doubled(op: ExpandOp | ConcatOp | TileOp) -> tuple[SSAValue, Dims]:
    """What appears twice in the result, and its dims, one per result dim. Raises `Miss` if joined values differ."""
    if isinstance(op, ExpandOp):
        dims = dims_of(op.input)
        return op.input, (1,) * (len(dims_of(op.result)) - len(dims)) + dims
    if isinstance(op, TileOp):
        return op.input, dims_of(op.input)
    twice = len(op.inputs) == 2 and op.inputs[0] is op.inputs[1]
    require(twice, Reason.NOT_PRODUCED_BY, op, detail="a join of different values")
    return op.inputs[0], dims_of(op.inputs[0])


def gathered(op: GatherOp) -> tuple[SSAValue, frozenset[int]]:
    """The table and the axis along which the gather takes each entry twice."""
    axis = normalize_axis(op.axis.value.data, len(dims_of(op.table)))
    size = dims_of(op.table)[axis]
    row = dims_of(op.indices) == (2 * size,) and size != DYNAMIC
    indices = evaluated(op.indices) if row else None
    require(indices is not None, Reason.NOT_PRODUCED_BY, op, detail="the indices are no constant row")
    assert indices is not None, "required above"
    twice = indices.tolist() == [i // 2 for i in range(2 * size)]
    require(twice, Reason.CONSTANT, op.indices, detail="they do not take each entry twice")
    return op.table, frozenset({axis})


@dataclass(frozen=True)
class RaiseResize(RaisingPattern[ResizeOp]):
    """
    %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 2.0] coordinates(asymmetric) rounding(floor)
      =>   rlx.resize_nearest2x %x

    Where coordinates and rounding take each pixel twice, and only there: half a pixel with `floor` or `ceil` does not.
    """

    title = "resize_nearest2x"
    roots = (ResizeOp,)

    def starts(self, op: Operation) -> bool:
        if not isinstance(op, ResizeOp) or op.resampling is not ResizeMode.NEAREST:
            return False
        dims, new = dims_of(op.input), dims_of(op.result)
        wanted = tuple(d if axis < 2 or d == DYNAMIC else 2 * d for axis, d in enumerate(dims))
        return len(dims) == 4 and new == wanted

    def match(self, root: ResizeOp, /) -> Fusion:
        dims = dims_of(root.input)
        if DYNAMIC in dims:
            by_scale = root.scales is not None and root.places in (
                ResizeCoordinates.ASYMMETRIC,
                ResizeCoordinates.HALF_PIXEL,
            )
            require(by_scale, Reason.DYNAMIC, root, detail="which pixels are taken depends on a size")
        for size in SIZES if DYNAMIC in dims else SIZES[:1]:
            known = tuple(size if d == DYNAMIC else d for d in dims)
            require(takes_twice(root, known), Reason.ATTRIBUTES, root, detail="it does not take each pixel twice")
        return Fusion.of((root,), ResizeNearest2xOp(root.input))


def takes_twice(op: ResizeOp, dims: Dims) -> bool:
    """Whether `op` repeats each pixel of a picture with these dims twice along height and width, and nothing else."""
    from rlx_dialect.reference.resize import taps_of

    new = op.infer_dims(dims)
    if new != (*dims[:2], 2 * dims[2], 2 * dims[3]):
        return False
    return all(
        tap.indices[0].tolist() == [i // 2 if tap.axis in PICTURE else i for i in range(new[tap.axis])]
        for tap in taps_of(op, dims, new)
    )


@dataclass(frozen=True)
class RaiseResizeNearest2xPass(PatternPass):
    """Pixels repeated twice along both axes of a picture become one resize."""

    name: ClassVar[str] = "rlx-raise-resize-nearest2x"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (RaiseRepeatedPixels(), RaiseResize()))
