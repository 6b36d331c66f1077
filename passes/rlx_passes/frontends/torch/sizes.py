"""Sizes of dynamic inputs as index values of the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xdsl.ir import SSAValue

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Atom, AxisSize, Dim, Quotient, Size, Symbol
from rlx_dialect.graph import sizes as builder
from rlx_dialect.known_sizes import KnownSizes
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal


class Sizes:
    """
    What is known of the dims of the tensors of one graph.

    A size is read from a tensor that has it as a dim, the one the reader names or the first, else computed from such.
    """

    def __init__(self, graph: Graph):
        self.graph = graph
        self._known = KnownSizes()
        self._sources: dict[Dim, tuple[Tensor, int]] = {}
        self._read: dict[tuple[SSAValue, int], SSAValue] = {}
        self._reckoned: dict[Dim, SSAValue] = {}

    def note(self, tensor: Tensor, dims: Sequence[Size]) -> None:
        """Says what the dims of a tensor are."""
        self._known.say(tensor.value, dims)
        for axis, size in enumerate(dims):
            if isinstance(size, Dim) and tensor.shape[axis] == DYNAMIC:
                self._sources.setdefault(size, (tensor, axis))

    def dims(self, tensor: Tensor) -> tuple[Size, ...]:
        """The dims of a tensor."""
        return self._known.of(tensor.value)

    def sizes(self, dims: Iterable[Size], near: Sequence[Tensor] = ()) -> list[builder.Size]:
        """Dims for an op that takes sizes."""
        return [self.size(each, near, axis) for axis, each in enumerate(dims)]

    def size(self, size: Size, near: Sequence[Tensor] = (), axis: int = 0) -> builder.Size:
        """
        One size. A dim of a tensor of `near` known to be equal is read before any other, first the one on `axis`.

        Raises `Refusal` for a size that depends on values of tensors.
        """
        if isinstance(size, int):
            return size
        for tensor in near:
            places = [i for i, each in enumerate(self.dims(tensor)) if each == size and tensor.shape[i] == DYNAMIC]
            if places:
                return self._of(tensor, axis if axis in places else places[0])
        return self._value(size)

    def tensor(self, size: Dim) -> Tensor:
        """A size as a scalar of i64."""
        return self.graph.reshape(self.graph.sizes([self.size(size)]), ())

    def _of(self, tensor: Tensor, axis: int) -> SSAValue:
        key = tensor.value, axis
        if key not in self._read:
            self._read[key] = self.graph.dim(tensor, axis)
        return self._read[key]

    def _value(self, dim: Dim) -> SSAValue:
        if dim in self._sources:
            return self._of(*self._sources[dim])
        if dim not in self._reckoned:
            self._reckoned[dim] = self.graph.reckoned(dim, self._atom)
        return self._reckoned[dim]

    def _atom(self, atom: Atom) -> SSAValue:
        dim = Dim.of(atom)
        if dim in self._sources:
            return self._of(*self._sources[dim])
        if isinstance(atom, AxisSize):
            return self._of(Tensor(self.graph, atom.tensor), atom.axis)
        if isinstance(atom, Quotient):
            return self.graph.size("//", self.size(atom.dividend), self.size(atom.divisor))
        depends = isinstance(atom, Symbol) and re.search(r"\bz?u\d", atom.name)
        raise Refusal(f"size {atom} depends on the values of a tensor" if depends else f"size {atom}")
