"""Products of groups of rows, of columns or of summands, each with a matrix of its own."""

from __future__ import annotations

from rlx_dialect.attributes import CompareKind
from rlx_dialect.builder import Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


def group_of(c: Call, x: Tensor, axis: int, ends: Tensor) -> Tensor:
    """For each entry of an axis of `x` how many groups end at or before it: the number of its own."""
    size = c.sizes.sizes(c.sizes.dims(x)[axis : axis + 1], [x])
    places = c.g.reshape(c.g.iota(size, 0, "i64"), [*size, 1])
    before = c.g.compare(CompareKind.LE, c.g.reshape(c.cast(ends, "i64"), (1, -1)), places)
    return c.g.sum(c.g.cast(before, "i64"), (1,))


def grouped_rows(c: Call, x: Tensor, weights: Tensor, ends: Tensor) -> Tensor:
    """`x[r] @ weights[group of r]`; 0 behind the last group, as where nobody has written."""
    group, count = group_of(c, x, 0, ends), weights.shape[0]
    product = c.g.grouped_matmul(x, weights, c.g.minimum(group, count - 1))
    inside = c.g.compare(CompareKind.LT, group, count)
    column = c.g.reshape(inside, [*c.sizes.sizes(c.sizes.dims(x)[:1], [x]), 1])
    return c.g.where(column, product, 0.0)


def grouped_summands(c: Call, a: Tensor, b: Tensor, ends: Tensor) -> Tensor:
    """`sum over the k of group g of a[:, k] b[k, :]`, a matrix for each g."""
    groups = c.g.reshape(group_of(c, b, 0, ends), (1, 1, -1))
    wanted = c.g.reshape(c.g.iota(ends.shape, 0, "i64"), (-1, 1, 1))
    left = c.g.reshape(a, [1, *c.sizes.sizes(c.sizes.dims(a), [a])])
    return c.g.matmul(c.g.where(c.g.compare(CompareKind.EQ, groups, wanted), left, 0.0), b)


@rule("transformers.grouped_mm_fallback.default")
def grouped_mm_fallback(c: Call) -> Tensor:
    return grouped_rows(c, c.tensor("input"), c.tensor("weight"), c.tensor("offs"))


@rule("_grouped_mm.default")
def grouped_mm(c: Call) -> Tensor:
    """Without ends of groups a product for each; with them an axis of two dims is cut: rows, columns or summands."""
    a, b, ends, bias = c.tensor("self"), c.tensor("mat2"), c.optional("offs"), c.optional("bias")
    if bias is not None:
        raise Refusal("a bias")
    ranks = len(a.shape), len(b.shape)
    if ends is None:
        product = c.g.matmul(a, b)
    elif ranks == (2, 3):
        product = grouped_rows(c, a, b, ends)
    elif ranks == (3, 2):
        turned = grouped_rows(c, c.g.transpose(b, (1, 0)), c.g.transpose(a, (0, 2, 1)), ends)
        product = c.g.transpose(turned, (1, 0))
    else:
        product = grouped_summands(c, a, b, ends)
    return c.cast(product, c.dtype)
