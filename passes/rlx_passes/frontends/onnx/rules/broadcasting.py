"""Dims of different names that meet: when the program runs, any of them may be 1 and stretch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from rlx_dialect.builder import Graph
from rlx_dialect.dims import Size
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.values import Value


def broadcasting(rule: NodeRule) -> NodeRule:
    """
    `rule` on inputs that need not stretch any more.

    Only dims of inputs that the model calls by different names are taken to stretch. Others that are known when the
    program runs must be equal then.
    """

    def stretching(g: Graph, node: Node) -> Result | Sequence[Result]:
        dims = [() if value is None else node.dims(at) for at, value in enumerate(node.inputs)]
        rank = max(map(len, dims))
        met = [{each[axis - rank] for each in dims if rank - axis <= len(each)} for axis in range(rank)]
        others = [{size for size in sizes if node.emitter.name_of(size)} for sizes in met]
        if not any(len(names) > 1 for names in others):
            return rule(g, node)
        inputs = [
            value and _stretched(node, value, sizes, others[rank - len(sizes) :])
            for value, sizes in zip(node.inputs, dims)
        ]
        return rule(g, replace(node, inputs=inputs))

    return stretching


def _stretched(node: Node, value: Value, sizes: Sequence[Size], met: Sequence[set[Size]]) -> Value:
    """
    A value each axis of which is as often repeated as it takes: once, or if it has one entry, as the other says.

    What comes out has equal sizes for all values unless the sizes do not broadcast, which the call then shows.
    """
    x = node.emitter.tensor(value)
    dims = list(sizes)
    for axis, names in enumerate(met):
        size = dims[axis]
        if len(names) < 2 or size not in names:
            continue
        others = sorted(names - {size}, key=str)
        other = reduce(_stretch, others)
        times = 1 + _is_one(size) * (other - 1)
        x = node.reshape(x, [*dims[:axis], 1, *dims[axis:]])
        x = node.expand(x, [*dims[:axis], times, *dims[axis:]])
        dims[axis] = times * size
        x = node.reshape(x, dims)
    return Value(value.name, tensor=x)


def _stretch(size: Size, other: Size) -> Size:
    """What two sizes of which one may be 1 broadcast to."""
    return size + _is_one(size) * (other - 1)


def _is_one(size: Size) -> Size:
    """1 for a size of 1, 0 for any other."""
    return 2 // (size + 1) - 2 * (1 // (size + 1))
