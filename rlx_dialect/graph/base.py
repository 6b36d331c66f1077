"""A block that ops are appended to, and the values in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.constants import constant_op, dense, splat
from rlx_dialect.dtypes import DTYPES, dtype_of, integer_limits, is_integer, numpy_dtype
from rlx_dialect.ops import ActivationOp, BinaryOp, MatMulOp
from rlx_dialect.shapes import Shaped, ShapeError, of_type, shaped, show

if TYPE_CHECKING:
    from rlx_dialect.arrays import Array

Number = int | float


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value of a graph. Operators build elementwise ops and products; Python numbers become constants of its type."""

    graph: GraphBase
    value: SSAValue

    @property
    def shape(self) -> tuple[int, ...]:
        """The dims; `rlx_dialect.shapes.DYNAMIC` where a size is only known at run time."""
        return shaped(self.value).dims

    @property
    def dtype(self) -> str:
        return dtype_of(shaped(self.value).element).name

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.graph.matmul(self, _factor(other, "rhs"))

    def __rmatmul__(self, other: Tensor) -> Tensor:
        return self.graph.matmul(_factor(other, "lhs"), self)

    def __add__(self, other: Tensor | Number) -> Tensor:
        return self.graph.binary(BinaryKind.ADD, self, other)

    def __radd__(self, other: Number) -> Tensor:
        return self.graph.binary(BinaryKind.ADD, other, self)

    def __sub__(self, other: Tensor | Number) -> Tensor:
        return self.graph.binary(BinaryKind.SUB, self, other)

    def __rsub__(self, other: Number) -> Tensor:
        return self.graph.binary(BinaryKind.SUB, other, self)

    def __mul__(self, other: Tensor | Number) -> Tensor:
        return self.graph.binary(BinaryKind.MUL, self, other)

    def __rmul__(self, other: Number) -> Tensor:
        return self.graph.binary(BinaryKind.MUL, other, self)

    def __truediv__(self, other: Tensor | Number) -> Tensor:
        return self.graph.binary(BinaryKind.DIV, self, other)

    def __rtruediv__(self, other: Number) -> Tensor:
        return self.graph.binary(BinaryKind.DIV, other, self)

    def __neg__(self) -> Tensor:
        return self.graph.activation(Activation.NEG, self)


class GraphBase:
    """What every chapter of `rlx_dialect.builder.Graph` appends ops by."""

    def __init__(self, name: str = "main"):
        self.name = name
        self._block = Block()
        self._finished = False
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}

    @property
    def block(self) -> Block:
        """What the ops are appended to."""
        return self._block

    def argument(self, type: Attribute) -> Tensor:
        """One more argument, without a role or a name: of a body, whose op says what it is."""
        return Tensor(self, self._block.insert_arg(type, len(self._block.args)))

    def constant(self, array: Array) -> Tensor:
        """The array as a constant. Raises `ValueError` for a NumPy type outside of the dialect."""
        matching = [dtype.type for dtype in DTYPES.values() if numpy_dtype(dtype.type) == array.dtype]
        if not matching:
            raise ValueError(f"no element type for NumPy's {array.dtype}; known are {', '.join(DTYPES)}")
        type = Shaped(array.shape, matching[0]).type
        return self._emit(constant_op(dense(type, array)))

    def binary(self, kind: BinaryKind, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        left, right = self._pair(lhs, rhs)
        return self._emit(BinaryOp(kind, left, right))

    def activation(self, kind: Activation, x: Tensor) -> Tensor:
        return self._emit(ActivationOp(kind, self._value(x)))

    def matmul(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        return self._emit(MatMulOp(self._value(lhs), self._value(rhs)))

    def _emit(self, op: Operation) -> Tensor:
        self._require_open()
        self._block.add_op(op)
        return Tensor(self, op.results[0])

    def _emit_all(self, op: Operation) -> tuple[Tensor, ...]:
        self._require_open()
        self._block.add_op(op)
        return tuple(Tensor(self, result) for result in op.results)

    def _require_open(self) -> None:
        if self._finished:
            raise ValueError(f"graph '{self.name}' is finished: its program was handed over by module()")

    def _value(self, tensor: Tensor) -> SSAValue:
        if not isinstance(tensor, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may be untyped
            raise TypeError(f"graph '{self.name}': expected a tensor, got {tensor!r}")
        if tensor.graph is not self:
            raise ValueError(f"a tensor of graph '{tensor.graph.name}' was used in graph '{self.name}'")
        return tensor.value

    def _optional(self, tensor: Tensor | None) -> SSAValue | None:
        return None if tensor is None else self._value(tensor)

    def _pair(self, lhs: Tensor | Number, rhs: Tensor | Number) -> tuple[SSAValue, SSAValue]:
        """Both operands as values; a number takes the element type of the other."""
        if isinstance(lhs, Tensor):
            left = self._value(lhs)
            return left, self._value(rhs) if isinstance(rhs, Tensor) else self._scalar(rhs, left)
        if isinstance(rhs, Tensor):
            right = self._value(rhs)
            return self._scalar(lhs, right), right
        raise ValueError("at least one operand must be a tensor")

    def _scalar(self, value: Number, like: SSAValue) -> SSAValue:
        element = shaped(like).element
        key = (repr(value), element)  # tells -0.0 from 0.0, which are equal
        if key not in self._constants:
            self._constants[key] = self._emit(constant_op(splat_of_number(Shaped((), element).type, value))).value
        return self._constants[key]


def _factor(value: Tensor, name: str) -> Tensor:
    """A side of a product. Raises `TypeError` for anything but a tensor; a number has no dims to sum over."""
    if not isinstance(value, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may be untyped
        raise TypeError(f"matmul: {name} must be a tensor, got {value!r}; `*` takes numbers")
    return value


def splat_of_number(type: TensorType[Attribute], value: Number) -> DenseIntOrFPElementsAttr:
    """A dense constant of equal elements. Raises `ValueError` for a negative size or an integer outside `type`."""
    dims, element = of_type(type)
    if any(size < 0 for size in dims):
        raise ShapeError(f"a constant needs sizes of 0 or more, got {show(dims)}")
    if is_integer(element):
        low, high = integer_limits(element)
        if not low <= value <= high or value != int(value):
            raise ValueError(f"{value} is no value of {element}")
    return splat(type, value)
