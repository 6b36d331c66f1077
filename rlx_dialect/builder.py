"""
Programs written in Python.

    g = Graph("mlp")
    x = g.input("x", (4, 8))
    y = g.gelu(x @ g.param("w", (8, 16)) + g.param("b", (16,)))
    g.output("y", y)
    module = g.module()

Shapes and element types are inferred; a wrong operand raises `ShapeError` at the call that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_dialect.attributes import (
    Activation,
    AttentionLayout,
    BinaryKind,
    CompareKind,
    MaskKind,
    ReduceKind,
)
from rlx_dialect.constants import dense, splat
from rlx_dialect.dtypes import DTYPES, dtype_of, element_type, integer_limits, is_integer, numpy_dtype
from rlx_dialect.functions import function_of
from rlx_dialect.graph.complex import ComplexChapter
from rlx_dialect.graph.contraction import ContractionChapter
from rlx_dialect.graph.convolution import ConvolutionChapter
from rlx_dialect.graph.cumulative import CumulativeChapter
from rlx_dialect.graph.custom import CustomChapter
from rlx_dialect.graph.elementwise import ElementwiseChapter
from rlx_dialect.graph.fused import FusedChapter
from rlx_dialect.graph.gradients import GradientChapter
from rlx_dialect.graph.indexing import IndexingChapter
from rlx_dialect.graph.linear_algebra import LinearAlgebraChapter
from rlx_dialect.graph.movement import MovementChapter
from rlx_dialect.graph.normalization import NormalizationChapter
from rlx_dialect.graph.position import PositionChapter
from rlx_dialect.graph.quantization import QuantizationChapter
from rlx_dialect.graph.random import RandomChapter
from rlx_dialect.graph.recurrent import RecurrentChapter
from rlx_dialect.graph.regions import RegionChapter
from rlx_dialect.graph.sizes import Size, SizeChapter, split_sizes
from rlx_dialect.graph.sorting import SortingChapter
from rlx_dialect.graph.spectral import SpectralChapter
from rlx_dialect.graph.spline import SplineChapter
from rlx_dialect.ops import (
    AttentionConfig,
    AttentionOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ConcatOp,
    ExpandOp,
    GatherOp,
    LayerNormOp,
    NarrowOp,
    ReduceOp,
    ReshapeOp,
    RmsNormOp,
    SoftmaxOp,
    TransposeOp,
    WhereOp,
    YieldOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, count, of_type, shaped, show
from rlx_dialect.signature import INPUT, OUTPUT, PARAM

if TYPE_CHECKING:
    from rlx_dialect.graph.regions import Body
    from rlx_dialect.reference.numeric import Array

Number = int | float

LARGEST = 2**63 - 1
"""The largest size that a type can hold."""


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value of a graph. Operators build elementwise ops and products; a Python number becomes a constant of the same element type."""

    graph: Graph
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


