"""Sizes that are known at run time only: read from tensors, reckoned with, and given to the ops that take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.arith import AddiOp, ConstantOp, DivUIOp, IndexCastOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IndexType, TensorType, i64
from xdsl.dialects.tensor import DimOp, ExtractOp, FromElementsOp
from xdsl.ir import SSAValue

from rlx_dialect.dims import Atom, Dim, reckoned
from rlx_dialect.dtypes import is_integer
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.shapes import DYNAMIC, ShapeError, shaped

Size = int | SSAValue
"""A dim: a number, or what `Graph.dim` gives."""

_ARITHMETIC = {"+": AddiOp, "-": SubiOp, "*": MuliOp, "//": DivUIOp}


def split_sizes(shape: Sequence[Size]) -> tuple[tuple[int, ...], list[SSAValue]]:
    """The dims of a shape, and the values of those that are known at run time only."""
    dims = tuple(size if isinstance(size, int) else DYNAMIC for size in shape)
    return dims, [size for size in shape if isinstance(size, SSAValue)]


class SizeChapter(GraphBase):
    """Index values for `?` dims."""

    def dim(self, x: Tensor, axis: int) -> SSAValue:
        """The size of a dim when the program runs, for the shape of another tensor."""
        return self._emit(DimOp(self._value(x), self._index(axis))).value

    def size(self, operator: str, a: Size, b: Size) -> SSAValue:
        """`a + b`, `a - b`, `a * b` or `a // b`, none of which is below 0."""
        return self._emit(_ARITHMETIC[operator](self._index(a), self._index(b))).value

    def reckoned(self, dim: Dim, atom: Callable[[Atom], SSAValue]) -> SSAValue:
        """An expression as an index value; see `dims.reckoned`."""
        whole = reckoned(dim, atom, self.size)
        assert isinstance(whole, SSAValue), "a Dim has a size in it"
        return whole

    def size_at(self, x: Tensor, *position: int) -> SSAValue:
        """An element of a tensor of integers as a size."""
        if not is_integer(shaped(self._value(x)).element):
            raise ShapeError(f"a size is an integer, got an element of {shaped(x.value)}")
        element = self._emit(ExtractOp(self._value(x), [self._index(at) for at in position], shaped(x.value).element))
        return self._emit(IndexCastOp(element.value, IndexType())).value

    def sizes(self, sizes: Sequence[Size]) -> Tensor:
        """Sizes as a tensor `[n]` of i64."""
        elements = [self._emit(IndexCastOp(self._index(each), i64)).value for each in sizes]
        op = FromElementsOp.build(operands=[elements], result_types=[TensorType(i64, [len(sizes)])])
        return self._emit(op)

    def _index(self, size: Size) -> SSAValue:
        """A size as an index value."""
        if isinstance(size, SSAValue):
            return size
        constant = ConstantOp.from_int_and_width(size, IndexType())
        self._emit(constant)
        return constant.result
