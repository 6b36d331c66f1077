"""Values of a model as tensors of a program, and sizes as index values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Block, SSAValue

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.graph import sizes as builder
from rlx_dialect.ops import ConcatOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.errors import Refusal
from rlx_passes.frontend.dim_sources import source_of
from rlx_passes.frontend.dims import Atom, AxisSize, Dim, IndexSize, Quotient, Size, total
from rlx_passes.frontend.onnx.model import Array
from rlx_passes.frontend.onnx.node import Value


@dataclass(eq=False)
class Program:
    """What all graphs of one program under import share."""

    params: dict[str, Array] = field(default_factory=dict[str, Array])
    """The contents of the params that are arguments by now."""
    named: dict[SSAValue, tuple[str | int, ...]] = field(default_factory=dict[SSAValue, "tuple[str | int, ...]"])
    """The names of the dims of arguments."""
    first: dict[str, AxisSize] = field(default_factory=dict[str, AxisSize])
    """Of each name, the first axis that has it."""
    reckoned: dict[SSAValue, Dim] = field(default_factory=dict[SSAValue, Dim])
    """What the index values are that were made here."""
    asked: dict[Atom, AxisSize] = field(default_factory=dict[Atom, AxisSize])
    """Where a rule last asked for a size that an op made: it is read there, so that what stands between may be fused, and so in a body."""

    def name_dims(self, tensor: Tensor, dims: Sequence[str | int]) -> None:
        """The dims of an argument; those of one name are equal."""
        self.named[tensor.value] = tuple(dims)
        for axis, name in enumerate(dims):
            if isinstance(name, str):
                self.first.setdefault(name, AxisSize(tensor.value, axis))


@dataclass(eq=False)
class Emitter:
    """
    Appends to one graph: that of the function, or the body of an op, which is isolated.

    A body reads what stands outside through `captures`, values of the graph around it: arguments stand for them in `arguments`, one more
    with each value that is read for the first time.
    """

    program: Program
    graph: Graph
    outer: Emitter | None = None
    arguments: dict[SSAValue, Tensor] = field(default_factory=dict[SSAValue, Tensor])
    _tensors: dict[Value, Tensor] = field(default_factory=dict[Value, Tensor])
    _indices: dict[Dim, SSAValue] = field(default_factory=dict[Dim, SSAValue])

    @property
    def captures(self) -> list[SSAValue]:
        """The values of the graph around that this one reads."""
        return list(self.arguments)

    # Tensors.

    def tensor(self, value: Value) -> Tensor:
        """The value as a tensor of this graph."""
        if value.tensor is not None:
            return self.local(value.tensor.value)
        if value not in self._tensors:
            self._tensors[value] = self._made(value)
        return self._tensors[value]

    def local(self, value: SSAValue) -> Tensor:
        """A value of this graph or of one around it, as a tensor of this graph."""
        if _block_of(value) is self.graph.block:
            return Tensor(self.graph, value)
        if self.outer is None:
            raise Refusal("a value of another graph is read")
        around = self.outer.local(value).value
        if around not in self.arguments:
            self.arguments[around] = self.graph.argument(around.type)
        return self.arguments[around]

    def _made(self, value: Value) -> Tensor:
        if value.known is None:
            raise Refusal(f"nothing is known of '{value.name}'")
        if value.param:
            return self._param(value, value.known)
        if value.known.dtype == object:
            flat = [each if isinstance(each, Dim) else int(each) for each in value.known.ravel()]
            vector = self.graph.sizes(self.shape(flat))
            if value.sized != vector.dtype:
                vector = self.graph.cast(vector, value.sized)
            return vector if value.known.ndim == 1 else self.graph.reshape(vector, value.known.shape)
        return self.constant(value.known)

    def constant(self, array: Array) -> Tensor:
        """The array as a constant. Raises `Refusal` for an element type that the dialect has not."""
        try:
            return self.graph.constant(array)
        except ValueError as problem:
            raise Refusal(str(problem)) from None

    def _param(self, value: Value, known: Array) -> Tensor:
        if self.outer is not None:
            return self.local(self.outer.tensor(value).value)
        self.program.params[value.name] = known
        from rlx_passes.frontend.onnx.dtypes import dtype_of_array

        return self.graph.param(value.name, known.shape, dtype_of_array(known))

    # Sizes.

    def dims(self, x: Tensor) -> tuple[Size, ...]:
        """The dims of a tensor of this graph."""
        return tuple(size if size != DYNAMIC else self._dim(x.value, axis) for axis, size in enumerate(x.shape))

    def _dim(self, value: SSAValue, axis: int) -> Size:
        asked = AxisSize(value, axis)
        source = source_of(value, axis)
        if isinstance(source, SSAValue):
            self.program.asked[IndexSize(source)] = asked
            return self.program.reckoned.get(source) or Dim.of(IndexSize(source))
        value, axis = source
        if isinstance(value.owner, ConcatOp):
            return total([self.dims(Tensor(self.graph, each))[axis] for each in value.owner.operands])
        around = next((outer for outer, inner in self.arguments.items() if inner.value is value), None)
        if around is not None and self.outer is not None:
            return self.outer._dim(around, axis)
        names = self.program.named.get(value)
        name = names[axis] if names else None
        size = self.program.first[name] if isinstance(name, str) else AxisSize(value, axis)
        if not isinstance(value.owner, Block):
            self.program.asked[size] = asked
        return Dim.of(size)

    def shape(self, sizes: Sequence[Size]) -> list[builder.Size]:
        """Sizes as the builder takes them."""
        return [self._index(size) if isinstance(size, Dim) else size for size in sizes]

    def sizes_in(self, x: Tensor) -> list[Size]:
        """The elements of a vector of integers, which are read when the program runs."""
        if len(x.shape) > 1 or DYNAMIC in x.shape:
            raise Refusal("how many sizes there are is known at run time only")
        positions = [(at,) for at in range(x.shape[0])] if x.shape else [()]
        return [Dim.of(IndexSize(self.graph.size_at(x, *position))) for position in positions]

    def _index(self, dim: Dim) -> SSAValue:
        if dim not in self._indices:
            self._indices[dim] = self._reckon(dim)
            self.program.reckoned[self._indices[dim]] = dim
        return self._indices[dim]

    def _reckon(self, dim: Dim) -> SSAValue:
        """The sum of the terms, those that are taken away last."""
        terms = sorted(dim.terms(), key=lambda term: term[1] < 0)
        whole: builder.Size | None = None
        for monomial, coefficient in terms:
            size: builder.Size = abs(coefficient)
            for atom, power in monomial:
                for _ in range(power):
                    value = self._atom(atom)
                    size = value if size == 1 else self.graph.size("*", size, value)
            if whole is None:
                whole = size if coefficient > 0 else self.graph.size("-", 0, size)
            else:
                whole = self.graph.size("+" if coefficient > 0 else "-", whole, size)
        assert isinstance(whole, SSAValue), "a Dim has a size in it"
        return whole

    def _atom(self, atom: Atom) -> SSAValue:
        match atom:
            case AxisSize():
                return self._read(atom, self.program.asked.get(atom, atom))
            case IndexSize(value):
                if _block_of(value) is self.graph.block:
                    return value
                if atom not in self.program.asked:
                    raise Refusal("a body needs a size that is reckoned outside of it")
                return self._read(atom, self.program.asked[atom])
            case Quotient(dividend, divisor):
                above, below = self.shape([dividend, divisor])
                return self.graph.size("//", above, below)

    def _read(self, atom: Atom, at: AxisSize) -> SSAValue:
        """The size, read off an axis once."""
        key = Dim.of(atom)
        if key not in self._indices:
            self._indices[key] = self.graph.dim(self.local(at.tensor), at.axis)
            self.program.reckoned[self._indices[key]] = key
        return self._indices[key]


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def is_sized(array: Array) -> bool:
    """Whether some of the integers are sizes that only a run knows."""
    return array.dtype == np.dtype(object)