class Graph(
    ElementwiseChapter,
    ContractionChapter,
    ConvolutionChapter,
    FusedChapter,
    PositionChapter,
    NormalizationChapter,
    GradientChapter,
    RegionChapter,
    MovementChapter,
    SizeChapter,
    SpectralChapter,
    CumulativeChapter,
    SortingChapter,
    LinearAlgebraChapter,
    ComplexChapter,
    RandomChapter,
    QuantizationChapter,
    IndexingChapter,
    RecurrentChapter,
    SplineChapter,
    CustomChapter,
):
    """
    One public function in the making. `input`, `param` and `output` name its signature; every other method appends an op.

    Raises `ValueError` for a name given twice, for a tensor of another graph, and for any use after `module`, which hands the program over;
    `TypeError` for anything else in the place of a tensor.
    """

    def __init__(self, name: str = "main"):
        self.name = name
        self._block = Block()
        self._finished = False
        self._arguments: list[tuple[str, str]] = []
        self._outputs: dict[str, SSAValue] = {}
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}

    # Signature.

    def input(self, name: str, shape: Sequence[int | None], dtype: str = "f32") -> Tensor:
        """An argument that changes from call to call; None is a size known only at run time."""
        return self._argument(INPUT, name, shape, dtype)

    def param(self, name: str, shape: Sequence[int | None], dtype: str = "f32") -> Tensor:
        """An argument that is loaded once: a weight."""
        return self._argument(PARAM, name, shape, dtype)

    def output(self, name: str, tensor: Tensor) -> None:
        """The next result of the function."""
        self._require_open()
        if name in self._outputs:
            raise ValueError(f"graph '{self.name}' has an output '{name}' already")
        self._outputs[name] = self._value(tensor)

    def module(self) -> ModuleOp:
        """The finished program, verified. Raises `ValueError` for a graph without outputs."""
        self._require_open()
        if not self._outputs:
            raise ValueError(f"graph '{self.name}' has no output")
        block = self._block
        block.add_op(ReturnOp(*self._outputs.values()))
        types = FunctionType.from_lists(list(block.arg_types), [value.type for value in self._outputs.values()])
        func = FuncOp(self.name, types, Region(block))
        func.arg_attrs = ArrayAttr([DictionaryAttr({role: StringAttr(name)}) for role, name in self._arguments])
        func.res_attrs = ArrayAttr([DictionaryAttr({OUTPUT: StringAttr(name)}) for name in self._outputs])
        module = ModuleOp([func])
        module.verify()
        self._finished = True
        return module

    # Constants.

    def constant(self, array: Array) -> Tensor:
        """The array as a constant. Raises `ValueError` for a NumPy type outside of the dialect."""
        matching = [dtype.type for dtype in DTYPES.values() if numpy_dtype(dtype.type) == array.dtype]
        if not matching:
            raise ValueError(f"no element type for NumPy's {array.dtype}; known are {', '.join(DTYPES)}")
        type = Shaped(array.shape, matching[0]).type
        return self._emit(ConstantOp(dense(type, array)))

    def full(self, shape: Sequence[int], value: Number, dtype: str = "f32") -> Tensor:
        """A constant whose elements are all `value`; `filled` takes sizes known only at run time."""
        return self._emit(ConstantOp(_splat(Shaped(tuple(shape), element_type(dtype)).type, value)))

    def zeros(self, shape: Sequence[int], dtype: str = "f32") -> Tensor:
        return self.full(shape, 0, dtype)

    # Elementwise.

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        return self._emit(CastOp(self._value(x), element_type(dtype)))

    def binary(self, kind: BinaryKind, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        left, right = self._pair(lhs, rhs)
        return self._emit(BinaryOp(kind, left, right))

    def function(self, name: str, *operands: Tensor, **parameters: float) -> Tensor:
        """
        A function of floats of one dtype, by its name in `rlx_dialect.formulas.FUNCTIONS`, its parameters by keyword.

        One that is no op of the dialect becomes several, on f32 where the floats are narrower.
        """
        values = map(self._value, operands)
        return Tensor(self, function_of(name, lambda op: self._emit(op).value, *values, **parameters))

    def maximum(self, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        return self.binary(BinaryKind.MAX, lhs, rhs)

    def minimum(self, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        return self.binary(BinaryKind.MIN, lhs, rhs)

    def compare(self, kind: CompareKind, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        left, right = self._pair(lhs, rhs)
        return self._emit(CompareOp(kind, left, right))

    def where(self, condition: Tensor, on_true: Tensor | Number, on_false: Tensor | Number) -> Tensor:
        left, right = self._pair(on_true, on_false)
        return self._emit(WhereOp(self._value(condition), left, right))

    # Norms, attention.

    def layer_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-5, axis: int = -1) -> Tensor:
        return self._emit(
            LayerNormOp(self._value(x), self._value(gamma), self._value(beta), epsilon=epsilon, axis=axis)
        )

    def rms_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-5, axis: int = -1) -> Tensor:
        return self._emit(RmsNormOp(self._value(x), self._value(gamma), self._value(beta), epsilon=epsilon, axis=axis))

    def softmax(self, x: Tensor, axis: int = -1) -> Tensor:
        return self._emit(SoftmaxOp(self._value(x), axis=axis))

    def attention(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        config: AttentionConfig,
        *,
        layout: AttentionLayout,
        mask: Tensor | None = None,
        mask_kind: MaskKind | None = None,
    ) -> Tensor:
        operand = None if mask is None else self._value(mask)
        return self._emit(
            AttentionOp(
                self._value(query),
                self._value(key),
                self._value(value),
                config,
                layout=layout,
                mask=operand,
                mask_kind=mask_kind,
            )
        )

    # Reductions and shapes.

    def reduce(self, kind: ReduceKind, x: Tensor, axes: Sequence[int], keep_dims: bool = False) -> Tensor:
        return self._emit(ReduceOp(kind, self._value(x), axes, keep_dims=keep_dims))

    def sum(self, x: Tensor, axes: Sequence[int], keep_dims: bool = False) -> Tensor:
        return self.reduce(ReduceKind.SUM, x, axes, keep_dims)

    def mean(self, x: Tensor, axes: Sequence[int], keep_dims: bool = False) -> Tensor:
        return self.reduce(ReduceKind.MEAN, x, axes, keep_dims)

    def reshape(self, x: Tensor, shape: Sequence[Size]) -> Tensor:
        """One entry may be -1, what is left of the elements, where the others are numbers; others may be what `dim` gives."""
        dims, sizes = split_sizes(shape)
        if sizes:
            return self._emit(ReshapeOp(self._value(x), dims, sizes))
        dims = list(dims)
        if -1 in dims:
            at = dims.index(-1)
            dims[at] = 1
            total, rest = count(x.shape), count(dims)
            if -1 in dims or total is None or not rest or total % rest:
                raise ShapeError(f"reshape: cannot find the size -1 of {list(shape)} for {show(x.shape)}")
            dims[at] = total // rest
        return self._emit(ReshapeOp(self._value(x), dims))

    def transpose(self, x: Tensor, permutation: Sequence[int]) -> Tensor:
        return self._emit(TransposeOp(self._value(x), permutation))

    def narrow(self, x: Tensor, axis: int, start: int, length: int) -> Tensor:
        return self._emit(NarrowOp(self._value(x), axis=axis, start=start, length=length))

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        return self._emit(ConcatOp([self._value(x) for x in tensors], axis=axis))

    def expand(self, x: Tensor, shape: Sequence[Size]) -> Tensor:
        return self._emit(ExpandOp(self._value(x), *split_sizes(shape)))

    def gather(self, table: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
        return self._emit(GatherOp(self._value(table), self._value(indices), axis=axis))

    # How ops are appended.

    @property
    def block(self) -> Block:
        """What the ops are appended to."""
        return self._block

    def argument(self, type: Attribute) -> Tensor:
        """One more argument, without a role or a name: of a body, whose op says what it is."""
        return Tensor(self, self._block.insert_arg(type, len(self._block.args)))

    def _argument(self, role: str, name: str, shape: Sequence[int | None], dtype: str) -> Tensor:
        self._require_open()
        if dtype not in DTYPES:
            raise ValueError(f"{name}: dtype must be one of {', '.join(DTYPES)}, got '{dtype}'")
        if any(name == taken for _, taken in self._arguments):
            raise ValueError(f"graph '{self.name}' has an argument '{name}' already")
        dims = [DYNAMIC if size is None else size for size in shape]
        if any(not hasattr(size, "__index__") or size > LARGEST for size in dims):
            raise ShapeError(f"{name}: sizes must be integers of 64 bits, got {list(shape)}")
        if any(size < 0 and size != DYNAMIC for size in dims):
            raise ShapeError(f"{name}: sizes must not be negative, got {list(shape)}")
        type = Shaped(tuple(dims), DTYPES[dtype].type).type
        value = self._block.insert_arg(type, len(self._block.args))
        value.name_hint = name if SSAValue.is_valid_name(name) else None
        self._arguments.append((role, name))
        return Tensor(self, value)

    def _emit(self, op: Operation) -> Tensor:
        return self._emit_all(op)[0]

    def _emit_all(self, op: Operation) -> tuple[Tensor, ...]:
        self._require_open()
        self._block.add_op(op)
        return tuple(Tensor(self, result) for result in op.results)

    def _require_open(self) -> None:
        if self._finished:
            raise ValueError(f"graph '{self.name}' is finished: its program was handed over by module()")

    def _value(self, tensor: Tensor) -> SSAValue:
        if not isinstance(tensor, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may be without types
            raise TypeError(f"graph '{self.name}': expected a tensor, got {tensor!r}")
        if tensor.graph is not self:
            raise ValueError(f"a tensor of graph '{tensor.graph.name}' was used in graph '{self.name}'")
        return tensor.value

    def _region(self, types: Sequence[Attribute], body: Body) -> Region:
        inner = Graph(f"body in {self.name}")
        args = [inner.argument(type) for type in types]
        given = cast("Callable[..., Tensor | Sequence[Tensor]]", body)(*args)
        inner._block.add_op(YieldOp(*map(inner._value, (given,) if isinstance(given, Tensor) else given)))
        return Region(inner._block)

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
            self._constants[key] = self._emit(ConstantOp(_splat(Shaped((), element).type, value))).value
        return self._constants[key]


def _factor(value: Tensor, name: str) -> Tensor:
    """A side of a product. Raises `TypeError` for anything but a tensor; a number has no dims to sum over."""
    if not isinstance(value, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may be without types
        raise TypeError(f"matmul: {name} must be a tensor, got {value!r}; `*` takes numbers")
    return value


def _splat(type: TensorType[Attribute], value: Number) -> DenseIntOrFPElementsAttr:
    """A dense constant of equal elements. Raises `ValueError` for a size below 0 and for a number that the integers of `type` do not have."""
    dims, element = of_type(type)
    if any(size < 0 for size in dims):
        raise ShapeError(f"a constant needs sizes of 0 or more, got {show(dims)}")
    if is_integer(element):
        low, high = integer_limits(element)
        if not low <= value <= high or value != int(value):
            raise ValueError(f"{value} is no value of {element}")
    return splat(type, value)
