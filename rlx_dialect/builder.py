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

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Region, SSAValue

from rlx_dialect.attributes import ReduceKind
from rlx_dialect.constants import constant_op
from rlx_dialect.dtypes import DTYPES, element_type
from rlx_dialect.fast import verify
from rlx_dialect.graph.base import Number, Tensor, splat_of_number
from rlx_dialect.graph.contraction import ContractionChapter
from rlx_dialect.graph.convolution import ConvolutionChapter
from rlx_dialect.graph.custom import CustomChapter
from rlx_dialect.graph.derived import DerivedMethods
from rlx_dialect.graph.elementwise import ElementwiseChapter
from rlx_dialect.graph.fused import FusedChapter
from rlx_dialect.graph.linear_algebra import LinearAlgebraChapter
from rlx_dialect.graph.movement import MovementChapter
from rlx_dialect.graph.position import PositionChapter
from rlx_dialect.graph.quantization import QuantizationChapter
from rlx_dialect.graph.random import RandomChapter
from rlx_dialect.graph.regions import RegionChapter
from rlx_dialect.graph.sizes import Size, SizeChapter, split_sizes
from rlx_dialect.graph.spectral import SpectralChapter
from rlx_dialect.ops import ExpandOp, ReduceOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, count, show
from rlx_dialect.signature import INPUT, OUTPUT, PARAM

LARGEST = 2**63 - 1
"""The largest size that a type can hold."""


class Graph(
    ElementwiseChapter,
    ContractionChapter,
    ConvolutionChapter,
    FusedChapter,
    PositionChapter,
    RegionChapter,
    MovementChapter,
    SizeChapter,
    SpectralChapter,
    LinearAlgebraChapter,
    RandomChapter,
    QuantizationChapter,
    CustomChapter,
    DerivedMethods,
):
    """
    One public function in the making. `input`, `param` and `output` name its signature; all others append an op.

    Raises `ValueError` for a name given twice, for a tensor of another graph, and for any use after `module`, which
    hands the program over; `TypeError` for anything else in the place of a tensor.
    """

    def __init__(self, name: str = "main"):
        super().__init__(name)
        self._arguments: list[tuple[str, str]] = []
        self._outputs: dict[str, SSAValue] = {}

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
        verify(module)
        self._finished = True
        return module

    # Constants.

    def full(self, shape: Sequence[int], value: Number, dtype: str = "f32") -> Tensor:
        """A constant whose elements are all `value`; `filled` takes sizes known only at run time."""
        return self._emit(constant_op(splat_of_number(Shaped(tuple(shape), element_type(dtype)).type, value)))

    def zeros(self, shape: Sequence[int], dtype: str = "f32") -> Tensor:
        return self.full(shape, 0, dtype)

    # Reductions and shapes.

    def sum(self, x: Tensor, axes: Sequence[int], keep_dims: bool = False) -> Tensor:
        return self._emit(ReduceOp(ReduceKind.SUM, self._value(x), axes, keep_dims))

    def mean(self, x: Tensor, axes: Sequence[int], keep_dims: bool = False) -> Tensor:
        return self._emit(ReduceOp(ReduceKind.MEAN, self._value(x), axes, keep_dims))

    def reshape(self, x: Tensor, shape: Sequence[Size]) -> Tensor:
        """One entry may be -1, what is left of the elements, if others are numbers; others may be what `dim` gives."""
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

    def expand(self, x: Tensor, shape: Sequence[Size]) -> Tensor:
        return self._emit(ExpandOp(self._value(x), *split_sizes(shape)))

    # How ops are appended.

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
