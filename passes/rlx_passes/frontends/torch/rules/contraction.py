"""Products."""

from __future__ import annotations

import math

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind
from rlx_dialect.builder import Tensor
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


@rule("mm.default", "bmm.default")
def mm(c: Call) -> Tensor:
    other = c.args["mat2"]
    return c.g.matmul(c.tensor("self"), other)


@rule("matmul.default")
def matmul(c: Call) -> Tensor:
    return product(c, c.tensor("self"), c.tensor("other"))


@rule("mv.default")
def mv(c: Call) -> Tensor:
    return product(c, c.tensor("self"), c.tensor("vec"))


@rule("dot.default")
def dot(c: Call) -> Tensor:
    return product(c, c.tensor("self"), c.tensor("tensor"))


def product(c: Call, a: Tensor, b: Tensor) -> Tensor:
    """`a @ b`; a vector is a row on the left and a column on the right."""
    left = c.g.reshape(a, [1, *c.sizes.sizes(c.sizes.dims(a), [a])]) if len(a.shape) == 1 else a
    right = c.g.reshape(b, [*c.sizes.sizes(c.sizes.dims(b), [b]), 1]) if len(b.shape) == 1 else b
    result = c.g.matmul(left, right)
    return result if left is a and right is b else c.g.reshape(result, c.shape(a, b))


@rule("linear.default")
def linear(c: Call) -> Tensor:
    """`x @ weight^T + bias`"""
    x, weight, bias = c.tensor("input"), c.tensor("weight"), c.optional("bias")
    result = product(c, x, weight if len(weight.shape) == 1 else c.g.transpose(weight, (1, 0)))
    return result if bias is None else result + bias


@rule("addmm.default", "addmv.default", "baddbmm.default", "addbmm.default")
def addmm(c: Call) -> Tensor:
    """`beta self + alpha a @ b`"""
    names = {"addmm": ("mat1", "mat2"), "addmv": ("mat", "vec")}
    first, second = names.get(c.node.target.split(".")[1], ("batch1", "batch2"))
    result = product(c, c.tensor(first), c.tensor(second))
    if "addbmm" in c.node.target and "baddbmm" not in c.node.target:
        result = c.g.sum(result, (0,))
    result = times(c, result, "alpha")
    if c.args["beta"] == 0:
        return result
    return result + times(c, c.tensor("self"), "beta")


def times(c: Call, x: Tensor, factor: str) -> Tensor:
    value = c.args[factor]
    return x if value == 1 else c.g.binary(BinaryKind.MUL, x, c.number(value, x.dtype))


@rule("_cdist_forward.default")
def cdist(c: Call) -> Tensor:
    """The distance of each row of one side from each of the other, in the norm `p`."""
    a, b, p = c.tensor("x1"), c.tensor("x2"), c.real("p")
    left, right = (c.sizes.sizes(c.sizes.dims(x), [x]) for x in (a, b))
    apart = c.g.reshape(a, [*left[:-1], 1, left[-1]]) - c.g.reshape(b, [*right[:-2], 1, *right[-2:]])
    if p == 2:
        return c.g.sqrt(c.g.sum(apart * apart, (-1,)))
    size = c.g.activation(Activation.ABS, apart)
    if p in (1, math.inf):
        return c.g.reduce(ReduceKind.SUM if p == 1 else ReduceKind.MAX, size, (-1,))
    powers = c.g.sum(c.g.binary(BinaryKind.POW, size, p), (-1,))
    return c.g.binary(BinaryKind.POW, powers, 1 / p)
