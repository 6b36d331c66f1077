"""How operands are read: affine maps over loops, the letters of a contraction, groups of axes."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, i64
from xdsl.ir.affine import AffineExpr, AffineMap


class Contraction(NamedTuple):
    """The loops of a contraction: for each operand and the result one letter an axis."""

    lhs: str
    rhs: str
    result: str

    @property
    def names(self) -> list[str]:
        """All loops, those of the result first."""
        return list(dict.fromkeys(self.result + self.lhs + self.rhs))


def row_map(loops: int, axes: Sequence[int]) -> AffineMap:
    """The map that picks the loops `axes`, in that order."""
    return AffineMap(loops, 0, tuple(AffineExpr.dimension(axis) for axis in axes))


def broadcast_map(dims: Sequence[int], result: Sequence[int]) -> AffineMap:
    """How an operand of `dims` is read for each element of `result`: aligned at the right, stretched dims at 0."""
    skipped = len(result) - len(dims)
    exprs = tuple(
        AffineExpr.constant(0) if dim == 1 and result[skipped + axis] != 1 else AffineExpr.dimension(skipped + axis)
        for axis, dim in enumerate(dims)
    )
    return AffineMap(len(result), 0, exprs)


def static_product(dims: Sequence[int]) -> int:
    result = 1
    for dim in dims:
        if dim == DYNAMIC_INDEX:
            return DYNAMIC_INDEX
        result *= dim
    return result


def reassociation(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(ArrayAttr(IntegerAttr(axis, i64) for axis in group) for group in groups)
