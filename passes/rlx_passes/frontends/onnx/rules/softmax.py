"""Softmax, what is like it, and the losses over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rlx_dialect.attributes import Activation, CompareKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import product
from rlx_dialect.shapes import DYNAMIC, normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.precision import as_type, floats, wide

Along = Callable[[Graph, Node, Tensor, int], Tensor]
"""A function of the slices of a tensor on an axis."""


def along_axis(function: Along) -> NodeRule:
    """Before op set 13 the dims from `axis` (default 1) on were one; since then it is one axis, by default the last."""

    def rule(g: Graph, node: Node) -> Result:
        x = node.required(0)
        axis = normalize_axis(node.attributes.get("axis", -1 if node.opset >= 13 else 1), len(x.shape))
        if node.opset >= 13 or axis == len(x.shape) - 1:
            return function(g, node, x, axis)
        dims = node.dims(0)
        flat = node.reshape(x, (product(list(dims[:axis])), product(list(dims[axis:]))))
        return node.reshape(function(g, node, flat, 1), dims)

    return rule


def softmax(g: Graph, node: Node, x: Tensor, axis: int) -> Tensor:
    return g.softmax(x, axis)


def log_softmax(g: Graph, node: Node, x: Tensor, axis: int) -> Tensor:
    """The logarithm of a quotient as a difference: a share that is 0 after rounding keeps its logarithm."""
    wider = wide(g, x)
    shifted = wider - g.reduce(ReduceKind.MAX, wider, (axis,), keep_dims=True)
    total = g.activation(Activation.LOG, g.sum(g.exp(shifted), (axis,), keep_dims=True))
    return as_type(g, shifted - total, x.dtype)


def hardmax(g: Graph, node: Node, x: Tensor, axis: int) -> Tensor:
    """1 at the first greatest element."""
    size = node.dims_of(x)[axis]
    places = g.iota(node.shape([size if at == axis else 1 for at in range(len(x.shape))]), axis)
    return g.cast(g.compare(CompareKind.EQ, places, g.arg_max(x, axis, keep_dims=True)), x.dtype)


# Losses.


def loss(g: Graph, node: Node, logs: Tensor) -> Tensor:
    """
    The mean, the sum or each of `-logs[n, labels[n, ..], ..]`, for logarithms `[N, C, ..]` and labels `[N, ..]`.

    A label that is to be ignored weighs 0.
    """
    labels, weights = node.required(1), node.optional(2)
    if len(labels.shape) != len(logs.shape) - 1:
        raise Refusal(f"labels of {len(labels.shape)} dims for an input of {len(logs.shape)}")
    ignored = None
    if (index := node.attributes.get("ignore_index")) is not None:
        ignored = g.compare(CompareKind.EQ, labels, index)
        labels = g.where(ignored, 0, labels)
    before, *behind = node.dims_of(labels)
    picked = g.gather_elements(logs, node.reshape(labels, (before, 1, *behind)), 1)
    losses = -node.reshape(picked, node.dims_of(labels))
    shares = None if weights is None else g.gather(weights, labels)
    if ignored is not None:
        given = node.shape(node.dims_of(labels))
        shares = g.where(ignored, 0.0, g.filled(given, 1, logs.dtype) if shares is None else shares)
    return _combined(g, node, losses, shares)


def _combined(g: Graph, node: Node, losses: Tensor, shares: Tensor | None) -> Tensor:
    every = tuple(range(len(losses.shape)))
    reduction = node.attributes.get("reduction", "mean")
    if reduction not in ("none", "sum", "mean"):
        raise Refusal(f"attribute reduction is none, sum or mean, got '{reduction}'")
    if shares is None:
        kind = {"sum": ReduceKind.SUM, "mean": ReduceKind.MEAN}.get(reduction)
        return losses if kind is None else g.reduce(kind, losses, every)
    weighted = losses * shares
    if reduction == "none":
        return weighted
    total = g.sum(weighted, every)
    return total if reduction == "sum" else total / g.sum(shares, every)


def likelihood_loss(g: Graph, node: Node) -> Result:
    return loss(g, node, floats(node, 2))


def cross_entropy_loss(g: Graph, node: Node) -> Result | Sequence[Result]:
    """One op where every label of known classes counts alike and nobody reads the logarithms."""
    x, logs = floats(node, 2), len(node.outputs) > 1 and bool(node.outputs[1])
    alike = node.value(2) is None and "ignore_index" not in node.attributes and x.shape[1] != DYNAMIC
    if alike and not logs:
        return _combined(g, node, g.softmax_cross_entropy_with_logits(x, node.required(1), axis=1), None)
    chances = log_softmax(g, node, x, 1)
    return (loss(g, node, chances), chances) if logs else loss(g, node, chances)


RULES: Mapping[str, NodeRule] = {
    "Softmax": along_axis(softmax),
    "LogSoftmax": along_axis(log_softmax),
    "Hardmax": along_axis(hardmax),
    "NegativeLogLikelihoodLoss": likelihood_loss,
    "SoftmaxCrossEntropyLoss": cross_entropy_loss,
}
