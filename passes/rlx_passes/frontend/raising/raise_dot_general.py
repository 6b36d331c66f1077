"""`rlx-raise-dot-general`: a general product becomes a matrix product between transposes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from rlx_dialect.ops import DotGeneralOp, MatMulOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC, normalize_axes
from rlx_passes.legality import dims_of, require
from rlx_passes.miss import Reason
from rlx_passes.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class RaiseDotGeneral(FusionPattern[DotGeneralOp]):
    """
    %0 = rlx.dot_general %x, %w contracting([2] x [0])   =>   %0 = rlx.matmul %x, %w

    One contracted axis, one free axis on the right and at least one on the left. Axes that lie elsewhere are moved by a transpose of
    that side. Several free axes on the left stay leading dims; beside batch axes the right side then gets ones in their place.
    """

    title = "dot_general"
    roots = (DotGeneralOp,)

    def match(self, root: DotGeneralOp, /) -> Fusion:
        left, right = dims_of(root.lhs), dims_of(root.rhs)
        lhs_batch = normalize_axes(root.lhs_batch.get_values(), len(left))
        rhs_batch = normalize_axes(root.rhs_batch.get_values(), len(right))
        lhs_sum = normalize_axes(root.lhs_contracting.get_values(), len(left))
        rhs_sum = normalize_axes(root.rhs_contracting.get_values(), len(right))
        require(len(lhs_sum) == 1, Reason.AXIS, root, detail=f"{len(lhs_sum)} contracted axes where one is wanted")
        lhs_free = [axis for axis in range(len(left)) if axis not in (*lhs_batch, *lhs_sum)]
        rhs_free = [axis for axis in range(len(right)) if axis not in (*rhs_batch, *rhs_sum)]
        require(len(lhs_free) > 0, Reason.AXIS, root, detail="the left side has no free axis")
        require(len(rhs_free) == 1, Reason.AXIS, root, detail=f"the right side has {len(rhs_free)} free axes, not one")

        ones = len(lhs_free) - 1 if rhs_batch else 0
        require(not ones or DYNAMIC not in right, Reason.DYNAMIC, root.rhs, detail="it would have to be reshaped")

        new: list[Operation] = []
        lhs = transposed(root.lhs, (*lhs_batch, *lhs_free, *lhs_sum), new)
        rhs = transposed(root.rhs, (*rhs_batch, *rhs_sum, *rhs_free), new)
        if ones:
            batch, inner = dims_of(rhs)[: len(rhs_batch)], dims_of(rhs)[len(rhs_batch) :]
            reshape = ReshapeOp(rhs, (*batch, *(1,) * ones, *inner))
            new.append(reshape)
            rhs = reshape.result
        return Fusion.of((root,), *new, MatMulOp(lhs, rhs, accumulate=root.accumulate))


def transposed(value: SSAValue, permutation: Sequence[int], new: list[Operation]) -> SSAValue:
    """`value` with its axes in another order, by an op appended to `new` unless the order is theirs."""
    if list(permutation) == list(range(len(permutation))):
        return value
    op = TransposeOp(value, permutation)
    new.append(op)
    return op.result


@dataclass(frozen=True)
class RaiseDotGeneralPass(ModulePass):
    """General products become matrix products wherever their axes allow it."""

    name: ClassVar[str] = "rlx-raise-dot-general"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (RaiseDotGeneral(),))
