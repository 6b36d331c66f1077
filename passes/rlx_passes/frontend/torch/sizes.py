"""Sizes of dynamic inputs as index values of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xdsl.ir import SSAValue

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.graph.sizes import Size
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.errors import Refusal
from rlx_passes.frontend.torch.program import Extent, Symbolic


class Sizes:
    """
    What is known of the dims of the tensors of one graph.

    A size is read from a tensor that has it as a dim, the one that the reader names or the first there was, else reckoned from such.
    """

    def __init__(self, graph: Graph):
        self.graph = graph
        self._dims: dict[SSAValue, tuple[Extent, ...]] = {}
        self._sources: dict[Any, tuple[Tensor, int]] = {}
        self._read: dict[tuple[SSAValue, int], SSAValue] = {}
        self._reckoned: dict[Any, SSAValue] = {}

    def note(self, tensor: Tensor, dims: Sequence[Extent]) -> None:
        """Says what the dims of a tensor are."""
        self._dims[tensor.value] = tuple(dims)
        for axis, size in enumerate(dims):
            if isinstance(size, Symbolic) and tensor.shape[axis] == DYNAMIC:
                self._sources.setdefault(size.expression, (tensor, axis))

    def dims(self, tensor: Tensor) -> tuple[Extent, ...]:
        """The dims of a tensor as far as they have been said; static ones are always known."""
        if DYNAMIC not in tensor.shape:
            return tensor.shape
        return self._dims.get(tensor.value, tensor.shape)

    def sizes(self, dims: Iterable[Extent], near: Sequence[Tensor] = ()) -> list[Size]:
        """Dims for an op that takes sizes."""
        return [self.size(each, near, axis) for axis, each in enumerate(dims)]

    def size(self, extent: Extent, near: Sequence[Tensor] = (), axis: int = 0) -> Size:
        """
        One size. A dim of a tensor of `near` that is known to be equal is read before any other, first the one on `axis`.

        Raises `Refusal` for a size that depends on values of tensors.
        """
        if isinstance(extent, int):
            return extent
        for tensor in near:
            places = [i for i, size in enumerate(self.dims(tensor)) if size == extent and tensor.shape[i] == DYNAMIC]
            if places:
                return self._of(tensor, axis if axis in places else places[0])
        return self._reckon(extent.expression)

    def tensor(self, extent: Symbolic) -> Tensor:
        """A size as a scalar of i64."""
        return self.graph.reshape(self.graph.sizes([self.size(extent)]), ())

    def _of(self, tensor: Tensor, axis: int) -> SSAValue:
        key = tensor.value, axis
        if key not in self._read:
            self._read[key] = self.graph.dim(tensor, axis)
        return self._read[key]

    def _reckon(self, expression: Any) -> Size:
        if expression.is_Integer:
            return int(expression)
        if expression in self._sources:
            return self._of(*self._sources[expression])
        if expression not in self._reckoned:
            self._reckoned[expression] = self._made(expression)
        return self._reckoned[expression]

    def _made(self, expression: Any) -> SSAValue:
        kind, args = type(expression).__name__, list(expression.args)
        if kind == "Mul":
            return self._folded("*", args)
        if kind == "Add":
            positive = [each for each in args if not each.could_extract_minus_sign()]
            if positive:
                total = self._folded("+", positive) if len(positive) > 1 else self._value(positive[0])
                for each in args:
                    if each not in positive:
                        total = self.graph.size("-", total, self._reckon(-each))
                return total
        if kind == "Pow" and args[1].is_Integer and args[1] > 0:
            return self._folded("*", [args[0]] * int(args[1]))
        if kind in ("FloorDiv", "CleanDiv"):
            return self.graph.size("//", *map(self._reckon, args))
        if kind in ("Mod", "PythonMod"):
            whole, part = map(self._reckon, args)
            even = self.graph.size("*", self.graph.size("//", whole, part), part)
            return self.graph.size("-", whole, even)
        if Symbolic(expression).data_dependent:
            raise Refusal(f"size {expression} depends on the values of a tensor")
        raise Refusal(f"size {expression}")

    def _value(self, expression: Any) -> SSAValue:
        size = self._reckon(expression)
        return self.graph.size("+", size, 0) if isinstance(size, int) else size

    def _folded(self, operator: str, parts: Sequence[Any]) -> SSAValue:
        first, *rest = sorted(parts, key=lambda each: bool(each.is_Integer))
        total = self._value(first)
        for each in rest:
            total = self.graph.size(operator, total, self._reckon(each))
        return total
