"""Masks of attention ops that hide keys by a rule, said as that rule."""

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import MaskedRows, MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionOp
from rlx_dialect.ops.attention import split_heads
from rlx_dialect.shapes import shaped
from rlx_passes.raising.attention_bands import EVERYWHERE, band_in
from rlx_passes.raising.attention_masking import Masking, is_key_mask
from rlx_passes.raising.attention_masks import Extent
from rlx_passes.raising.attention_scores import Added
from rlx_passes.raising.trail import RaisingPattern
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion


@dataclass(frozen=True)
class StructureAttentionMask(RaisingPattern[AttentionOp]):
    """
    %b = where (%causal & %keys), 0, -inf          =>   %o = rlx.attention .. mask keys(%keys) .. causal_offset(0)
    %o = rlx.attention .. mask bias(%b)

    As `RaiseAttention` reads masks; one that hides nothing goes. A bias that holds no such rule is left as it is.
    """

    title = "attention"
    roots = (AttentionOp,)

    def starts(self, op: Operation) -> bool:
        return isinstance(op, AttentionOp) and op.mask is not None

    def match(self, root: AttentionOp, /) -> Fusion:
        config, mask = root.config, root.mask
        assert mask is not None
        if root.masking is MaskKind.KEYS:
            values = evaluated(mask)
            require(values is not None and bool(values.all()), Reason.CONSTANT, mask, detail="it hides keys")
            return Fusion.of((root,), masked(root, config))
        batch, heads, queries, _ = split_heads(shaped(root.query), root.lies, config.heads, config.head_dim, "query")
        keys = split_heads(shaped(root.key), root.lies, config.kv_heads, config.head_dim, "key")[2]
        extent = Extent((batch, heads, queries, keys), 2, tensor_type(mask).element_type)
        masking = Masking.of([Added(mask)], extent)
        masking.check(extent)
        ruled = not masking.biases and all(is_key_mask(each, extent) for each in masking.keys)
        require(
            ruled or masking.band != EVERYWHERE, Reason.NOT_PRODUCED_BY, mask, detail="the bias hides keys by no rule"
        )

        certain = not masking.keys and not masking.biases
        if masking.band != EVERYWHERE:
            own = band_in(config, queries, keys)
            if own is None:
                raise Miss(Reason.DYNAMIC, root, detail="a causal offset that only a run knows")
            both = own.within(masking.band).reduced(queries, keys)
            require(both.fits(queries, keys), Reason.DYNAMIC, root, detail="a window of keys that no size bounds")
            config = both.config(config, queries, keys)
            certain = certain and both.shows_a_key(queries, keys)
        if masking.finite and not certain:
            banded = (root.causal_offset, root.window_left, root.window_right) != (None, None, None)
            require(not banded, Reason.ATTRIBUTES, mask, detail="a finite number hides keys beside a band")
        if masking.finite or certain:
            config = config._replace(masked_rows=MaskedRows.UNIFORM)
        new: list[Operation] = []
        kind, value = masking.operand(extent, new)
        return Fusion.of((root,), *new, masked(root, config, value, kind))


def masked(
    op: AttentionOp, config: AttentionConfig, mask: SSAValue | None = None, kind: MaskKind | None = None
) -> AttentionOp:
    """The attention under another mask."""
    return AttentionOp(op.query, op.key, op.value, config, layout=op.lies, mask=mask, mask_kind=kind)
