"""Ops that give the elements of a tensor other dims: none of them changes an element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import TypeVar

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size, Undecided, equal, product
from rlx_dialect.shapes import normalize_axes, normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result

T = TypeVar("T")


def reshaped(node: Node, x: Tensor, sizes: Sequence[Size]) -> Tensor:
    """`x` under other dims; `x` itself where these are its own."""
    return x if tuple(sizes) == node.dims_of(x) else node.reshape(x, sizes)


def reshape(g: Graph, node: Node) -> Result:
    """A 0 keeps the dim of the input, -1 is what is left of the elements."""
    x, dims, wanted = node.required(0), node.dims(0), node.sizes(1)
    if not node.attributes.get("allowzero", 0):
        if any(size == 0 for size in wanted[len(dims) :]):
            raise Refusal(f"a 0 keeps a dim that the input has not: {len(wanted)} sizes for {len(dims)} dims")
        wanted = [dims[axis] if size == 0 else size for axis, size in enumerate(wanted)]
    return reshaped(node, x, inferred(wanted, dims))


def inferred(wanted: list[Size], dims: Sequence[Size]) -> list[Size]:
    """`wanted` with a size in place of -1, so that there are as many elements as in `dims`."""
    if -1 not in wanted:
        return wanted
    at = wanted.index(-1)
    rest = product(wanted[:at] + wanted[at + 1 :])
    total = product(dims)
    if isinstance(rest, int) and (rest <= 0 or (isinstance(total, int) and total % rest)):
        raise Refusal(f"no size in place of -1 in {wanted} gives the elements of {list(dims)}")
    return [*wanted[:at], total // rest, *wanted[at + 1 :]]


def flatten(g: Graph, node: Node) -> Result:
    """A matrix: the dims before `axis` and those from it on."""
    dims = list(node.dims(0))
    axis = node.attributes.get("axis", 1)
    at = axis if axis == len(dims) else normalize_axis(axis, len(dims))
    return reshaped(node, node.required(0), [product(dims[:at]), product(dims[at:])])


def transpose(g: Graph, node: Node) -> Result:
    x = node.required(0)
    return g.transpose(x, node.attributes.get("perm", range(len(x.shape))[::-1]))


def squeeze(g: Graph, node: Node) -> Result:
    dims, axes = node.dims(0), node.listed("axes", 1)
    if axes is None:
        dropped = [axis for axis, size in enumerate(dims) if _is_one(axis, size)]
    else:
        dropped = normalize_axes(axes, len(dims))
    wrong = [axis for axis in dropped if isinstance(dims[axis], int) and dims[axis] != 1]
    if wrong:
        raise Refusal(f"dim {wrong[0]} of {list(dims)} is not 1 and cannot be dropped")
    return node.reshape(node.required(0), [size for axis, size in enumerate(dims) if axis not in dropped])


def _is_one(axis: int, size: Size) -> bool:
    try:
        return equal(size, 1)
    except Undecided:
        raise Refusal(f"whether dim {axis} is 1 and dropped is known at run time only; axes say which are") from None


def unsqueeze(g: Graph, node: Node) -> Result:
    dims, axes = list(node.dims(0)), node.listed("axes", 1) or []
    for axis in sorted(normalize_axes(axes, len(dims) + len(axes))):
        dims.insert(axis, 1)
    return node.reshape(node.required(0), dims)


def concat(g: Graph, node: Node) -> Result:
    tensors = [node.required(at) for at in range(len(node.inputs))]
    return tensors[0] if len(tensors) == 1 else g.concat(tensors, node.attributes["axis"])


def expand(g: Graph, node: Node) -> Result:
    """NumPy's rule both ways: a 1 of the shape keeps the dim of the input."""
    x, dims, wanted = node.required(0), list(node.dims(0)), node.sizes(1)
    rank = max(len(dims), len(wanted))
    pairs = zip([*[1] * (rank - len(dims)), *dims], [*[1] * (rank - len(wanted)), *wanted])
    sizes = [stretched(have, want) for have, want in pairs]
    return x if sizes == dims else node.expand(x, sizes)


def stretched(have: Size, want: Size) -> Size:
    """The size of a dim of `have` entries that meets one of `want`."""
    if have == 1 or want == 1:
        return want if have == 1 else have
    try:
        same = equal(have, want)
    except Undecided:
        raise Refusal("whether a dim is stretched or has that size already is known at run time only") from None
    if not same:
        raise Refusal(f"a dim of {have} does not become one of {want}")
    return have


def tile(g: Graph, node: Node) -> Result:
    """Each axis repeated as a whole; a run-time count is a new dim in front of the axis, joined with it."""
    x, repeats = node.required(0), node.sizes(1)
    dims = node.dims(0)
    if len(repeats) != len(dims):
        raise Refusal(f"there are {len(repeats)} repeats for {len(dims)} dims")
    if all(isinstance(times, int) for times in repeats):
        return g.tile(x, [times for times in repeats if isinstance(times, int)])
    column = [size for dim in dims for size in (1, dim)]
    whole = [size for times, dim in zip(repeats, dims) for size in (times, dim)]
    stacked = node.expand(node.reshape(x, column), whole)
    return node.reshape(stacked, [times * dim for times, dim in zip(repeats, dims)])


def depth_to_space(g: Graph, node: Node) -> Result:
    """Blocks of channels become squares: `DCR` counts the place in a square before the channel, `CRD` after it."""
    x, (n, c, h, w) = node.required(0), _four(node)
    block = _block(node)
    left = c // (block * block)
    first, second = [n, block, block, left, h, w], [n, left, block, block, h, w]
    split, order = _mode(node, {"DCR": (first, (0, 3, 4, 1, 5, 2)), "CRD": (second, (0, 1, 4, 2, 5, 3))})
    return node.reshape(g.transpose(node.reshape(x, split), order), [n, left, h * block, w * block])


def space_to_depth(g: Graph, node: Node) -> Result:
    """As `depth_to_space`, the other way."""
    x, (n, c, h, w) = node.required(0), _four(node)
    block = _block(node)
    high, wide = h // block, w // block
    order = _mode(node, {"DCR": (0, 3, 5, 1, 2, 4), "CRD": (0, 1, 3, 5, 2, 4)})
    squares = node.reshape(x, [n, c, high, block, wide, block])
    return node.reshape(g.transpose(squares, order), [n, c * block * block, high, wide])


def _block(node: Node) -> int:
    block = node.attributes["blocksize"]
    if block < 1:
        raise Refusal(f"blocksize must be positive, got {block}")
    return block


def _mode(node: Node, orders: Mapping[str, T]) -> T:
    mode = node.attributes.get("mode", "DCR")
    if mode not in orders:
        raise Refusal(f"mode is DCR or CRD, got '{mode}'")
    return orders[mode]


def _four(node: Node) -> tuple[Size, Size, Size, Size]:
    dims = node.dims(0)
    if len(dims) != 4:
        raise Refusal(f"the input must have 4 dims, got {len(dims)}")
    n, c, h, w = dims
    return n, c, h, w


RULES: Mapping[str, NodeRule] = {
    "Reshape": reshape,
    "Flatten": flatten,
    "Transpose": transpose,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Concat": concat,
    "Expand": expand,
    "Tile": tile,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
}
