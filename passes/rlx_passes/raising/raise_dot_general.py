"""`rlx-raise-dot-general`: a general product becomes a matrix product between transposes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.ops import DotGeneralOp, MatMulOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC, normalize_axes
from rlx_passes.core.index import PatternPass
from rlx_passes.raising.batched_products import SplitProductBatch, SplitSoftmaxBatch
from rlx_passes.rewriting.legality import NO_FUSE, dims_of, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class RaiseDotGeneral(FusionPattern[DotGeneralOp]):
    """
    %0 = rlx.dot_general %x, %w contracting([2] x [0])   =>   %0 = rlx.matmul %x, %w

    One contracted axis, and one free axis at least on one side. Axes that lie elsewhere are moved by a transpose of
    that side. Several free axes on the left stay leading dims; beside batch axes the right side then gets ones in their
    place. Where the right side has several, the sides are exchanged and the result is transposed.
    """

    title = "dot_general"
    fuses = False
    roots = (DotGeneralOp,)

    def match(self, root: DotGeneralOp, /) -> Fusion:
        left, right = sides_of(root)
        require(
            len(left.summed) == 1, Reason.AXIS, root, detail=f"{len(left.summed)} contracted axes where one is wanted"
        )
        require(len(left.free) > 0, Reason.AXIS, root, detail="the left side has no free axis")
        require(len(right.free) > 0, Reason.AXIS, root, detail="the right side has no free axis")
        swapped = len(right.free) > 1
        require(not swapped or len(left.free) == 1, Reason.AXIS, root, detail="both sides have several free axes")
        first, second = (right, left) if swapped else (left, right)
        ones = len(first.free) - 1 if second.batch else 0
        dims = dims_of(second.value)
        require(not ones or DYNAMIC not in dims, Reason.DYNAMIC, second.value, detail="it would have to be reshaped")

        new: list[Operation] = []
        lhs = transposed(first.value, (*first.batch, *first.free, *first.summed), new)
        rhs = transposed(second.value, (*second.batch, *second.summed, *second.free), new)
        if ones:
            moved, batch = dims_of(rhs), len(second.batch)
            reshape = ReshapeOp(rhs, (*moved[:batch], *(1,) * ones, *moved[batch:]))
            new.append(reshape)
            rhs = reshape.result
        product = MatMulOp(lhs, rhs, accumulate=root.accumulate)
        new.append(product)
        if swapped:
            batch, last = len(left.batch), len(dims_of(root.result)) - 1
            new.append(TransposeOp(product.result, (*range(batch), last, *range(batch, last))))
        return Fusion.of((root,), *new)


@dataclass(frozen=True)
class Side:
    """One side of a product and its axes by what becomes of them."""

    value: SSAValue
    batch: tuple[int, ...]
    summed: tuple[int, ...]

    @property
    def free(self) -> tuple[int, ...]:
        return tuple(axis for axis in range(len(dims_of(self.value))) if axis not in (*self.batch, *self.summed))


def sides_of(root: DotGeneralOp) -> tuple[Side, Side]:
    """Left and right, axes counted from the start."""

    def side(value: SSAValue, batch: Sequence[int], summed: Sequence[int]) -> Side:
        rank = len(dims_of(value))
        return Side(value, normalize_axes(batch, rank), normalize_axes(summed, rank))

    return (
        side(root.lhs, root.lhs_batch.get_values(), root.lhs_contracting.get_values()),
        side(root.rhs, root.rhs_batch.get_values(), root.rhs_contracting.get_values()),
    )


def transposed(value: SSAValue, permutation: Sequence[int], new: list[Operation]) -> SSAValue:
    """
    `value` with its axes in another order, by an op appended to `new` unless the order is theirs.

    Orders on top of one another become one, as in canonical programs: a second run finds nothing to do.
    """
    while isinstance(value.owner, TransposeOp) and NO_FUSE not in value.owner.attributes:
        inner = value.owner.permutation.get_values()
        value, permutation = value.owner.input, [inner[axis] for axis in permutation]
    if list(permutation) == list(range(len(permutation))):
        return value
    op = TransposeOp(value, permutation)
    new.append(op)
    return op.result


@dataclass(frozen=True)
class RaiseDotGeneralPass(PatternPass):
    """General products become matrix products wherever their axes allow it; joined batch axes are split again."""

    name: ClassVar[str] = "rlx-raise-dot-general"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for pattern in (RaiseDotGeneral(), SplitProductBatch(), SplitSoftmaxBatch()):
            run_patterns(op, (pattern,))
