"""A node as its rule reads it: arguments by name and by kind, and tensors of the graph that is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.builder import Graph, Number, Tensor
from rlx_dialect.dims import Dim, Size
from rlx_dialect.graph import sizes as builder
from rlx_dialect.ops import ReshapeOp
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.program import Node, Spec

if TYPE_CHECKING:
    from rlx_passes.frontends.torch.sizes import Sizes

FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True)
class Call:
    """
    One node: `args` holds tensors in place of references. What asks for an argument names it as the schema does.

    Raises `Refusal` for what the dialect cannot say.
    """

    node: Node
    args: Mapping[str, Any]
    g: Graph
    sizes: Sizes
    region: Callable[[Any], Callable[..., Sequence[Tensor]]] = field(repr=False)
    """A graph among the arguments as the body of a region op."""

    # Results.

    @property
    def out(self) -> Spec:
        """The only result, or the first."""
        first = self.node.outs[0]
        if first is None:
            raise Refusal("gives no tensor")
        return first

    @property
    def dtype(self) -> str:
        """The element type of the result."""
        return self.known_dtype(self.out.dtype)

    def known_dtype(self, dtype: str) -> str:
        """Raises `Refusal` for an element type outside of the dialect."""
        if dtype.startswith("torch."):
            raise Refusal(f"element type {dtype.removeprefix('torch.')}")
        return dtype

    def shape(self, *near: Tensor, of: Spec | None = None) -> list[builder.Size]:
        """The dims of the result, for ops that take sizes; run-time ones are read from `near` where it has them."""
        return self.sizes.sizes((of or self.out).dims, near)

    # Arguments.

    def given(self, name: str) -> bool:
        return self.args.get(name) is not None

    def tensor(self, name: str) -> Tensor:
        value = self.args.get(name)
        if not isinstance(value, Tensor):
            raise Refusal(f"{name} is no tensor")
        return value

    def optional(self, name: str) -> Tensor | None:
        return self.tensor(name) if self.given(name) else None

    def tensors(self, name: str) -> list[Tensor]:
        values: list[Any] = list(self.args[name])
        if not all(isinstance(each, Tensor) for each in values):
            raise Refusal(f"{name} does not hold tensors only")
        return values

    def optional_tensors(self, name: str) -> list[Tensor | None]:
        return list(self.args[name])

    def integer(self, name: str) -> int:
        return self._fixed(name, self.args[name])

    def integers(self, name: str) -> list[int]:
        """A list of numbers; one number is a list of one, none an empty list."""
        value = self.args.get(name)
        if value is None:
            return []
        values = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else [value]
        return [self._fixed(name, each) for each in values]

    def size(self, name: str) -> Size:
        return self.args[name]

    def real(self, name: str) -> float:
        value = self.args[name]
        if isinstance(value, Dim):
            raise Refusal(f"{name} = {value} is known at run time only")
        return float(value)

    def reals(self, name: str) -> list[float]:
        return [float(each) for each in self.args[name]]

    def flag(self, name: str) -> bool:
        return bool(self.args.get(name))

    def word(self, name: str) -> str:
        return str(self.args[name])

    def axis(self, name: str, rank: int) -> int:
        """A dim counted from the start; a tensor without dims counts as one of one dim."""
        return self.integer(name) % max(rank, 1)

    def axes(self, name: str, rank: int) -> list[int]:
        """Dims counted from the start; all of them where none are named."""
        return [each % max(rank, 1) for each in self.integers(name)] or list(range(rank))

    def operand(self, name: str, dtype: str) -> Tensor | Number:
        """A tensor of the element type, or a number that becomes one beside a tensor."""
        value = self.args[name]
        if isinstance(value, Tensor):
            return self.cast(value, dtype)
        return self.number(value, dtype)

    def number(self, value: Any, dtype: str) -> Tensor | Number:
        """A Python number or a size as an operand of the element type."""
        import numpy as np

        if isinstance(value, Dim):
            return self.cast(self.sizes.tensor(value), dtype)
        if dtype == "c64":
            return self.g.constant(np.array(value, np.complex64))
        if dtype == "i1":
            return bool(value)
        return float(value) if dtype in FLOATS else int(value)

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        """`x` in the element type, as `Tensor.to` gives it."""
        if x.dtype == dtype:
            return x
        if dtype == "c64":
            real = self.cast(x, "f32")
            return self.g.complex(real, real * 0)
        if x.dtype == "c64" and dtype != "i1":
            return self.cast(self.g.real(x), dtype)
        return self.g.cast(x, dtype)

    # Steps that many rules take.

    def binary(self, kind: BinaryKind, a: Tensor | Number, b: Tensor | Number, dtype: str) -> Tensor:
        """An elementwise op of two operands of one element type, at least one of which is a tensor."""
        if not isinstance(a, Tensor) and not isinstance(b, Tensor):
            a = self.g.full((), a, dtype)
        return self.g.binary(kind, a, b)

    def reshaped(self, x: Tensor, *near: Tensor) -> Tensor:
        """`x` in row-major order under the dims of the result."""
        return self.laid(x, self.out.dims, *near)

    def laid(self, x: Tensor, dims: tuple[Size, ...], *near: Tensor) -> Tensor:
        """`x` in row-major order under `dims`; where an earlier form of it has them, that."""
        earlier = x
        while self.sizes.dims(earlier) != dims:
            owner = earlier.value.owner
            if not isinstance(owner, ReshapeOp):
                made = self.g.reshape(x, self.sizes.sizes(dims, (x, *near)))
                self.sizes.note(made, dims)
                return made
            earlier = Tensor(self.g, owner.input)
        return earlier

    def _fixed(self, name: str, value: Any) -> int:
        if isinstance(value, Dim):
            raise Refusal(f"{name} = {value} is known at run time only")
        return int(value)
