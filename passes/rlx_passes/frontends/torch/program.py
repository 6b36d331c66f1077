"""An exported module as the importer reads it: plain values, nothing of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rlx_dialect.dims import Size

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array

Role = Literal["input", "param", "constant"]


@dataclass(frozen=True)
class Spec:
    """Dims, over input sizes, and dtype name of an exported tensor, with `torch.` if it is not one of the dialect's."""

    dims: tuple[Size, ...]
    dtype: str


@dataclass(frozen=True)
class Ref:
    """The value of a node, in the arguments of another."""

    name: str


@dataclass(frozen=True)
class ArgumentSource:
    """Where a value comes from that no node gives: `name` is the caller's, `array` what is known of its elements."""

    node: str
    role: Role
    name: str
    spec: Spec
    array: Array | None = None


@dataclass(frozen=True)
class Node:
    """
    A call: `target` is the name of its overload, `args` by its schema's names, `outs` its results, None for no tensor.

    `place` names the module that made it, for messages; `many` tells several results from one.
    """

    name: str
    target: str
    args: Mapping[str, Any]
    outs: tuple[Spec | None, ...]
    many: bool
    place: str
    common: str | None = None
    """The element type in which PyTorch compares `self` with `other`."""


@dataclass(frozen=True)
class Output:
    """
    A result of the module: the value and the name the caller knows it by. `donor` is the argument of the graph, by its
    node, that the module writes to in place: its contents from then on are the result.
    """

    name: str
    value: Ref
    donor: str = ""


@dataclass(frozen=True)
class Body:
    """A graph: its arguments, its nodes in order, and what it gives."""

    sources: Sequence[ArgumentSource]
    nodes: Sequence[Node]
    outputs: Sequence[Output]


@dataclass(frozen=True)
class Program:
    """A whole module. `dims` names the sizes of dynamic inputs by their symbols."""

    body: Body
    dims: Mapping[str, str]
