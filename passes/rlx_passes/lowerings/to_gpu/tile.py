"""How many iterations of a parallel loop one thread does: several where they read the same elements, as products do."""

from collections.abc import Sequence

from xdsl.dialects import memref, scf
from xdsl.ir import Operation, SSAValue

from rlx_dialect.dims import Size

FACTORS = (4, 2)
"""Iterations along one dim, the best first."""

FEWEST_THREADS = 2048
"""A launch keeps at least so many threads: idle cores cost more than a second read."""


def choose_tile(loop: scf.ParallelOp, shape: Sequence[Size]) -> tuple[int, ...]:
    """
    The iterations a thread does along each dim of a parallel loop of extents `shape`; 1 where nothing is shared.

    A dim is worth it when a sum inside reads something that does not depend on it and something that does. An extent
    that only a run knows may be 1.
    """
    tile = [1] * len(shape)
    sums = [op for op in loop.body.block.ops if isinstance(op, scf.ForOp)]
    reads = [op for each in sums for op in each.walk() if isinstance(op, memref.LoadOp)]
    if not reads:
        return tuple(tile)
    threads = 1
    for size in shape:
        threads *= size if isinstance(size, int) else 1
    for dim in reversed(range(len(shape))):
        depends = [_depends(read, loop.body.block.args[dim]) for read in reads]
        if all(depends) or not any(depends) or sum(factor > 1 for factor in tile) == 2:
            continue
        for factor in FACTORS:
            if shape[dim] % factor == 0 and threads // factor >= FEWEST_THREADS:
                tile[dim] = factor
                threads //= factor
                break
    return tuple(tile)


def _depends(read: memref.LoadOp, variable: SSAValue) -> bool:
    """Whether the place that is read is computed from `variable`."""
    pending: list[SSAValue] = list(read.indices)
    while pending:
        value = pending.pop()
        if value is variable:
            return True
        if isinstance(value.owner, Operation):
            pending.extend(value.owner.operands)
    return False
