"""Parts of a tensor by place: slices, splits, crops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Dim, Size, Undecided, at_least
from rlx_dialect.shapes import normalize_axes, normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result

FAR = 1_000_000_000
"""A bound from here on, or as far below 0, means all that there is."""


@dataclass(frozen=True)
class Part:
    """`length` entries of an axis from `start` in steps of `step`."""

    start: Size
    length: Size
    step: int = 1


def cut(g: Graph, node: Node, x: Tensor, parts: Mapping[int, Part]) -> Tensor:
    """`x` with only these parts of its axes. All entries must lie inside when the program runs."""
    for axis, part in parts.items():
        if (part.start, part.length, part.step) == (0, node.dims_of(x)[axis], 1):
            continue
        if isinstance(part.start, Dim):
            places = g.iota(node.shape([part.length]), 0)
            x = g.gather(x, _moved(node, _scaled(places, part.step), part.start), axis)
        elif part.step == 1 and isinstance(part.length, int):
            x = g.narrow(x, axis, part.start, part.length)
        else:
            dims = list(node.dims_of(x))
            dims[axis] = part.length
            rank = range(len(dims))
            starts = [part.start if at == axis else 0 for at in rank]
            x = g.slice(x, starts, node.shape(dims), [part.step if at == axis else 1 for at in rank])
    return x


def _scaled(places: Tensor, step: int) -> Tensor:
    return places if step == 1 else places * step


def _moved(node: Node, places: Tensor, start: Dim) -> Tensor:
    return places + places.graph.sizes(node.shape([start]))


def slice_(g: Graph, node: Node) -> Result:
    x, dims = node.required(0), node.dims(0)
    if "starts" in node.attributes:
        starts, ends = list(node.attributes["starts"]), list(node.attributes["ends"])
        axes, steps = node.attributes.get("axes"), None
    else:
        starts, ends, axes, steps = node.sizes(1), node.sizes(2), node.integers(3), node.integers(4)
    if len(starts) != len(ends):
        raise Refusal(f"there are {len(starts)} starts and {len(ends)} ends")
    places = normalize_axes(range(len(starts)) if axes is None else axes, len(dims))
    steps = steps or [1] * len(starts)
    if not len(starts) == len(places) == len(steps):
        raise Refusal(f"there are {len(starts)} starts, {len(places)} axes and {len(steps)} steps")
    bounds = zip(places, starts, ends, steps)
    parts = {at: part(dims[at], start, end, step) for at, start, end, step in bounds}
    return cut(g, node, x, parts)


def part(size: Size, start: Size, end: Size, step: int) -> Part:
    """
    What a slice from `start` to before `end` takes of an axis.

    A bound that lies outside of the axis is moved to its end. Of sizes known at run time only it is taken for granted
    that the start lies inside, and so for an end that is such a size itself; a number of entries that the axis may not
    have is refused.
    """
    if step == 0:
        raise Refusal("a step is 0")
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        kept = range(*slice(start, end, step).indices(size))
        return Part(kept.start if kept else 0, len(kept), step if kept else 1)
    first, last = _first(size, start, step), _last(size, end, step)
    room = last - first if step > 0 else first - last
    if isinstance(room, int) and room <= 0:
        return Part(0, 0)
    if isinstance(start, int) and isinstance(end, int) and _shrinks(room):
        raise Refusal(f"whether there is anything from {start} to {end} is known at run time only")
    if isinstance(first, int) and isinstance(last, int) and room != 1:
        _require_reach(size, max(last, first + 1))
    return Part(first, room if abs(step) == 1 else (room + (abs(step) - 1)) // abs(step), step)


def _shrinks(room: Size) -> bool:
    """Whether a longer axis gives less: one bound counts from its end and the other, a later one, from its front."""
    return isinstance(room, Dim) and any(coefficient < 0 for monomial, coefficient in room.terms() if monomial)


def _first(size: Size, start: Size, step: int) -> Size:
    if isinstance(start, int) and abs(start) >= FAR:
        if (start > 0) == (step > 0):
            return size if step > 0 else size - 1
        return 0 if step > 0 else -1
    if step < 0 and start == size:
        return size - 1
    return _from_start(size, start)


def _last(size: Size, end: Size, step: int) -> Size:
    if isinstance(end, int) and abs(end) >= FAR:
        return size if end > 0 else -1 if step < 0 else 0
    return _from_start(size, end)


def _from_start(size: Size, place: Size) -> Size:
    """A place counted from the end as one counted from the start; one that grows with the sizes does so already."""
    if isinstance(place, int):
        return place if place >= 0 else place + size
    growing = {coefficient > 0 for monomial, coefficient in place.terms() if monomial}
    if len(growing) > 1:
        raise Refusal("whether a bound counts from the end is known at run time only")
    return place if True in growing else place + size


def _require_reach(size: Size, entries: int) -> None:
    """Raises `Refusal` where the axis may not have so many entries."""
    try:
        reached = at_least(size, entries)
    except Undecided:
        reached = False
    if not reached:
        raise Refusal(f"whether a dim has the {entries} entries that are taken at most is known at run time only")


def split(g: Graph, node: Node) -> Result | Sequence[Result]:
    x, dims = node.required(0), node.dims(0)
    axis = normalize_axis(node.attributes.get("axis", 0), len(dims))
    lengths, size = _lengths(node), dims[axis]
    if lengths is None:
        count = node.attributes.get("num_outputs", len(node.outputs))
        if count < 1:
            raise Refusal(f"num_outputs must be positive, got {count}")
        if not isinstance(size, int):
            return _columns(g, node, x, axis, count)
        lengths = _even(node, size, count)
    start, tensors = 0, list[Tensor]()
    for length in lengths:
        tensors.append(cut(g, node, x, {axis: Part(start, length)}))
        start = start + length
    return tensors


def _lengths(node: Node) -> list[Size] | None:
    """The lengths of the parts, None where they are equal."""
    if "split" in node.attributes:
        return list(node.attributes["split"])
    return None if node.value(1) is None else node.sizes(1)


def _even(node: Node, size: int, count: int) -> list[Size]:
    """Equal lengths; with `num_outputs` the last parts may be shorter."""
    each = -(-size // count)
    if "num_outputs" not in node.attributes and size % count:
        raise Refusal(f"{size} entries are not split evenly into {count} parts")
    return [max(0, min(each, size - at * each)) for at in range(count)]


def _columns(g: Graph, node: Node, x: Tensor, axis: int, count: int) -> list[Tensor]:
    """Equal parts of an axis whose size is known at run time only, as the rows of a matrix, which must be whole."""
    before, size, after = node.dims_of(x)[:axis], node.dims_of(x)[axis], node.dims_of(x)[axis + 1 :]
    each = size // count
    if "num_outputs" in node.attributes and each * count != size:
        raise Refusal(f"whether {count} parts are even is known at run time only")
    rows = node.reshape(x, [*before, count, each, *after])
    return [node.reshape(g.narrow(rows, axis, at, 1), [*before, each, *after]) for at in range(count)]


def center_crop_pad(g: Graph, node: Node) -> Result:
    """Each axis cut or filled with zeros on both sides, less in front where that is odd."""
    x, dims = node.required(0), node.dims(0)
    axes = normalize_axes(node.attributes.get("axes", range(len(dims))), len(dims))
    wanted = node.integers(1) or []
    if len(wanted) != len(axes):
        raise Refusal(f"there are {len(wanted)} sizes for {len(axes)} axes")
    parts, low, high = dict[int, Part](), [0] * len(dims), [0] * len(dims)
    for axis, want in zip(axes, wanted):
        have = dims[axis]
        if not isinstance(have, int):
            raise Refusal(f"whether dim {axis} is cut or filled is known at run time only")
        if have > want:
            parts[axis] = Part((have - want) // 2, want)
        else:
            low[axis] = (want - have) // 2
            high[axis] = want - have - low[axis]
    x = cut(g, node, x, parts)
    return g.pad(x, low, high) if any(low) or any(high) else x


RULES: Mapping[str, NodeRule] = {"Slice": slice_, "Split": split, "CenterCropPad": center_crop_pad}
