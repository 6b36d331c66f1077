"""A node under import, as its rule sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Dim, Size
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import dtype_of_array
from rlx_passes.frontends.onnx.emitter import GraphEmitter
from rlx_passes.frontends.onnx.model import Array, GraphDef, NodeDef
from rlx_passes.frontends.onnx.names import Names
from rlx_passes.frontends.onnx.values import Value


class GraphBuilder(Protocol):
    """What builds the graphs that an attribute holds."""

    def initializers(self, names: Names, arrays: Mapping[str, Array]) -> None:
        """Put stored arrays under their names."""
        ...

    def nodes(self, emitter: GraphEmitter, names: Names, graph: GraphDef) -> None:
        """Build the nodes of a graph; their outputs are in `names` then."""
        ...

    def value(self, names: Names, name: str) -> Value:
        """What a graph gives under `name`."""
        ...


@dataclass(eq=False)
class Node:
    """
    `inputs` holds None where the node leaves one out, `outputs` the names of what it gives, empty if unread.

    `opset` is the version of the op set that the node was written for.
    """

    definition: NodeDef
    opset: int
    attributes: Mapping[str, Any]
    inputs: Sequence[Value | None]
    emitter: GraphEmitter
    names: Names
    importer: GraphBuilder

    @property
    def op_type(self) -> str:
        return self.definition.op_type

    @property
    def outputs(self) -> Sequence[str]:
        return self.definition.outputs

    def value(self, at: int) -> Value | None:
        """Input `at`, None where it is left out."""
        return self.inputs[at] if at < len(self.inputs) else None

    def of(self, *inputs: Tensor | None) -> Node:
        """The node with tensors that its rule made as inputs, for the rule of another op."""
        return replace(self, inputs=[None if x is None else Value("", tensor=x) for x in inputs])

    def required(self, at: int) -> Tensor:
        """Input `at` as a tensor. Raises `Refusal` where the node leaves it out."""
        tensor = self.optional(at)
        if tensor is None:
            raise Refusal(f"input {at} is left out")
        return tensor

    def optional(self, at: int) -> Tensor | None:
        """Input `at` as a tensor, None where it is left out."""
        value = self.value(at)
        return None if value is None else self.emitter.tensor(value)

    def constant(self, at: int) -> Array | None:
        """The numbers that input `at` holds, None where it is left out. Raises `Refusal` if only a run knows them."""
        value = self.value(at)
        if value is None:
            return None
        if value.known is None or value.known.dtype == object:
            raise Refusal(
                f"input {at} ('{value.name}') must be known on import; it is computed from what only a run knows"
            )
        return value.known

    def number(self, at: int) -> Any:
        """The one number that input `at` holds, None where it is left out; see `constant`."""
        known = self.constant(at)
        if known is not None and known.size != 1:
            raise Refusal(f"input {at} must hold one number, it has {known.size}")
        return None if known is None else known.item()

    def integers(self, at: int) -> list[int] | None:
        """Input `at` as a list of integers; see `constant`."""
        known = self.constant(at)
        return None if known is None else [int(each) for each in known.ravel()]

    def listed(self, name: str, at: int) -> list[int] | None:
        """The integers of attribute `name`, or of input `at`, its successor in later op sets; None without either."""
        given = self.attributes.get(name)
        return self.integers(at) if given is None else [int(each) for each in given]

    def sizes(self, at: int) -> list[Size]:
        """Input `at`, a vector of integers, as sizes; unknown ones are read out of the tensor at run time."""
        value = self.value(at)
        if value is None:
            raise Refusal(f"input {at} is left out")
        if value.known is not None:
            return [each if isinstance(each, Dim) else int(each) for each in value.known.ravel().tolist()]
        return self.emitter.sizes_in(self.emitter.tensor(value))

    def size(self, at: int) -> Size:
        """The one integer that input `at` holds, as a size; see `sizes`."""
        sizes = self.sizes(at)
        if len(sizes) != 1:
            raise Refusal(f"input {at} must hold one number, it has {len(sizes)}")
        return sizes[0]

    def dtype(self, at: int) -> str:
        """The element type of input `at`."""
        value = self.value(at)
        if value is None:
            raise Refusal(f"input {at} is left out")
        if value.known is None:
            return self.emitter.tensor(value).dtype
        return value.sized if value.known.dtype == object else dtype_of_array(value.known)

    def dims(self, at: int) -> tuple[Size, ...]:
        """The dims of input `at`."""
        value = self.value(at)
        if value is None:
            raise Refusal(f"input {at} is left out")
        return value.known.shape if value.known is not None else self.emitter.dims(self.emitter.tensor(value))

    def dims_of(self, x: Tensor) -> tuple[Size, ...]:
        """The dims of a tensor that the rule made."""
        return self.emitter.dims(x)

    def reshape(self, x: Tensor, sizes: Sequence[Size]) -> Tensor:
        """`x` under other dims."""
        return self.emitter.graph.reshape(x, self.emitter.shape(sizes))

    def expand(self, x: Tensor, sizes: Sequence[Size]) -> Tensor:
        """`x` stretched to other dims."""
        return self.emitter.graph.expand(x, self.emitter.shape(sizes))

    def counted(self, size: Size, dtype: str = "i64") -> Tensor | int:
        """A size as an operand of arithmetic on tensors of a type."""
        if not isinstance(size, Dim):
            return size
        g = self.emitter.graph
        number = g.reshape(g.sizes(self.emitter.shape([size])), ())
        return number if dtype == "i64" else g.cast(number, dtype)

    def shape(self, sizes: Sequence[Size]) -> list[Any]:
        """Sizes as the builder takes them."""
        return self.emitter.shape(sizes)


Result = Tensor | Array | Value
"""A tensor, what is known of one without any op, or an input as it is."""

NodeRule = Callable[[Graph, Node], Result | Sequence[Result]]
"""Builds a node: its result, or results in the order of its outputs; later ones may be missing. Raises `Refusal`."""


def first(results: Result | Sequence[Result]) -> Tensor:
    """The first result of a rule that makes tensors."""
    result = results[0] if isinstance(results, Sequence) else results
    assert isinstance(result, Tensor)
    return result
