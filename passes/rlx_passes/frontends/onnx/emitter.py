"""Values of a model as tensors of a program, and sizes as index values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Block, SSAValue

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Atom, AxisSize, Dim, IndexSize, Quotient, Size
from rlx_dialect.graph import sizes as builder
from rlx_dialect.known_sizes import KnownSizes, settled
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.dtypes import dtype_of_array
from rlx_passes.frontends.onnx.model import Array
from rlx_passes.frontends.onnx.values import Value


@dataclass(eq=False)
class Program:
    """What all graphs of one program under import share."""

    params: dict[str, Array] = field(default_factory=dict[str, Array])
    """The contents of the params that are arguments by now."""
    named: dict[SSAValue, tuple[str | int, ...]] = field(default_factory=dict[SSAValue, "tuple[str | int, ...]"])
    """The names of the dims of arguments."""


@dataclass(eq=False)
class GraphEmitter:
    """
    Appends to one graph: that of the function, or the body of an op, which is isolated.

    A body reads outer values through `captures`, values of the graph around it: arguments stand for them in
    `arguments`, one more with each value that is read for the first time.
    """

    program: Program
    graph: Graph
    outer: GraphEmitter | None = None
    arguments: dict[SSAValue, Tensor] = field(default_factory=dict[SSAValue, Tensor])
    _tensors: dict[Value, Tensor] = field(default_factory=dict[Value, Tensor])
    _indices: dict[Dim, SSAValue] = field(default_factory=dict[Dim, SSAValue])
    _named: dict[str, Dim] = field(default_factory=dict[str, Dim])
    _sizes: KnownSizes = field(default_factory=KnownSizes)
    _asked: dict[Dim, AxisSize] = field(default_factory=dict[Dim, AxisSize])
    """Where a rule last asked for a size that an op made: it is read there, so that ops in between may be fused."""

    @property
    def captures(self) -> list[SSAValue]:
        """The values of the graph around that this one reads."""
        return list(self.arguments)

    # Tensors.

    def tensor(self, value: Value) -> Tensor:
        """The value as a tensor of this graph."""
        if value.tensor is not None:
            return value.tensor if value.tensor.graph is self.graph else self.local(value.tensor.value)
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
            argument = self.graph.argument(around.type)
            self.arguments[around] = argument
            self._sizes.say(argument.value, self.outer.dims(Tensor(self.outer.graph, around)))
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
        return self.graph.param(value.name, known.shape, dtype_of_array(known))

    # Sizes.

    def name_dims(self, tensor: Tensor, dims: Sequence[str | int]) -> None:
        """The dims of an argument; those of one name are equal to the first that has it."""
        self.program.named[tensor.value] = tuple(dims)
        first = (Dim.of(AxisSize(tensor.value, axis)) for axis in range(len(dims)))
        sizes = [self._named.setdefault(dim, own) if isinstance(dim, str) else dim for dim, own in zip(dims, first)]
        self._sizes.say(tensor.value, sizes)

    def dims(self, x: Tensor) -> tuple[Size, ...]:
        """The dims of a tensor of this graph."""
        sizes = self._sizes.of(x.value)
        for axis, size in enumerate(sizes):
            if isinstance(size, Dim) and not _is_of_argument(size):
                self._asked[size] = AxisSize(x.value, axis)
        return sizes

    def name_of(self, size: Size) -> str:
        """What the model calls a dim that is no more than an axis of an input; empty for any other."""
        atom = settled(size, self._sizes.equalities()) if isinstance(size, Dim) else None
        atom = atom.atom() if isinstance(atom, Dim) else None
        names = self.program.named.get(atom.tensor, ()) if isinstance(atom, AxisSize) else ()
        return str(names[atom.axis]) if names and isinstance(atom, AxisSize) else ""

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
            asked = None if all(map(self._is_at_hand, dim.atoms())) else self._where(dim)
            self._indices[dim] = self.graph.reckoned(dim, self._atom) if asked is None else self._read(dim, asked)
        return self._indices[dim]

    def _is_at_hand(self, atom: Atom) -> bool:
        """Whether arithmetic in this graph gives a size that has the atom in it."""
        return isinstance(atom, AxisSize | Quotient) or (
            isinstance(atom, IndexSize) and _block_of(atom.value) is self.graph.block
        )

    def _where(self, dim: Dim) -> AxisSize | None:
        """Where a rule last asked for a size, in this graph or one around it."""
        return self._asked.get(dim) or (None if self.outer is None else self.outer._where(dim))

    def _atom(self, atom: Atom) -> SSAValue:
        match atom:
            case Quotient(dividend, divisor):
                above, below = self.shape([dividend, divisor])
                return self.graph.size("//", above, below)
            case IndexSize(value) if self._is_at_hand(atom):
                return value
            case _:
                dim = Dim.of(atom)
                asked = self._where(dim) or (atom if isinstance(atom, AxisSize) else None)
                if asked is None:
                    raise Refusal("a body needs a size that is reckoned outside of it")
                return self._read(dim, asked)

    def _read(self, dim: Dim, at: AxisSize) -> SSAValue:
        """The size, read off an axis once."""
        if dim not in self._indices:
            self._indices[dim] = self.graph.dim(self.local(at.tensor), at.axis)
        return self._indices[dim]


def _is_of_argument(size: Dim) -> bool:
    """Whether a size is an axis of an argument."""
    atom = size.atom()
    return isinstance(atom, AxisSize) and isinstance(atom.tensor.owner, Block)


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def is_sized(array: Array) -> bool:
    """Whether some of the integers are sizes that only a run knows."""
    return array.dtype == np.dtype(object)
