"""Elements picked by index, and elements put where an index says."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rlx_dialect.attributes import BinaryKind, CompareKind, ScatterReduction
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size
from rlx_dialect.shapes import normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.signs import never_negative


def gather(g: Graph, node: Node) -> Result:
    """One constant index cuts the axis; any other may count from the end, which `rlx.gather` leaves to its callers."""
    x, dims = node.required(0), node.dims(0)
    axis = normalize_axis(node.attributes.get("axis", 0), len(dims))
    size, indices = dims[axis], node.value(1)
    if node.dtype(1) not in ("i32", "i64"):
        raise Refusal(f"indices are i32 or i64, got {node.dtype(1)}")
    known = None if indices is None or not indices.folds else indices.known
    if known is None or known.dtype == object:
        return g.gather(x, from_start(g, node, node.required(1), size), axis)
    if isinstance(size, int):
        known = np.where(known < 0, known + size, known)
        if known.size and not 0 <= known.min() <= known.max() < size:
            raise Refusal(f"an index lies outside of the {size} entries of dim {axis}")
    elif known.size and known.min() < 0:
        return g.gather(x, from_start(g, node, node.required(1), size), axis)
    if known.ndim:
        return g.gather(x, node.emitter.constant(known), axis)
    return node.reshape(g.narrow(x, axis, known.item(), 1), [*dims[:axis], *dims[axis + 1 :]])


def from_start(g: Graph, node: Node, indices: Tensor, size: Size) -> Tensor:
    """Indices that may count from the end of `size` entries as those that count from the start."""
    if never_negative(indices.value):
        return indices
    return g.where(g.compare(CompareKind.LT, indices, 0), indices + node.counted(size, indices.dtype), indices)


def gather_nd(g: Graph, node: Node) -> Result:
    return g.gather_nd(node.required(0), node.required(1), node.attributes.get("batch_dims", 0))


def gather_elements(g: Graph, node: Node) -> Result:
    return g.gather_elements(node.required(0), node.required(1), node.attributes.get("axis", 0))


def _reduction(node: Node) -> ScatterReduction:
    name = node.attributes.get("reduction", "none")
    if name not in set(ScatterReduction):
        raise Refusal(f"reduction is one of {', '.join(ScatterReduction)}, got '{name}'")
    return ScatterReduction(name)


def scatter_nd(g: Graph, node: Node) -> Result:
    return g.scatter_nd(node.required(0), node.required(1), node.required(2), _reduction(node))


def scatter_elements(g: Graph, node: Node) -> Result:
    axis = node.attributes.get("axis", 0)
    return g.scatter_elements(node.required(0), node.required(1), node.required(2), axis, _reduction(node))


def tensor_scatter(g: Graph, node: Node) -> Result:
    """A cache with new entries of each batch from its place on; `circular` goes on at the front."""
    cache, update, dims = node.required(0), node.required(1), node.dims(1)
    axis = normalize_axis(node.attributes.get("axis", -2), len(dims))
    if axis == 0:
        raise Refusal("axis must not be that of the batch")
    places = g.iota(node.shape([size if at == axis else 1 for at, size in enumerate(dims)]), axis)
    starts = node.optional(2)
    if starts is not None:
        column = [size if at == 0 else 1 for at, size in enumerate(dims)]
        places = places + node.reshape(g.cast(starts, "i64"), column)
    mode = node.attributes.get("mode", "linear")
    if mode == "circular":
        places = g.binary(BinaryKind.MOD, places, node.counted(node.dims(0)[axis]))
    elif mode != "linear":
        raise Refusal(f"mode is linear or circular, got '{mode}'")
    return g.scatter_elements(cache, node.expand(places, dims), update, axis)


RULES: Mapping[str, NodeRule] = {
    "Gather": gather,
    "GatherND": gather_nd,
    "GatherElements": gather_elements,
    "Scatter": scatter_elements,
    "ScatterND": scatter_nd,
    "ScatterElements": scatter_elements,
    "TensorScatter": tensor_scatter,
}
