"""`rlx-fuse-attention-block`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import AttentionOp, FusedAttentionBlockOp
from rlx_dialect.shapes import show
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.attention_forms import (
    PROJECTIONS,
    ProjectionOp,
    bias_of,
    packed_projection,
    require_original,
    require_packed_heads,
    require_projection,
    require_small,
    smallest_input,
)
from rlx_passes.fusion.defaults import DTYPES, MAX_TOKENS
from rlx_passes.fusion.options import check_dtypes, check_max_tokens
from rlx_passes.rewriting.legality import dims_of, only_reader, read_only_by, require, require_dtype
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class AttentionBlock(FusionPattern[AttentionOp]):
    """
    %0 = rlx.fused_matmul_bias_act %h, %qkv_w, %qkv_b
    %q, %k, %v = three rlx.narrow of %0, side by side
    %1 = rlx.attention %q, %k, %v mask keys(%m) layout(bsm)
    %2 = rlx.fused_matmul_bias_act %1, %out_w, %out_b
      =>   %2 = rlx.fused_attention_block %h, %qkv_w, %out_w bias(%qkv_b, %out_b) mask keys(%m)

    Both products may be `rlx.matmul` instead, without bias. Any mask. Up to `max_tokens` rows of `%h`. `original` takes
    biased products, a mask of keys and plain attributes only, and asks for the size of any input of the function.
    """

    title = "attention_block"
    roots = (AttentionOp,)

    max_tokens: int = MAX_TOKENS
    dtypes: Collection[str] = DTYPES
    original: bool = False

    def match(self, attention: AttentionOp, /) -> Fusion:
        require_packed_heads(attention)
        config = attention.config
        heads, kv_heads = config.heads, config.kv_heads
        widths = heads * config.head_dim, kv_heads * config.head_dim, kv_heads * config.v_head_dim
        inner, slices = packed_projection(attention, widths)
        read_only_by(inner.result, slices)
        outer = only_reader(attention.result, PROJECTIONS)
        require(outer.lhs is attention.result, Reason.NOT_CONSUMED_BY, outer, detail="the attention is its weight")

        qkv_b, out_b = bias_of(inner), bias_of(outer)
        self.check_projections(inner, outer)
        require(
            (qkv_b is None) == (out_b is None), Reason.ATTRIBUTES, inner, outer, detail="one has a bias, one has not"
        )
        hidden = dims_of(inner.lhs)
        require(len(hidden) == 3, Reason.RANK, inner, detail=lambda: f"the input has dims {show(hidden)}")
        require_dtype(inner.lhs, self.dtypes)
        if self.original:
            require_original(attention)
            require(qkv_b is not None, Reason.NOT_PRODUCED_BY, inner, detail="a product with bias is wanted")
            require(smallest_input(attention) <= self.max_tokens, Reason.TOO_LARGE, attention)
        else:
            require_small(attention, hidden[:-1], self.max_tokens)

        fused = FusedAttentionBlockOp(
            inner.lhs,
            inner.rhs,
            outer.rhs,
            config,
            qkv_b=qkv_b,
            out_b=out_b,
            mask=attention.mask,
            mask_kind=attention.masking,
        )
        return Fusion.of((inner, *slices, attention, outer), fused)

    def check_projections(self, *projections: ProjectionOp) -> None:
        for projection in projections:
            require_projection(projection)
            plain = projection.accumulate is None
            require(plain, Reason.ATTRIBUTES, projection, detail="the block has no accumulate type for its products")


@dataclass(frozen=True)
class FuseAttentionBlockPass(PatternPass):
    """
    Fuse an attention with the packed projection before it and the output projection after it.

    `max-tokens` bounds batch times sequence; `dtypes` are the element types that may be fused. `compat-attention-block`
    takes biased projections and a mask of keys only, and lets any small input of the function open the gate.
    """

    name = "rlx-fuse-attention-block"

    max_tokens: int = MAX_TOKENS
    dtypes: tuple[str, ...] = DTYPES
    compat_attention_block: bool = False

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)
        check_max_tokens(self.name, self.max_tokens)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (AttentionBlock(self.max_tokens, self.dtypes, self.compat_attention_block),))
