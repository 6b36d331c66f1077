"""`rlx-pack-attention-projections`"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.ops import AttentionOp, ConcatOp, FusedMatMulBiasActOp, MatMulOp, NarrowOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.attention_forms import (
    PROJECTIONS,
    ProjectionOp,
    bias_of,
    require_packed_heads,
    require_projection,
)
from rlx_passes.rewriting.legality import dims_of, only_reader, producer, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class PackedProjections(FusionPattern[AttentionOp]):
    """
    %q = rlx.matmul %h, %w_q          %w = rlx.concat %w_q, %w_k, %w_v axis(1)
    %k = rlx.matmul %h, %w_k    =>    %0 = rlx.matmul %h, %w
    %v = rlx.matmul %h, %w_v          %q, %k, %v = three rlx.narrow of %0, side by side
    rlx.attention %q, %k, %v          rlx.attention %q, %k, %v

    The products may all be `rlx.fused_matmul_bias_act` without activation; their biases are joined likewise.
    """

    title = "attention_projections"
    roots = (AttentionOp,)

    def match(self, attention: AttentionOp, /) -> Fusion:
        require_packed_heads(attention)
        operands = attention.query, attention.key, attention.value
        projections = [producer(operand, PROJECTIONS) for operand in operands]
        for projection in projections:
            only_reader(projection.result, AttentionOp)
            require_projection(projection)
            self.check_alike(projection, projections[0])

        widths = [dims_of(projection.rhs)[1] for projection in projections]
        require(DYNAMIC not in widths, Reason.DYNAMIC, attention, detail="a slice needs its width")
        ops: list[Operation] = []
        packed = pack(projections, ops)
        axis = len(dims_of(packed)) - 1
        starts = (0, widths[0], widths[0] + widths[1])
        slices = [NarrowOp(packed, axis=axis, start=start, length=width) for start, width in zip(starts, widths)]
        replaces: dict[SSAValue, SSAValue] = {old.result: new.result for old, new in zip(projections, slices)}
        return Fusion(tuple(projections), (*ops, *slices), replaces, at=attention)

    def check_alike(self, projection: ProjectionOp, first: ProjectionOp) -> None:
        """Raises `Miss` unless both project one value, both with a bias or both without, and sum in one type."""
        require(
            projection.lhs is first.lhs, Reason.NOT_PRODUCED_BY, projection, detail="projections of different values"
        )
        biased = (bias_of(projection) is None) == (bias_of(first) is None)
        require(biased, Reason.ATTRIBUTES, projection, detail="one has a bias, one has not")
        accumulate = projection.accumulate == first.accumulate
        require(accumulate, Reason.ATTRIBUTES, projection, detail="accumulate types differ")


def pack(projections: Sequence[ProjectionOp], ops: list[Operation]) -> SSAValue:
    """The value of all projections side by side; the ops that make it are appended to `ops`."""
    first = projections[0]
    weight = ConcatOp([projection.rhs for projection in projections], axis=1)
    ops.append(weight)
    biases = [bias for projection in projections if (bias := bias_of(projection)) is not None]
    if not biases:
        product = MatMulOp(first.lhs, weight.result, accumulate=first.accumulate)
        ops.append(product)
        return product.result
    bias = ConcatOp(biases, axis=0)
    biased = FusedMatMulBiasActOp(first.lhs, weight.result, bias.result, accumulate=first.accumulate)
    ops += (bias, biased)
    return biased.result


@dataclass(frozen=True)
class PackAttentionProjectionsPass(PatternPass):
    """Join the query, key and value projections of one input to one attention into one product and three slices."""

    name = "rlx-pack-attention-projections"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (PackedProjections(),))
