"""Normalisations over channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.normalization import centred, epsilon_of, require_stash
from rlx_passes.frontends.onnx.rules.parts import Part, cut
from rlx_passes.frontends.onnx.rules.precision import as_type, floats, wide

WIDEST = 256
"""As many channels a window of `LRN` has at most; each of them is a slice of the program."""


def on_channels(node: Node, vector: Tensor, rank: int) -> Tensor:
    """A vector on axis 1 of `rank` dims."""
    return node.reshape(vector, [*node.dims_of(vector), *[1] * (rank - 2)])


def batch_norm(g: Graph, node: Node) -> Result | Sequence[Result]:
    if not node.attributes.get("spatial", 1):
        raise Refusal("attribute spatial is 0: statistics for each element")
    training = bool(node.attributes.get("training_mode")) if node.opset >= 14 else any(map(bool, node.outputs[1:]))
    x, *vectors = (node.required(at) for at in range(5))
    if training:
        if node.opset < 14:
            raise Refusal("outputs of training, in op sets before 14")
        return _trained(g, node, x, vectors)
    widest = max((x, *vectors), key=lambda each: DTYPES[each.dtype].size).dtype
    return as_type(g, _by_given_statistics(g, node, [as_type(g, each, widest) for each in (x, *vectors)]), x.dtype)


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
    gamma, beta = (on_channels(node, as_type(g, each, normed.dtype), rank) for each in (gamma, beta))
    moved = [
        old * momentum + as_type(g, node.reshape(new, node.dims_of(old)), old.dtype) * (1 - momentum)
        for old, new in ((mean, batch_mean), (variance, batch_variance))
    ]
    return [as_type(g, normed * gamma + beta, x.dtype), *moved]


def instance_norm(g: Graph, node: Node) -> Result:
    """A group for each channel."""
    x, gamma, beta = floats(node, 2), node.required(1), node.required(2)
    if x.shape[1] != DYNAMIC:
        return g.group_norm(x, gamma, beta, x.shape[1], epsilon_of(node))
    rest, _, variance = centred(g, wide(g, x), range(2, len(x.shape)))
    normed = as_type(g, rest / g.sqrt(variance + epsilon_of(node)), x.dtype)
    gamma, beta = (on_channels(node, each, len(x.shape)) for each in (gamma, beta))
    return normed * gamma + beta


def group_norm(g: Graph, node: Node) -> Result:
    """Before op set 21 a gain and a shift for each group, since then for each channel."""
    require_stash(node)
    x, gamma, beta = floats(node, 2), node.required(1), node.required(2)
    groups: int = node.attributes["num_groups"]
    if groups < 1:
        raise Refusal(f"attribute num_groups is at least 1, got {groups}")
    if node.opset < 21:
        gamma, beta = (_repeated(node, vector, groups) for vector in (gamma, beta))
    return g.group_norm(x, gamma, beta, groups, epsilon_of(node))


def _repeated(node: Node, vector: Tensor, groups: int) -> Tensor:
    """A number for each group as one for each of its channels."""
    each = node.dims(0)[1] // groups
    return node.reshape(node.expand(node.reshape(vector, (groups, 1)), (groups, each)), (groups * each,))


def local_response_norm(g: Graph, node: Node) -> Result:
    """By the squares of the channels around each, one more after it than before where there is no middle."""
    x, dims = floats(node, 2), node.dims(0)
    size: int = node.attributes["size"]
    if not 1 <= size <= WIDEST:
        raise Refusal(f"attribute size is 1 to {WIDEST}, got {size}")
    alpha, beta, bias = (
        node.attributes.get(name, value) for name, value in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    )
    before, rank = (size - 1) // 2, len(dims)
    low, high = ([each if at == 1 else 0 for at in range(rank)] for each in (before, size - 1 - before))
    padded = g.pad(x * x, low, high)
    total, *others = (cut(g, node, padded, {1: Part(start, dims[1])}) for start in range(size))
    for other in others:
        total = total + other
    return x / g.binary(BinaryKind.POW, total * (alpha / size) + bias, beta)


RULES: Mapping[str, NodeRule] = {
    "BatchNormalization": batch_norm,
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LRN": local_response_norm,
}
