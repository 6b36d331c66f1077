"""Normalisations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES
from rlx_dialect.shapes import DYNAMIC, normalize_axis
from rlx_passes.frontend.dims import Size, product
from rlx_passes.frontend.onnx.dtypes import element_type
from rlx_passes.frontend.onnx.node import Node, Result, Rule, Unsupported


def epsilon_of(node: Node) -> float:
    return node.attributes.get("epsilon", 1e-5)


def read(node: Node, at: int) -> bool:
    """Whether somebody reads output `at`."""
    return at < len(node.outputs) and bool(node.outputs[at])


def require_stash(node: Node) -> None:
    """Statistics are f32 or wider, as the norms of the dialect have them. Raises `Unsupported` where the node wants others."""
    wanted = element_type(node.attributes.get("stash_type", 1))
    if wanted != "f32":
        raise Unsupported(
            f"attribute stash_type asks for statistics in {wanted}; those of the dialect are f32 or wider"
        )


def like(g: Graph, node: Node, x: Tensor, value: float) -> Tensor:
    """`value` in the dims of `x`."""
    return (
        g.full(x.shape, value, x.dtype)
        if DYNAMIC not in x.shape
        else g.filled(node.shape(node.dims_of(x)), value, x.dtype)
    )


def wide(g: Graph, x: Tensor) -> Tensor:
    """`x` in f32 where it is narrower."""
    return g.cast(x, "f32") if DTYPES[x.dtype].size < 4 else x


def centred(g: Graph, x: Tensor, axes: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    """`x` without its mean over `axes`, the mean and the population variance, whose reduced dims are 1."""
    mean = g.mean(x, axes, keep_dims=True)
    rest = x - mean
    return rest, mean, g.mean(rest * rest, axes, keep_dims=True)


def on_channels(node: Node, vector: Tensor, rank: int) -> Tensor:
    """A vector on axis 1 of `rank` dims."""
    return node.reshape(vector, [*node.dims_of(vector), *[1] * (rank - 2)])


# Over channels.


def batch_norm(g: Graph, node: Node) -> Result | Sequence[Result]:
    if not node.attributes.get("spatial", 1):
        raise Unsupported("attribute spatial is 0: statistics for each element")
    training = bool(node.attributes.get("training_mode")) if node.opset >= 14 else any(map(bool, node.outputs[1:]))
    x, *vectors = (node.required(at) for at in range(5))
    if training:
        if node.opset < 14:
            raise Unsupported("outputs of training, in op sets before 14")
        return _trained(g, node, x, vectors)
    if all(each.dtype == x.dtype for each in vectors):
        return _by_given_statistics(g, node, [x, *vectors])
    widest = max((x, *vectors), key=lambda each: DTYPES[each.dtype].size).dtype
    return g.cast(_by_given_statistics(g, node, [g.cast(each, widest) for each in (x, *vectors)]), x.dtype)


def _by_given_statistics(g: Graph, node: Node, operands: Sequence[Tensor]) -> Tensor:
    x, gamma, beta, mean, variance = operands
    return g.batch_norm_inference(x, gamma, beta, mean, variance, epsilon_of(node), axis=1)


def _trained(g: Graph, node: Node, x: Tensor, vectors: Sequence[Tensor]) -> Sequence[Result]:
    """By the statistics of the batch, which move those that were given."""
    gamma, beta, mean, variance = vectors
    rank, momentum = len(x.shape), node.attributes.get("momentum", 0.9)
    axes = [0, *range(2, rank)]
    rest, batch_mean, batch_variance = centred(g, wide(g, x), axes)
    normed = rest / g.sqrt(batch_variance + epsilon_of(node))
    gamma, beta = (on_channels(node, g.cast(each, normed.dtype), rank) for each in (gamma, beta))
    moved = [
        old * momentum + g.cast(node.reshape(new, node.dims_of(old)), old.dtype) * (1 - momentum)
        for old, new in ((mean, batch_mean), (variance, batch_variance))
    ]
    return [g.cast(normed * gamma + beta, x.dtype), *moved]


def instance_norm(g: Graph, node: Node) -> Result:
    """A group for each channel."""
    x, gamma, beta = (node.required(at) for at in range(3))
    if x.shape[1] != DYNAMIC:
        return g.group_norm(x, gamma, beta, x.shape[1], epsilon_of(node))
    rest, _, variance = centred(g, wide(g, x), range(2, len(x.shape)))
    normed = g.cast(rest / g.sqrt(variance + epsilon_of(node)), x.dtype)
    gamma, beta = (on_channels(node, each, len(x.shape)) for each in (gamma, beta))
    return normed * gamma + beta


def group_norm(g: Graph, node: Node) -> Result:
    """Before op set 21 a gain and a shift for each group, since then for each channel."""
    require_stash(node)
    x, gamma, beta = (node.required(at) for at in range(3))
    groups: int = node.attributes["num_groups"]
    if node.opset < 21:
        gamma, beta = (_repeated(node, vector, groups) for vector in (gamma, beta))
    return g.group_norm(x, gamma, beta, groups, epsilon_of(node))


def _repeated(node: Node, vector: Tensor, groups: int) -> Tensor:
    """A number for each group as one for each of its channels."""
    each = node.dims(0)[1] // groups
    return node.reshape(node.expand(node.reshape(vector, (groups, 1)), (groups, each)), (groups * each,))


def local_response_norm(g: Graph, node: Node) -> Result:
    """By the squares of the channels around each, of which one more lies behind it where there is no middle."""
    x, dims = node.required(0), node.dims(0)
    size = node.attributes["size"]
    alpha, beta, bias = (
        node.attributes.get(name, value) for name, value in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    )
    before, rank = (size - 1) // 2, len(dims)
    low, high = ([each if at == 1 else 0 for at in range(rank)] for each in (before, size - 1 - before))
    padded = g.pad(x * x, low, high)
    starts = ([each if at == 1 else 0 for at in range(rank)] for each in range(size))
    total, *others = (g.slice(padded, start, node.shape(dims)) for start in starts)
    for other in others:
        total = total + other
    return x / g.binary(BinaryKind.POW, total * (alpha / size) + bias, beta)


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
    """The mean and one over the deviation, as training keeps them."""
    axes = range(normalize_axis(node.attributes.get("axis", -1), len(x.shape)), len(x.shape))
    _, mean, variance = centred(g, wide(g, x), axes)
    return mean, g.activation(Activation.RSQRT, variance + epsilon)


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
    return g.activation(Activation.RSQRT, g.mean(x * x, axes, keep_dims=True) + epsilon)


# Over axes of any place.


def lp_norm(g: Graph, node: Node) -> Result:
    """Slices of zeros stay so."""
    x, p = node.required(0), node.attributes.get("p", 2)
    axis = normalize_axis(node.attributes.get("axis", -1), len(x.shape))
    if p not in (1, 2):
        raise Unsupported(f"attribute p is 1 or 2, got {p}")
    wider = wide(g, x)
    size = g.activation(Activation.ABS, wider)
    length = g.reduce(ReduceKind.SUM, size if p == 1 else size * size, (axis,), keep_dims=True)
    length = length if p == 1 else g.sqrt(length)
    result = wider / g.where(g.compare(CompareKind.EQ, length, 0.0), 1.0, length)
    return result if wider is x else g.cast(result, x.dtype)


def mean_variance_norm(g: Graph, node: Node) -> Result:
    x = node.required(0)
    wider = wide(g, x)
    rest, _, variance = centred(g, wider, node.attributes.get("axes", [0, 2, 3]))
    result = rest / (g.sqrt(variance) + 1e-9)
    return result if wider is x else g.cast(result, x.dtype)


RULES: Mapping[str, Rule] = {
    "BatchNormalization": batch_norm,
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LRN": local_response_norm,
    "LayerNormalization": layer_norm,
    "LpNormalization": lp_norm,
    "MeanVarianceNormalization": mean_variance_norm,
    "RMSNormalization": rms_norm,
    "SimplifiedLayerNormalization": rms_norm,
    "com.microsoft.SimplifiedLayerNormalization": rms_norm,
}
