"""`rlx-fuse-attention-backward-all`"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from rlx_dialect.attributes import AttentionOperand
from rlx_dialect.ops import AttentionBackwardAllOp, AttentionBackwardOp, NarrowOp
from rlx_dialect.shapes import DYNAMIC, known_equal, show
from rlx_passes.core.index import PatternPass
from rlx_passes.rewriting.legality import dims_of, live_uses, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.order import is_after
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns

BY = tuple(AttentionOperand)
"""The operands that gradients are taken by, in the order in which the fused op gives them."""


@dataclass(frozen=True)
class AttentionBackwardAll(FusionPattern[AttentionBackwardOp]):
    """
    %0 = rlx.attention_backward query %q, %k, %v, %g        %3 = rlx.attention_backward_all %q, %k, %v, %g
    %1 = rlx.attention_backward key %q, %k, %v, %g     =>   %0, %1, %2 = three rlx.narrow of %3 on axis 0
    %2 = rlx.attention_backward value %q, %k, %v, %g

    One gradient by each operand, of one attention with one mask; query, key and value have equal known dims. Stands
    where the first one stood.
    """

    title = "attention_backward_all"
    roots = (AttentionBackwardOp,)

    def match(self, root: AttentionBackwardOp, /) -> Fusion:
        members = gradients_beside(root)
        by = sorted(BY.index(member.by) for member in members)
        each = by == [0, 1, 2]
        require(each, Reason.NOT_A_PARTITION, root, detail=lambda: f"gradients by {', '.join(BY[i] for i in by)}")
        for member in members:
            require_alike(member, root)
        dims = dims_of(root.query)
        require(DYNAMIC not in dims, Reason.DYNAMIC, root, detail=lambda: f"the query has dims {show(dims)}")
        for operand in (root.key, root.value):
            equal = known_equal(dims_of(operand), dims)
            require(equal, Reason.DIMS_NOT_KNOWN_EQUAL, operand, detail=lambda: f"the query has dims {show(dims)}")

        fused = AttentionBackwardAllOp(
            root.query,
            root.key,
            root.value,
            root.gradient,
            root.config,
            layout=root.lies,
            mask=root.mask,
            mask_kind=root.masking,
        )
        slices = [NarrowOp(fused.result, axis=0, start=i * dims[0], length=dims[0]) for i in range(3)]
        replaces: dict[SSAValue, SSAValue] = {member.result: slices[BY.index(member.by)].result for member in members}
        return Fusion(tuple(members), (fused, *slices), replaces, at=members[0])


def gradients_beside(root: AttentionBackwardOp) -> list[AttentionBackwardOp]:
    """The gradients in the block of `root` with its query, key, value and gradient, in order, at most four."""
    found = (
        op
        for use in live_uses(root.gradient)
        if use.index == 3
        and isinstance(op := use.operation, AttentionBackwardOp)
        and op.parent is root.parent
        and operands_of(op) == operands_of(root)
    )
    return sorted(islice(found, 4), key=cmp_to_key(lambda a, b: 1 if is_after(a, b) else -1))


def operands_of(op: AttentionBackwardOp) -> Collection[SSAValue]:
    return (op.query, op.key, op.value, op.gradient)


def require_alike(member: AttentionBackwardOp, root: AttentionBackwardOp) -> None:
    """Both are gradients of one attention: mask, layout and config agree. Raises `Miss` otherwise."""
    masks = member.mask is root.mask and member.masking is root.masking
    require(masks, Reason.ATTRIBUTES, member, detail="the masks differ")
    same = member.config == root.config and member.lies is root.lies
    require(same, Reason.ATTRIBUTES, member, detail="the attentions differ")


@dataclass(frozen=True)
class FuseAttentionBackwardAllPass(PatternPass):
    """Join the gradients of one attention by query, by key and by value into one op, unless `enabled` is off."""

    name = "rlx-fuse-attention-backward-all"

    enabled: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.enabled:
            run_patterns(op, (AttentionBackwardAll(),))
