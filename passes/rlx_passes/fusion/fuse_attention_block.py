"""`rlx-fuse-attention-block`"""

from collections.abc import Collection
from dataclasses import dataclass
from math import isclose, prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_dialect.attributes import MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionOp, FusedAttentionBlockOp
from rlx_dialect.shapes import DYNAMIC, Dims, show
from rlx_dialect.signature import INPUT, arguments_of
from rlx_passes.errors import PipelineError
from rlx_passes.fusion.attention_forms import (
    PROJECTIONS,
    ProjectionOp,
    bias_of,
    packed_projection,
    require_packed_heads,
    require_projection,
)
from rlx_passes.fusion.defaults import DTYPES, MAX_TOKENS
from rlx_passes.fusion.options import check_dtypes
from rlx_passes.legality import dims_of, only_reader, read_only_by, require, require_dtype
from rlx_passes.miss import Miss, Reason
from rlx_passes.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class AttentionBlock(FusionPattern[AttentionOp]):
    """
    %0 = rlx.fused_matmul_bias_act %h, %qkv_w, %qkv_b
    %q, %k, %v = three rlx.narrow of %0, side by side
    %1 = rlx.attention %q, %k, %v mask keys(%m) layout(bsm)
    %2 = rlx.fused_matmul_bias_act %1, %out_w, %out_b    =>    %2 = rlx.fused_attention_block %h, %qkv_w, %out_w bias(%qkv_b, %out_b) mask keys(%m)

    Both products may be `rlx.matmul` instead, without bias. Any mask. Up to `max_tokens` rows of `%h`. `original` takes biased products, a
    mask of keys and plain attributes only, and asks for the size of any input of the function.
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
            require_original(attention, config)
            require(qkv_b is not None, Reason.NOT_PRODUCED_BY, inner, detail="a product with bias is wanted")
            require(smallest_input(attention) <= self.max_tokens, Reason.TOO_LARGE, attention)
        else:
            self.check_size(attention, hidden[:-1])

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

    def check_size(self, attention: AttentionOp, rows: Dims) -> None:
        require(DYNAMIC not in rows, Reason.DYNAMIC, attention, detail=lambda: f"the input has rows {show(rows)}")
        tokens = prod(rows)
        within = tokens <= self.max_tokens
        require(within, Reason.TOO_LARGE, attention, detail=lambda: f"{tokens} tokens, at most {self.max_tokens}")


def require_original(attention: AttentionOp, config: AttentionConfig) -> None:
    """Raises `Miss` unless the attention has a mask of keys and nothing else out of the ordinary."""
    keys = attention.masking is MaskKind.KEYS
    require(keys, Reason.ATTRIBUTES, attention, detail="a mask of keys is wanted")
    ordinary = AttentionConfig.make(config.heads, config.head_dim)
    same_scale = isclose(config.scale, ordinary.scale, rel_tol=1e-6)
    plain = config._replace(scale=ordinary.scale, masked_rows=ordinary.masked_rows, accumulate=None) == ordinary
    require(same_scale and plain, Reason.ATTRIBUTES, attention, detail="default scale and equal widths are wanted")


def smallest_input(op: Operation) -> int:
    """The fewest rows, first dim times second, that an input of the function around `op` has. Raises `Miss` where none is known."""
    func = op.parent_op()
    while func is not None and not isinstance(func, FuncOp):
        func = func.parent_op()
    sizes = [
        dims[0] * dims[1]
        for binding, argument in (zip(arguments_of(func), func.args) if func is not None else ())
        if binding.role == INPUT and isinstance(argument.type, TensorType)
        for dims in [dims_of(argument)]
        if len(dims) >= 2 and DYNAMIC not in dims[:2]
    ]
    if not sizes:
        raise Miss(Reason.DYNAMIC, op, detail="no input of the function has known rows")
    return min(sizes)


@dataclass(frozen=True)
class FuseAttentionBlockPass(ModulePass):
    """
    Fuse an attention with the packed projection before it and the output projection behind it.

    `max-tokens` bounds batch times sequence; `dtypes` are the element types that may be fused. `compat-attention-block` takes biased
    projections and a mask of keys only, and lets any small input of the function open the gate.
    """

    name = "rlx-fuse-attention-block"

    max_tokens: int = MAX_TOKENS
    dtypes: tuple[str, ...] = DTYPES
    compat_attention_block: bool = False

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)
        if self.max_tokens < 0:
            raise PipelineError(f"option 'max-tokens' of pass '{self.name}' must be at least 0, not {self.max_tokens}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (AttentionBlock(self.max_tokens, self.dtypes, self.compat_attention_block),))
