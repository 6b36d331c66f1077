"""The dims of a tensor as values: what is known of them is carried along without any op."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rlx_dialect.builder import Graph
from rlx_dialect.dims import Dim, product
from rlx_passes.frontends.onnx.model import Array
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result


def known_sizes(sizes: Any) -> Array:
    """Sizes as what is known of a tensor of i64."""
    array = np.array(sizes, dtype=object)
    return array if has_dims(array) else array.astype(np.int64)


def has_dims(array: Array) -> bool:
    """Whether some of the entries are known at run time only."""
    return any(isinstance(each, Dim) for each in array.ravel().tolist())


def shape(g: Graph, node: Node) -> Result:
    dims = node.dims(0)
    return known_sizes(dims[slice(node.attributes.get("start", 0), node.attributes.get("end"))])


def size(g: Graph, node: Node) -> Result:
    return known_sizes(product(node.dims(0)))


RULES: Mapping[str, NodeRule] = {"Shape": shape, "Size": size}
