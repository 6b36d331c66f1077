"""Entries that the data select: the sizes of such results are known when the program has found them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import product
from rlx_dialect.shapes import normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.parts import Part, cut


def selected(g: Graph, node: Node, flags: Tensor) -> Tensor:
    """The places of a vector of truth values that are set, in order: sorted, the set ones come first."""
    (size,) = node.dims_of(flags)
    places = g.where(flags, g.iota(node.shape([size]), 0), node.counted(size))
    (count,) = node.emitter.sizes_in(g.sum(g.cast(flags, "i64"), (0,)))
    return cut(g, node, g.argsort(places, 0), {0: Part(0, count)})


def compress(g: Graph, node: Node) -> Result:
    """The entries whose flag is set."""
    x, dims, axis, flags = node.required(0), node.dims(0), node.attributes.get("axis"), node.value(1)
    if flags is None:
        raise Refusal("input 1 is left out")
    if len(node.dims(1)) != 1:
        raise Refusal(f"flags have one dim, got {len(node.dims(1))}")
    places = (
        selected(g, node, node.required(1))
        if flags.known is None or flags.known.dtype == object
        else node.emitter.constant(np.flatnonzero(flags.known))
    )
    if axis is None:
        return g.gather(node.reshape(x, [product(dims)]), places, 0)
    return g.gather(x, places, normalize_axis(axis, len(dims)))


def nonzero(g: Graph, node: Node) -> Result:
    """Where the elements are that are not 0, as a row for each axis."""
    given = node.value(0)
    if given is not None and given.known is not None and given.known.dtype != object:
        return np.array(np.nonzero(np.atleast_1d(given.known)), np.int64)
    x, dims = node.required(0), list(node.dims(0)) or [1]
    set_ = x if x.dtype == "i1" else g.compare(CompareKind.NE, x, 0)
    places = selected(g, node, node.reshape(set_, [product(dims)]))
    (count,) = node.dims_of(places)
    rows: list[Tensor] = []
    for size in reversed(dims):
        rows.insert(0, node.reshape(g.binary(BinaryKind.MOD, places, node.counted(size)), [1, count]))
        places = g.binary(BinaryKind.DIV, places, node.counted(size))
    return g.concat(rows, 0) if len(rows) > 1 else rows[0]


def unique(g: Graph, node: Node) -> Result:
    raise Refusal("how many different elements there are is known at run time only")


RULES: Mapping[str, NodeRule] = {"Compress": compress, "NonZero": nonzero, "Unique": unique}
