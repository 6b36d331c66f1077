"""Reductions, extrema by place, and running combinations."""

from __future__ import annotations

from collections.abc import Mapping

from rlx_dialect.attributes import Activation, Extremum, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.shapes import normalize_axes
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.precision import rounded_once

KINDS: Mapping[str, ReduceKind] = {
    "ReduceSum": ReduceKind.SUM,
    "ReduceMean": ReduceKind.MEAN,
    "ReduceMax": ReduceKind.MAX,
    "ReduceMin": ReduceKind.MIN,
    "ReduceProd": ReduceKind.PROD,
}
_OF_TRUTH = {ReduceKind.MAX: ReduceKind.ANY, ReduceKind.MIN: ReduceKind.ALL}


def axes_of(node: Node, x: Tensor) -> tuple[int, ...]:
    """The axes that go: all where none is named, or none where the node says so."""
    rank = len(x.shape)
    named = normalize_axes(node.listed("axes", 1) or (), rank)
    return named if named or node.attributes.get("noop_with_empty_axes") else tuple(range(rank))


def reduced(g: Graph, node: Node, kind: ReduceKind, x: Tensor) -> Tensor:
    """`x` without the axes of the node, or with 1 in their place; `x` itself without any."""
    axes = axes_of(node, x)
    if not axes:
        return x
    if x.dtype == "i1":
        kind = _OF_TRUTH.get(kind, kind)
    return g.reduce(kind, x, axes, bool(node.attributes.get("keepdims", 1)))


def reduction(kind: ReduceKind) -> NodeRule:
    return lambda g, node: reduced(g, node, kind, node.required(0))


def sum_square(g: Graph, node: Node, x: Tensor) -> Tensor:
    return reduced(g, node, ReduceKind.SUM, x * x)


def log_sum(g: Graph, node: Node, x: Tensor) -> Tensor:
    return g.activation(Activation.LOG, reduced(g, node, ReduceKind.SUM, x))


def log_sum_exp(g: Graph, node: Node, x: Tensor) -> Tensor:
    """The greatest element is taken out of the sum, unless it is infinite: no exponential overflows."""
    axes = axes_of(node, x)
    if not axes:
        return x
    highest = g.reduce(ReduceKind.MAX, x, axes, keep_dims=True)
    highest = g.where(g.is_finite(highest), highest, 0.0)
    total = g.activation(Activation.LOG, g.sum(g.exp(x - highest), axes, keep_dims=True)) + highest
    if node.attributes.get("keepdims", 1):
        return total
    return node.reshape(total, [size for at, size in enumerate(node.dims_of(total)) if at not in axes])


def extremum(kind: Extremum) -> NodeRule:
    def rule(g: Graph, node: Node) -> Result:
        of = node.attributes
        axis, keep = of.get("axis", 0), bool(of.get("keepdims", 1))
        last = bool(of.get("select_last_index", 0))
        find = g.arg_max if kind is Extremum.MAX else g.arg_min
        return find(node.required(0), axis, keep_dims=keep, last=last)

    return rule


def cumulative(name: str) -> NodeRule:
    def rule(g: Graph, node: Node) -> Result:
        axis = node.integers(1)
        if axis is None or len(axis) != 1:
            raise Refusal("input 1 must be one axis")
        flags = {flag: bool(node.attributes.get(flag, 0)) for flag in ("exclusive", "reverse")}
        return (g.cumsum if name == "CumSum" else g.cumprod)(node.required(0), axis[0], **flags)

    return rule


RULES: Mapping[str, NodeRule] = {
    **{name: reduction(kind) for name, kind in KINDS.items()},
    "ReduceL1": lambda g, node: reduced(g, node, ReduceKind.SUM, g.activation(Activation.ABS, node.required(0))),
    "ReduceL2": rounded_once(lambda g, node, x: g.sqrt(sum_square(g, node, x))),
    "ReduceLogSum": rounded_once(log_sum),
    "ReduceLogSumExp": rounded_once(log_sum_exp),
    "ReduceSumSquare": rounded_once(sum_square),
    "ArgMax": extremum(Extremum.MAX),
    "ArgMin": extremum(Extremum.MIN),
    "CumSum": cumulative("CumSum"),
    "CumProd": cumulative("CumProd"),
}
