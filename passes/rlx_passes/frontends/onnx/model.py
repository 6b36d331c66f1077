"""A model file as plain data: what the importer reads in place of protobuf messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Reference:
    """An attribute of a function's node that takes the value of an attribute of the function."""

    name: str


Attribute: TypeAlias = (
    "int | float | str | Array | GraphDef | Reference | Sequence[int] | Sequence[float] | Sequence[str]"
)


@dataclass(frozen=True)
class ValueDef:
    """
    An input: its name, its element type as the dialect spells it, and its dims: a size, a name, or None.

    None in place of the element type or of the dims where the model does not say them.
    """

    name: str
    dtype: str | None
    dims: tuple[int | str | None, ...] | None


@dataclass(frozen=True, eq=False)
class NodeDef:
    """One op; an input or output of an empty name is left out."""

    op_type: str
    domain: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Attribute]

    def label(self) -> str:
        """How messages speak of it."""
        called = f"'{self.name}'" if self.name else f"of '{next(filter(None, self.outputs), '')}'"
        return f"node {called} ({self.domain + '.' if self.domain else ''}{self.op_type})"


@dataclass(frozen=True, eq=False)
class GraphDef:
    """Nodes in an order in which each value is computed before it is read."""

    name: str
    inputs: Sequence[ValueDef]
    outputs: Sequence[str]
    initializers: Mapping[str, Array]
    nodes: Sequence[NodeDef]


@dataclass(frozen=True, eq=False)
class FunctionDef:
    """A function of the model: a node of its name stands for its nodes."""

    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Attribute | None]
    """Its attributes with their defaults; None for one that must be given."""
    nodes: Sequence[NodeDef]
    opsets: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class ModelDef:
    """A model: its graph, the version of the op set of each domain, its functions by domain and name."""

    file: str
    graph: GraphDef
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str], FunctionDef] = field(default_factory=dict[tuple[str, str], FunctionDef])


def nodes_as_read(graph: GraphDef | FunctionDef) -> list[NodeDef]:
    """The nodes of a graph, without outputs that nothing reads, except the first."""
    read = {*graph.outputs, *_read(graph.nodes)}
    return [
        node
        if read.issuperset(node.outputs[1:])
        else replace(node, outputs=[*node.outputs[:1], *(name if name in read else "" for name in node.outputs[1:])])
        for node in graph.nodes
    ]


def _read(nodes: Sequence[NodeDef]) -> Iterator[str]:
    """The names that nodes read, and those that the graphs within them do."""
    for node in nodes:
        yield from node.inputs
        for value in node.attributes.values():
            if isinstance(value, GraphDef):
                yield from value.outputs
                yield from _read(value.nodes)
