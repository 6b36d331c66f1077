"""Normalisations over the last axes, or over axes of any place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.attributes import Activation, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size, product
from rlx_dialect.shapes import DYNAMIC, normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import element_type
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.precision import as_type, rounded_once, wide


def epsilon_of(node: Node) -> float:
    return node.attributes.get("epsilon", 1e-5)


def read(node: Node, at: int) -> bool:
    """Whether somebody reads output `at`."""
    return at < len(node.outputs) and bool(node.outputs[at])


def require_stash(node: Node) -> None:
    """Statistics are f32 or wider, as in the dialect's norms. Raises `Refusal` where the node wants others."""
    wanted = element_type(node.attributes.get("stash_type", 1))
    if wanted != "f32":
        raise Refusal(f"attribute stash_type asks for statistics in {wanted}; those of the dialect are f32 or wider")


def like(g: Graph, node: Node, x: Tensor, value: float) -> Tensor:
    """`value` in the dims of `x`."""
    return (
        g.full(x.shape, value, x.dtype)
        if DYNAMIC not in x.shape
        else g.filled(node.shape(node.dims_of(x)), value, x.dtype)
    )


def centred(g: Graph, x: Tensor, axes: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    """`x` without its mean over `axes`, the mean and the population variance, whose reduced dims are 1."""
    mean = g.mean(x, axes, keep_dims=True)
    rest = x - mean
    return rest, mean, g.mean(rest * rest, axes, keep_dims=True)


# Over the last axes.


def _flattened(node: Node, x: Tensor, vectors: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """`x` with the dims from `axis` on as one, and vectors of their dims alike."""
    axis = normalize_axis(node.attributes.get("axis", -1), len(x.shape))
    dims = node.dims_of(x)
    if axis == len(dims) - 1 and all(len(each.shape) == 1 for each in vectors):
        return x, [_stretched(node, each, dims[axis:]) for each in vectors]
    size = product(list(dims[axis:]))
    flat = node.reshape(x, (*dims[:axis], size))
    return flat, [node.reshape(_stretched(node, each, dims[axis:]), (size,)) for each in vectors]


def _stretched(node: Node, vector: Tensor, dims: Sequence[Size]) -> Tensor:
    """A gain or a shift in the dims that are normalised."""
    fits = len(vector.shape) == len(dims) and all(size != 1 or dim == 1 for size, dim in zip(vector.shape, dims))
    return vector if fits else node.expand(vector, dims)


def layer_norm(g: Graph, node: Node) -> Result | Sequence[Result]:
    require_stash(node)
    x, gamma, beta = node.required(0), node.required(1), node.optional(2)
    y = layer_normed(g, node, x, gamma, beta, epsilon_of(node))
    if not (read(node, 1) or read(node, 2)):
        return y
    return [y, *statistics(g, node, x, epsilon_of(node))]


def layer_normed(g: Graph, node: Node, x: Tensor, gamma: Tensor, beta: Tensor | None, epsilon: float) -> Tensor:
    flat, (gain, *shift) = _flattened(node, x, [gamma] if beta is None else [gamma, beta])
    y = g.layer_norm(flat, gain, shift[0] if shift else like(g, node, gain, 0), epsilon)
    return y if flat is x else node.reshape(y, node.dims_of(x))


def statistics(g: Graph, node: Node, x: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """The mean and one over the deviation in f32, as training keeps them."""
    axes = range(normalize_axis(node.attributes.get("axis", -1), len(x.shape)), len(x.shape))
    _, mean, variance = centred(g, wide(g, x), axes)
    return as_type(g, mean, "f32"), as_type(g, g.activation(Activation.RSQRT, variance + epsilon), "f32")


def rms_norm(g: Graph, node: Node) -> Result | Sequence[Result]:
    """Of another type than its gain `x` is normalised alone."""
    require_stash(node)
    x, gamma, epsilon = node.required(0), node.required(1), epsilon_of(node)
    if gamma.dtype == x.dtype:
        y = rms_normed(g, node, x, gamma, epsilon)
    else:
        y = g.cast(rms_normed(g, node, x, like(g, node, g.cast(gamma, x.dtype), 1), epsilon), gamma.dtype) * gamma
    return [y, inverse_rms(g, node, x, epsilon)] if read(node, 1) else y


def rms_normed(g: Graph, node: Node, x: Tensor, gamma: Tensor, epsilon: float) -> Tensor:
    flat, (gain,) = _flattened(node, x, [gamma])
    y = g.rms_norm(flat, gain, like(g, node, gain, 0), epsilon)
    return y if flat is x else node.reshape(y, node.dims_of(x))


def inverse_rms(g: Graph, node: Node, x: Tensor, epsilon: float) -> Tensor:
    x = wide(g, x)
    axes = range(normalize_axis(node.attributes.get("axis", -1), len(x.shape)), len(x.shape))
    return as_type(g, g.activation(Activation.RSQRT, g.mean(x * x, axes, keep_dims=True) + epsilon), "f32")


# Over axes of any place.


def lp_norm(g: Graph, node: Node, x: Tensor) -> Tensor:
    """Slices of zeros stay so."""
    axis, p = normalize_axis(node.attributes.get("axis", -1), len(x.shape)), node.attributes.get("p", 2)
    if p not in (1, 2):
        raise Refusal(f"attribute p is 1 or 2, got {p}")
    size = g.activation(Activation.ABS, x) if p == 1 else x * x
    length = g.sum(size, (axis,), keep_dims=True)
    length = length if p == 1 else g.sqrt(length)
    return x / g.where(g.compare(CompareKind.EQ, length, 0.0), 1.0, length)


def mean_variance_norm(g: Graph, node: Node, x: Tensor) -> Tensor:
    rest, _, variance = centred(g, x, node.attributes.get("axes", [0, 2, 3]))
    return rest / (g.sqrt(variance) + 1e-9)


RULES: Mapping[str, NodeRule] = {
    "LayerNormalization": layer_norm,
    "LpNormalization": rounded_once(lp_norm),
    "MeanVarianceNormalization": rounded_once(mean_variance_norm),
    "RMSNormalization": rms_norm,
    "SimplifiedLayerNormalization": rms_norm,
    "com.microsoft.SimplifiedLayerNormalization": rms_norm,
}
