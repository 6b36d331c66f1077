"""Norms of halves that are written in f32 between casts."""

from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from rlx_dialect.decompose.plain import is_half
from rlx_dialect.ops import CastOp, LayerNormOp, RmsNormOp
from rlx_passes.raising.norms import Scaled, affine, operands
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.constants import scalar
from rlx_passes.rewriting.legality import dims_of, only_reader, producer, require, require_last_axis, tensor_type
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion


@dataclass(frozen=True)
class RaiseNarrowNorm(RaisingPattern[LayerNormOp | RmsNormOp]):
    """
    %0 = rlx.cast %x : bf16 -> f32
    %1 = rlx.rms_norm %0, %ones, %zeros          =>   %3 = rlx.rms_norm %x, %gamma, %beta : bf16
    %2 = rlx.cast %1 : f32 -> bf16
    %3 = rlx.binary mul %2, %gamma : bf16

    A norm of halves takes its statistics in f32 anyway. Gain and shift are constants 1 and 0, casts of halves, or what
    only f32 holds, as `1 + w`; those that follow in halves are taken in if none are inside.
    """

    title = "narrow_norm"
    roots = (LayerNormOp, RmsNormOp)

    kind: type[LayerNormOp] | type[RmsNormOp]
    """Which of the norms."""

    def starts(self, op: object) -> bool:
        """A norm in f32 of a cast of halves."""
        if not isinstance(op, self.kind) or not isinstance(op.input.owner, CastOp):
            return False
        if isinstance(op, RmsNormOp) and op.flatten is not None:
            return False
        return tensor_type(op.input).element_type == f32 and is_half(tensor_type(op.input.owner.input).element_type)

    def match(self, root: LayerNormOp | RmsNormOp, /) -> Fusion:
        x = producer(root.input, CastOp).input
        require(root.accumulate in (None, f32), Reason.ATTRIBUTES, root, detail="it sums in another type")
        require_last_axis(root.axis.value.data, len(dims_of(x)), root)
        trail = Trail(root)
        narrowed = trail.add(only_reader(root.result, CastOp))
        require(narrowed.result.type == x.type, Reason.TYPE_CHANGES, narrowed)
        inside = (weight(root.gamma, 1, x), weight(root.beta, 0, x))
        norm = Scaled(narrowed, *inside) if any(inside) else affine(trail, narrowed, None)
        absorbed = trail.closed(norm.last)
        new, gamma, beta = operands(norm, x)
        fused = self.kind(x, gamma, beta, epsilon=root.epsilon.value.data)
        return Fusion.of(absorbed, *new, fused)


def weight(row: SSAValue, default: float, like: SSAValue) -> SSAValue | None:
    """A row of f32 before it was cast from the halves of `like`, if it was; None if all its elements are `default`."""
    if scalar(row) == default:
        return None
    cast = row.owner
    same = isinstance(cast, CastOp) and tensor_type(cast.input).element_type == tensor_type(like).element_type
    return cast.input if same and isinstance(cast, CastOp) else row
