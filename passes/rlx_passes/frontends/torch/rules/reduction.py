"""Reductions."""

from __future__ import annotations

from functools import partial

from rlx_dialect.attributes import BinaryKind, Extremum, ReduceKind
from rlx_dialect.builder import Tensor
from rlx_dialect.dims import Size
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule


def reduced(kind: ReduceKind, c: Call) -> Tensor:
    """Over the named dims, or over all; in the element type of the result, or as truth values where asked for."""
    x = c.tensor("self")
    axes = c.axes("dim", len(x.shape))
    logical = kind in (ReduceKind.ANY, ReduceKind.ALL)
    x = c.cast(x, "i1" if logical else c.dtype)
    if not x.shape:
        return x
    return c.cast(c.g.reduce(kind, x, axes, c.flag("keepdim")), c.dtype)


for _kind, _names in {
    ReduceKind.SUM: ("sum.dim_IntList", "sum.default"),
    ReduceKind.MEAN: ("mean.dim", "mean.default"),
    ReduceKind.MAX: ("amax.default", "max.default"),
    ReduceKind.MIN: ("amin.default", "min.default"),
    ReduceKind.PROD: ("prod.default", "prod.dim_int"),
    ReduceKind.ANY: ("any.default", "any.dim", "any.dims"),
    ReduceKind.ALL: ("all.default", "all.dim", "all.dims"),
}.items():
    rule(*_names)(partial(reduced, _kind))


def extreme(kind: Extremum, c: Call) -> tuple[Tensor, Tensor]:
    """The extreme elements along a dim and their indices."""
    x = c.tensor("self")
    if not x.shape:
        return x, c.g.zeros((), "i64")
    return c.g.arg_reduce(kind, x, c.axis("dim", len(x.shape)), keep_dims=c.flag("keepdim"))


rule("max.dim")(partial(extreme, Extremum.MAX))
rule("min.dim")(partial(extreme, Extremum.MIN))


@rule("argmax.default", "argmin.default")
def extreme_index(c: Call) -> Tensor:
    """The index along a dim, or in row-major order."""
    x = c.tensor("self")
    pick = c.g.arg_max if "argmax" in c.node.target else c.g.arg_min
    if not x.shape:
        return c.g.zeros((), "i64")
    if c.given("dim"):
        return pick(x, c.axis("dim", len(x.shape)), keep_dims=c.flag("keepdim"))
    flat = pick(c.g.reshape(x, (-1,)))
    return c.reshaped(flat) if c.out.dims else flat


@rule("var.correction", "var.dim")
def var(c: Call) -> Tensor:
    return variance(c)[0]


@rule("var_mean.correction")
def var_mean(c: Call) -> tuple[Tensor, Tensor]:
    return variance(c)


def variance(c: Call) -> tuple[Tensor, Tensor]:
    """The mean of squared distances from the mean, over fewer than all elements by `correction`; and the mean."""
    x = c.tensor("self")
    axes, keep = c.axes("dim", len(x.shape)), c.flag("keepdim")
    correction = c.args.get("correction")
    if "unbiased" in c.args:
        correction = 1 if c.flag("unbiased") else 0
    correction = 1 if correction is None else float(correction)
    mean = c.g.mean(x, axes, keep_dims=True)
    centred = x - mean
    squares = centred * centred
    flat = mean if keep else c.g.mean(x, axes)
    if correction == 0:
        return c.g.mean(squares, axes, keep), flat
    total = c.g.sum(squares, axes, keep)
    count = counted(c, x, axes)
    if isinstance(count, int):
        return c.binary(BinaryKind.DIV, total, max(count - correction, 0.0), c.dtype), flat
    return total / c.g.maximum(c.cast(count, c.dtype) - correction, 0.0), flat


def counted(c: Call, x: Tensor, axes: list[int]) -> int | Tensor:
    """How many elements are reduced to one."""
    dims: list[Size] = [c.sizes.dims(x)[axis] for axis in axes]
    total = 1
    sizes: list[Tensor] = []
    for size in dims:
        if isinstance(size, int):
            total *= size
        else:
            sizes.append(c.sizes.tensor(size))
    if not sizes:
        return total
    result = sizes[0]
    for each in sizes[1:]:
        result = result * each
    return result * total


@rule("logsumexp.default")
def logsumexp(c: Call) -> Tensor:
    """`max + log(sum(e^(x - max)))`, where the maximum is infinite without it."""
    x = c.cast(c.tensor("self"), c.dtype)
    axes, keep = c.axes("dim", len(x.shape)), c.flag("keepdim")
    if not x.shape:
        raise Refusal("a tensor without dims")
    greatest = c.g.reduce(ReduceKind.MAX, x, axes, keep_dims=True)
    greatest = c.g.where(c.g.is_finite(greatest), greatest, 0.0)
    from rlx_dialect.attributes import Activation

    total = c.g.activation(Activation.LOG, c.g.sum(c.g.exp(x - greatest), axes, keep))
    return total + (greatest if keep else c.reshaped(greatest))


def running(c: Call, operation: str) -> Tensor:
    x = c.cast(c.tensor("self"), c.dtype)
    if not x.shape:
        return x
    axis = c.axis("dim", len(x.shape))
    return c.g.cumsum(x, axis) if operation == "sum" else c.g.cumprod(x, axis)


@rule("cumsum.default")
def cumsum(c: Call) -> Tensor:
    return running(c, "sum")


@rule("cumprod.default")
def cumprod(c: Call) -> Tensor:
    return running(c, "prod")


@rule("cummax.default")
def cummax(c: Call) -> tuple[Tensor, None]:
    """The running maximum; its index has no form."""
    x = c.tensor("self")
    return c.g.cummax(x, c.axis("dim", len(x.shape))), None
