"""Shape rules of products."""

from collections.abc import Sequence

from rlx_dialect.shapes import (
    Shaped,
    ShapeError,
    broadcast_dims,
    compatible,
    meet,
    normalize_axes,
    require_element,
    require_integers,
    require_rank,
    same_dims,
    show,
)


def matmul(lhs: Shaped, rhs: Shaped, lhs_name: str = "lhs", rhs_name: str = "rhs") -> Shaped:
    """`[.., M, K] x [.., K, N] -> [.., M, N]`; leading dims broadcast."""
    for name, side in ((lhs_name, lhs), (rhs_name, rhs)):
        if side.rank < 2:
            raise ShapeError(f"{name} must have rank 2 or more, got {side}")
    require_element(lhs.element, rhs.element, rhs_name)
    if not compatible(lhs.dims[-1], rhs.dims[-2]):
        raise ShapeError(
            f"the last dim of {lhs_name} and the last but one of {rhs_name} must be equal, "
            f"got {lhs.dims[-1]} and {rhs.dims[-2]} in {lhs} and {rhs}"
        )
    names = (f"the leading dims of {name}" for name in (lhs_name, rhs_name))
    return lhs.with_dims((*broadcast_dims(lhs.dims[:-2], rhs.dims[:-2], *names), lhs.dims[-2], rhs.dims[-1]))


def grouped_matmul(value: Shaped, weights: Shaped, indices: Shaped, transposed: bool = False) -> Shaped:
    """`[.., K] x [E, K, N] -> [.., N]`, or `[E, N, K]` where `transposed`, with indices `[..]` of integers."""
    require_rank(weights, 3, "weights")
    summed, kept = (2, 1) if transposed else (1, 2)
    require_integers(indices, "indices")
    require_rank(value, indices.rank + 1, "input")
    meet(value.dims[-1], weights.dims[summed], f"the last dim of input {value} and dim {summed} of weights {weights}")
    rows = same_dims(value.with_dims(value.dims[:-1]), indices, "the rows of input", "indices")
    return value.with_dims((*rows, weights.dims[kept]))


def dot_general(
    lhs: Shaped,
    rhs: Shaped,
    lhs_contracting: Sequence[int],
    rhs_contracting: Sequence[int],
    lhs_batch: Sequence[int],
    rhs_batch: Sequence[int],
) -> Shaped:
    """Batch dims in the order of `lhs_batch`, then the free dims of lhs, then those of rhs."""
    require_element(lhs.element, rhs.element, "rhs")
    for what, left, right in (("contracting", lhs_contracting, rhs_contracting), ("batch", lhs_batch, rhs_batch)):
        if len(left) != len(right):
            raise ShapeError(f"both sides need as many {what} dims, got {show(left)} and {show(right)}")
    left = normalize_axes((*lhs_batch, *lhs_contracting), lhs.rank, "lhs", "dims")
    right = normalize_axes((*rhs_batch, *rhs_contracting), rhs.rank, "rhs", "dims")
    met = [
        meet(lhs.dims[a], rhs.dims[b], f"dim {a} of lhs {lhs} and dim {b} of rhs {rhs}") for a, b in zip(left, right)
    ]
    free_left = (d for axis, d in enumerate(lhs.dims) if axis not in left)
    free_right = (d for axis, d in enumerate(rhs.dims) if axis not in right)
    return lhs.with_dims((*met[: len(lhs_batch)], *free_left, *free_right))
