"""Attention ops, on heads that are split before and joined after them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import AttentionConfig, AttentionOp, BinaryOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import Dims
from rlx_passes.raising.attention_operands import BY_HEAD, BY_PLACE, operand, scaling
from rlx_passes.raising.attention_scores import natural
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.legality import dims_of, optional_reader, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion

if TYPE_CHECKING:
    from rlx_passes.raising.attention import RaiseAttention


@dataclass(frozen=True)
class JoinAttentionHeads(RaisingPattern[AttentionOp]):
    """
    %q = transpose (reshape (%x * 0.125))                    =>   %o = rlx.attention %x, .. layout(bsm) .. scale(0.125)
    %a = rlx.attention %q, .. layout(bhsd) .. scale(1.0)
    %o = reshape (transpose %a)

    Layouts are those of `RaiseAttention`: `bsm` where all sides are head splits and the result is joined, `bshd` where
    all lie by place. Key heads that are repeated in a row become fewer `kv_heads`; constant scales on queries and keys
    become part of the attention's.
    """

    forms: "RaiseAttention"

    title = "attention"
    roots = (AttentionOp,)

    def starts(self, op: Operation) -> bool:
        """A side is scaled, heads are moved before and after, or key heads are joined from repeated ones."""
        if not isinstance(op, AttentionOp):
            return False
        if is_scaled(op.query) or is_scaled(op.key):
            return True
        if op.lies is not AttentionLayout.BHSD:
            return False
        moved = isinstance(op.query.owner, TransposeOp) and optional_reader(op.result, TransposeOp) is not None
        return moved or isinstance(op.key.owner, ReshapeOp)

    def match(self, root: AttentionOp, /) -> Fusion:
        from rlx_passes.raising.attention import Result, Sides

        config = root.config
        if root.lies is AttentionLayout.BSM:
            return unscaled(root)
        lies = BY_HEAD if root.lies is AttentionLayout.BHSD else BY_PLACE
        trail = Trail(root)
        asking = operand(root.query, lies, repeats=False, scales=True)

        def sides(repeats: bool) -> Sides:
            key = operand(root.key, lies, repeats=repeats, scales=True)
            return Sides(asking, key, operand(root.value, lies, repeats=repeats, scales=False))

        found = sides(True)
        if found.key.size("h") != found.value.size("h"):
            found = sides(False)
        layout, result = self.forms.layout(trail, found, Result(root, lies))
        kv_heads = found.key.size("h")
        scaled = found.query.scale != 1 or found.key.scale != 1
        changes = layout is not root.lies or kv_heads != config.kv_heads or scaled
        require(changes, Reason.LAYOUT, root, detail="its heads are not split and joined around it")
        last = trail.add(result.op)
        absorbed = trail.closed(last)

        new: list[Operation] = []
        query, key, value = (self.forms.laid(side, layout, new) for side in found.all)
        config = rescaled(root, found.query.scale * found.key.scale)._replace(kv_heads=kv_heads)
        laid = AttentionOp(query, key, value, config, layout=layout, mask=root.mask, mask_kind=root.masking)
        new.append(laid)
        wanted: Dims = dims_of(last.results[0])
        if result.axes == "bsm" and layout is AttentionLayout.BSHD:
            new.append(ReshapeOp(laid.result, wanted))
        return Fusion.of(absorbed, *new)


def is_scaled(side: SSAValue) -> bool:
    """Whether queries or keys are something times a constant number, before or after their heads are split."""
    while isinstance(side.owner, TransposeOp | ReshapeOp):
        side = side.owner.input
    return isinstance(side.owner, BinaryOp) and scaling(side.owner) is not None


def unscaled(root: AttentionOp) -> Fusion:
    """The attention on packed heads with constant scales of queries and keys in its own."""
    factor, sides = 1.0, [root.query, root.key]
    for place, side in enumerate(sides):
        while isinstance(side.owner, BinaryOp) and (found := scaling(side.owner)):
            side, number = found
            factor *= number
        sides[place] = side
    require(sides != [root.query, root.key], Reason.LAYOUT, root, detail="a scale before its heads were split")
    query, key = sides
    config, lies = rescaled(root, factor), root.lies
    new = AttentionOp(query, key, root.value, config, layout=lies, mask=root.mask, mask_kind=root.masking)
    return Fusion.of((root,), new)


def rescaled(root: AttentionOp, factor: float) -> AttentionConfig:
    """The config with another factor in its scale."""
    config = root.config
    return config if factor == 1 else config._replace(scale=natural(config.scale * factor, config.head_dim, root.query))
