"""Attention ops, on heads that are split before and joined after them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import AttentionOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import Dims
from rlx_passes.raising.attention_operands import BY_HEAD, operand
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.legality import dims_of, optional_reader, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion

if TYPE_CHECKING:
    from rlx_passes.raising.attention import RaiseAttention


@dataclass(frozen=True)
class JoinAttentionHeads(RaisingPattern[AttentionOp]):
    """
    %q = transpose (reshape %x)                              =>   %o = rlx.attention %x, .. layout(bsm)
    %a = rlx.attention %q, .. layout(bhsd)
    %o = reshape (transpose %a)

    Layouts are those of `RaiseAttention`: `bsm` where all sides are head splits and the result is joined, `bshd` where
    all lie by place. Key heads that are repeated in a row become fewer `kv_heads`.
    """

    forms: "RaiseAttention"

    title = "attention"
    roots = (AttentionOp,)

    def starts(self, op: Operation) -> bool:
        """Heads come out of a transpose and go into one, or key heads are joined from repeated ones."""
        if not isinstance(op, AttentionOp) or op.layout.data != AttentionLayout.BHSD.value:
            return False
        moved = isinstance(op.query.owner, TransposeOp) and optional_reader(op.result, TransposeOp) is not None
        return moved or isinstance(op.key.owner, ReshapeOp)

    def match(self, root: AttentionOp, /) -> Fusion:
        from rlx_passes.raising.attention import Result, Sides

        config = root.config
        trail = Trail(root)
        asking = operand(root.query, BY_HEAD, repeats=False, scales=False)

        def sides(repeats: bool) -> Sides:
            key, value = (operand(side, BY_HEAD, repeats=repeats, scales=False) for side in (root.key, root.value))
            return Sides(asking, key, value)

        found = sides(True)
        if found.key.size("h") != found.value.size("h"):
            found = sides(False)
        layout, result = self.forms.layout(trail, found, Result(root, BY_HEAD))
        kv_heads = found.key.size("h")
        changes = layout is not AttentionLayout.BHSD or kv_heads != config.kv_heads
        require(changes, Reason.LAYOUT, root, detail="its heads are not split and joined around it")
        last = trail.add(result.op)
        absorbed = trail.closed(last)

        new: list[Operation] = []
        query, key, value = (self.forms.laid(side, layout, new) for side in found.all)
        fewer = config._replace(kv_heads=kv_heads)
        laid = AttentionOp(query, key, value, fewer, layout=layout, mask=root.mask, mask_kind=root.masking)
        new.append(laid)
        wanted: Dims = dims_of(last.results[0])
        if result.axes == "bsm" and layout is AttentionLayout.BSHD:
            new.append(ReshapeOp(laid.result, wanted))
        return Fusion.of(absorbed, *new)
