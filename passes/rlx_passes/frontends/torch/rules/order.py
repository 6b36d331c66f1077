"""Sorts and selections by order."""

from __future__ import annotations

from rlx_dialect.attributes import Activation, CompareKind, ReduceKind
from rlx_dialect.builder import Tensor
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


@rule("sort.default", "sort.stable")
def sort(c: Call) -> tuple[Tensor, Tensor]:
    x = c.tensor("self")
    if not x.shape:
        return x, c.g.zeros((), "i64")
    axis, descending = c.axis("dim", len(x.shape)), c.flag("descending")
    return c.g.sort(x, axis, descending=descending), c.g.argsort(x, axis, descending=descending)


@rule("argsort.default", "argsort.stable")
def argsort(c: Call) -> Tensor:
    x = c.tensor("self")
    if not x.shape:
        return c.g.zeros((), "i64")
    return c.g.argsort(x, c.axis("dim", len(x.shape)), descending=c.flag("descending"))


@rule("topk.default")
def topk(c: Call) -> tuple[Tensor, Tensor]:
    x = c.tensor("self")
    return c.g.top_k(x, c.integer("k"), c.axis("dim", len(x.shape)), smallest=not c.flag("largest"))


@rule("histc.default")
def histc(c: Call) -> Tensor:
    """Counts of equal parts of `[min, max]`, in the input's type; between its extremes where the two are equal."""
    x, bins, low, high = c.tensor("self"), c.integer("bins"), c.real("min"), c.real("max")
    if low == high:
        return counted_between(c, c.g.reshape(x, (-1,)), bins)
    return c.cast(c.g.histogram(x, bins, low, high, counter="i64"), c.dtype)


def counted_between(c: Call, x: Tensor, bins: int) -> Tensor:
    """Counts of equal parts from the smallest to the largest element, or of 1 to each side of the only one."""
    low, high = c.g.reduce(ReduceKind.MIN, x, (0,)), c.g.reduce(ReduceKind.MAX, x, (0,))
    single = c.g.compare(CompareKind.EQ, low, high)
    start, width = c.g.where(single, low - 1, low), c.g.where(single, 2.0, high - low)
    bin = c.g.minimum(c.g.activation(Activation.FLOOR, (x - start) * bins / width), bins - 1)
    ones = c.g.filled(c.sizes.sizes(c.sizes.dims(x), [x]), 1, "i64")
    counts = c.g.scatter_add(c.g.zeros((bins,), "i64"), c.cast(bin, "i64"), ones, 0)
    return c.cast(counts, c.dtype)
