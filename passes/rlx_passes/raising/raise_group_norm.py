"""`rlx-raise-group-norm`: channels normalised by groups become a group norm."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import ActivationOp, GroupNormOp, LayerNormOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.attention_operands import same_leading
from rlx_passes.raising.norms import NormPattern, divided, mean, mean_square, require_kept
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.raising.vectors import Vector, vector_reader
from rlx_passes.rewriting.constants import is_one, scalar
from rlx_passes.rewriting.legality import dims_of, only_reader, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class RaiseGroupNorm(NormPattern):
    """
    %m = mean of %x over all axes but the first two
    %c = rlx.binary sub %x, %m                            =>   %y = rlx.group_norm %x, %ones, %zeros num_groups(C)
    %y = %c / sqrt(mean of %c * %c + 1e-5)

    In the spellings of `RaiseLayerNorm`: each channel of x, or each group of a reshape to groups, is one group.
    """

    title = "group_norm"

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        square = mean_square(trail, root, kept=2)
        centred = trail.binary(square.x, BinaryKind.SUB)
        x, dims = centred.lhs, dims_of(centred.result)
        require(dims_of(x) == dims, Reason.BROADCASTS_UP, centred)
        require(dims[1] != DYNAMIC, Reason.DYNAMIC, x, detail="the number of groups")
        middle = trail.spread(centred.rhs)
        require_kept(middle, dims, 2, centred)
        average = mean(trail, middle, kept=2)
        require(trail.same(x, average.input), Reason.NOT_PRODUCED_BY, average.op, detail="the mean of another value")
        require(average.accumulate == square.accumulate, Reason.ATTRIBUTES, average.op, detail="two accumulate types")
        last, _ = divided(trail, root, square.x, kept=2)
        absorbed = trail.closed(last)
        to = Plain()
        norm = GroupNormOp(
            x,
            to.row(1.0, x, 1),
            to.row(0.0, x, 1),
            num_groups=dims[1],
            epsilon=square.epsilon,
            accumulate=square.accumulate,
        )
        return Fusion.of(absorbed, *to.ops, norm)


@dataclass(frozen=True)
class RaiseRegroupedNorm(RaisingPattern[GroupNormOp | LayerNormOp]):
    """
    %0 = rlx.reshape %x [N, G, ..]
    %1 = rlx.group_norm %0, %ones, %zeros num_groups(G)   =>   %2 = rlx.group_norm %x, %ones, %zeros num_groups(G)
    %2 = rlx.reshape %1 [N, C, ..]

    So for a layer norm over the last axis of `[N, G, L]`. Each group is one of the reshaped value: PyTorch's exporters
    write group norms as instance norms of groups.
    """

    title = "group_norm"
    roots = (GroupNormOp, LayerNormOp)

    def starts(self, op: object) -> bool:
        return isinstance(op, self.roots) and isinstance(op.input.owner, ReshapeOp) and has_no_affine(op)

    def match(self, root: GroupNormOp | LayerNormOp, /) -> Fusion:
        trail = Trail(root)
        split = trail.into(root.input, ReshapeOp)
        joined = trail.add(only_reader(root.result, ReshapeOp))
        x, dims, inner = split.input, dims_of(split.input), dims_of(split.result)
        groups = self.groups_of(root)
        require(joined.result.type == x.type, Reason.TYPE_CHANGES, joined)
        require(len(dims) > 2, Reason.AXIS, split, detail=lambda: f"rank {len(dims)}")
        channels = dims[1]
        divides = DYNAMIC not in (channels, groups) and channels % groups == 0
        require(divides, Reason.AXIS, split, detail=f"{groups} groups of {channels} channels")
        kept = same_leading(split, dims[:1], inner[:1]) and same_leading(joined, inner[:1], dims[:1])
        require(kept, Reason.DIMS_NOT_KNOWN_EQUAL, split, detail="the batch")
        absorbed = trail.closed(joined)
        to = Plain()
        norm = GroupNormOp(
            x,
            to.row(1.0, x, 1),
            to.row(0.0, x, 1),
            num_groups=groups,
            epsilon=root.epsilon.value.data,
            accumulate=root.accumulate,
        )
        return Fusion.of(absorbed, *to.ops, norm)

    def groups_of(self, root: GroupNormOp | LayerNormOp) -> int:
        """How many groups the reshaped value has on axis 1. Raises `Miss` unless each is normalised by itself."""
        inner = dims_of(root.input)
        if isinstance(root, GroupNormOp):
            groups = root.num_groups.value.data
            require(groups == inner[1], Reason.AXIS, root, detail=f"{groups} groups of {inner[1]}")
            return groups
        last = root.axis.value.data % len(inner)
        require(len(inner) == 3 and last == 2, Reason.AXIS, root, detail=f"axis {last} of rank {len(inner)}")
        return inner[1]


def has_no_affine(op: GroupNormOp | LayerNormOp) -> bool:
    """Whether gain and shift are constants 1 and 0."""
    return is_one(op.gamma) and scalar(op.beta) == 0


@dataclass(frozen=True)
class RaiseAffineGroupNorm(RaisingPattern[GroupNormOp]):
    """
    %0 = rlx.group_norm %x, %ones, %zeros
    %1 = rlx.binary mul %0, %gamma          =>   %2 = rlx.group_norm %x, %gamma, %beta
    %2 = rlx.binary add %1, %beta

    Gain and shift are weights that lie along the channels; each may be absent.
    """

    title = "group_norm"
    roots = (GroupNormOp,)

    def starts(self, op: object) -> bool:
        return isinstance(op, GroupNormOp) and has_no_affine(op)

    def match(self, root: GroupNormOp, /) -> Fusion:
        trail, x, dims = Trail(root), root.input, dims_of(root.input)
        like = Vector(x, 1 - len(dims), dims[1])
        last, gain, shift = root, None, None
        if found := vector_reader(last.result, BinaryKind.MUL, like):
            last, gain = trail.add(found[0]), found[1]
        if found := vector_reader(last.result, BinaryKind.ADD, like):
            last, shift = trail.add(found[0]), found[1]
        require(last is not root, Reason.NOT_CONSUMED_BY, root, detail="no gain or shift along the channels follows")
        absorbed = trail.closed(last)
        to = Plain()
        gamma: SSAValue = root.gamma if gain is None else gain.row(to)
        beta: SSAValue = root.beta if shift is None else shift.row(to)
        norm = GroupNormOp(
            x,
            gamma,
            beta,
            num_groups=root.num_groups.value.data,
            epsilon=root.epsilon.value.data,
            accumulate=root.accumulate,
        )
        return Fusion.of(absorbed, *to.ops, norm)


@dataclass(frozen=True)
class RaiseGroupNormPass(RaisingPass):
    """Channels normalised by groups become a group norm."""

    name: ClassVar[str] = "rlx-raise-group-norm"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseGroupNorm(),))
        run_patterns(op, (RaiseRegroupedNorm(),))
        run_patterns(op, (RaiseAffineGroupNorm(),))
