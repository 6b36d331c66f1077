"""Element types that steps in between are computed in."""

from __future__ import annotations

from collections.abc import Callable

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES, element_type, is_float
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result


def floats(node: Node, rank: int = 0) -> Tensor:
    """Input 0. Raises `Refusal` unless it holds floats and has at least `rank` dims."""
    x = node.required(0)
    if not is_float(element_type(x.dtype)):
        raise Refusal(f"an input of {x.dtype}; only floats are read")
    if len(x.shape) < rank:
        raise Refusal(f"an input of {len(x.shape)} dims; at least {rank} are read")
    return x


def as_type(g: Graph, x: Tensor, dtype: str) -> Tensor:
    """`x` in an element type; `x` itself where it has it already."""
    return x if x.dtype == dtype else g.cast(x, dtype)


def wide(g: Graph, x: Tensor) -> Tensor:
    """`x` in f32 where it is a narrower float."""
    narrow = is_float(element_type(x.dtype)) and DTYPES[x.dtype].size < DTYPES["f32"].size
    return g.cast(x, "f32") if narrow else x


def rounded_once(function: Callable[[Graph, Node, Tensor], Tensor]) -> NodeRule:
    """A function of input 0, of which floats narrower than f32 are f32 until the result is rounded."""

    def rule(g: Graph, node: Node) -> Result:
        x = node.required(0)
        return as_type(g, function(g, node, wide(g, x)), x.dtype)

    return rule
