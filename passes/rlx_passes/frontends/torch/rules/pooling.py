"""Pooling windows."""

from __future__ import annotations

from rlx_dialect.attributes import PoolKind, ReduceKind
from rlx_dialect.builder import Tensor
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule
from rlx_passes.frontends.torch.rules.convolution import spread

RANKS = {"1d": 1, "2d": 2, "3d": 3}


def spatial(c: Call) -> int:
    """How many dims the windows have."""
    return next(rank for name, rank in RANKS.items() if name in c.node.target)


def batched(c: Call, x: Tensor) -> Tensor:
    """`x` with a batch dim, which PyTorch lets go."""
    if len(x.shape) > spatial(c) + 1:
        return x
    return c.g.reshape(x, [1, *c.sizes.sizes(c.sizes.dims(x), [x])])


def pooled(c: Call, kind: PoolKind) -> Tensor:
    x, rank = c.tensor("self"), spatial(c)
    kernel = spread(c.integers("kernel_size"), rank)
    padding = spread(c.integers("padding"), rank)
    result = c.g.pool(
        *(kind, batched(c, x), kernel),
        stride=spread(c.integers("stride") or kernel, rank),
        padding=padding,
        dilation=spread(c.integers("dilation") or [1], rank),
        ceil=c.flag("ceil_mode"),
        count_include_pad=kind is PoolKind.AVG
        and any(padding)
        and (c.flag("count_include_pad") or c.given("divisor_override")),
    )
    if c.given("divisor_override"):
        result = overridden(c, result, kernel)
    return c.reshaped(result, x) if len(x.shape) == rank + 1 else result


def overridden(c: Call, means: Tensor, kernel: list[int]) -> Tensor:
    """Means as sums over a number that the caller names."""
    if c.flag("ceil_mode"):
        raise Refusal("divisor_override with ceil_mode")
    count = 1
    for size in kernel:
        count *= size
    return means * (count / c.integer("divisor_override"))


@rule(*(f"max_pool{rank}.default" for rank in RANKS))
def max_pool(c: Call) -> Tensor:
    return pooled(c, PoolKind.MAX)


@rule("max_pool2d_with_indices.default", "max_pool3d_with_indices.default")
def max_pool_with_indices(c: Call) -> tuple[Tensor, None]:
    """The greatest elements; where they stand has no form."""
    return pooled(c, PoolKind.MAX), None


@rule(*(f"avg_pool{rank}.default" for rank in RANKS))
def avg_pool(c: Call) -> Tensor:
    return pooled(c, PoolKind.AVG)


def adaptive(c: Call, pool: PoolKind, reduction: ReduceKind) -> Tensor:
    """
    Windows that cut a dim into as many parts as the result has, overlapping where it does not divide: from
    `floor(i n / k)` to `ceil((i + 1) n / k)`.
    """
    x, rank = c.tensor("self"), spatial(c)
    wanted = [each for each in c.out.dims[-rank:] if isinstance(each, int)]
    axes = range(len(x.shape) - rank, len(x.shape))
    if len(wanted) == rank and all(size == 1 for size in wanted):
        return c.g.reduce(reduction, x, list(axes), keep_dims=True)
    sizes = x.shape[-rank:]
    if len(wanted) < rank or DYNAMIC in sizes:
        raise Refusal("sizes known at run time only")
    if not any(size % parts for size, parts in zip(sizes, wanted)):
        kernel = [size // parts for size, parts in zip(sizes, wanted)]
        result = c.g.pool(pool, batched(c, x), kernel, stride=kernel)
        return c.reshaped(result, x)
    for axis, size, parts in zip(axes, sizes, wanted):
        windows = [(i * size // parts, -(-(i + 1) * size // parts)) for i in range(parts)]
        pieces = [c.g.narrow(x, axis, low, high - low) for low, high in windows]
        x = c.g.concat([c.g.reduce(reduction, each, (axis,), keep_dims=True) for each in pieces], axis)
    return x


@rule(
    *(f"adaptive_avg_pool{rank}.default" for rank in RANKS),
    *(f"_adaptive_avg_pool{rank}.default" for rank in ("2d", "3d")),
)
def adaptive_avg_pool(c: Call) -> Tensor:
    return adaptive(c, PoolKind.AVG, ReduceKind.MEAN)


@rule(*(f"adaptive_max_pool{rank}.default" for rank in RANKS))
def adaptive_max_pool(c: Call) -> tuple[Tensor, None]:
    """The greatest elements; where they stand has no form."""
    return adaptive(c, PoolKind.MAX, ReduceKind.MAX), None
