"""`rlx-fuse-transformer-layer`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from rlx_dialect.ops import (
    FusedAttentionBlockOp,
    FusedMatMulBiasActOp,
    FusedResidualLNOp,
    FusedTransformerLayerOp,
    LayerWeights,
)
from rlx_dialect.shapes import DYNAMIC, show
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.attention_forms import require_original, require_small, smallest_input
from rlx_passes.fusion.defaults import DTYPES, EPILOGUES, MAX_TOKENS
from rlx_passes.fusion.options import check_dtypes, check_epilogues, check_max_tokens
from rlx_passes.rewriting.legality import dims_of, live_uses, only_reader, require, require_dtype, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_passes.switches.original import restored


@dataclass(frozen=True)
class TransformerLayer(FusionPattern[FusedAttentionBlockOp]):
    """
    %a = rlx.fused_attention_block %h, ..
    %n = rlx.fused_residual_ln %a, %h, ..
    %u = rlx.fused_matmul_bias_act %n, .. activation(gelu)    =>    %r = rlx.fused_transformer_layer %h ..
    %d = rlx.fused_matmul_bias_act %u, ..
    %r = rlx.fused_residual_ln %d, %n, ..

    A block with biases; the addends of the sums may stand either way round. Up to `max_tokens` rows of `%h`. `original`
    takes a mask of keys and plain attributes only, the addends in the order above, and checks the size of any input.
    """

    title = "transformer_layer"
    roots = (FusedAttentionBlockOp,)

    epilogues: Collection[str] = EPILOGUES
    max_tokens: int = MAX_TOKENS
    dtypes: Collection[str] = DTYPES
    original: bool = False

    def match(self, block: FusedAttentionBlockOp, /) -> Fusion:
        hidden = block.hidden
        require(block.qkv_b is not None, Reason.ATTRIBUTES, block, detail="a block with biases is wanted")
        require_dtype(hidden, self.dtypes)
        if self.original:
            require_original(block)
            require(smallest_input(block) <= self.max_tokens, Reason.TOO_LARGE, block)
        else:
            require_small(block, dims_of(hidden)[:-1], self.max_tokens)

        ln1 = self.normed_sum(block.result, hidden, only_reader(block.result, FusedResidualLNOp))
        wide, narrow, ln2 = self.feed_forward(ln1)
        activation = wide.epilogue
        if activation is None or str(activation) not in self.epilogues:
            raise Miss(Reason.EPILOGUE, wide, detail=str(activation or "no activation"))
        weights = LayerWeights(
            *(block.qkv_w, block.out_w, ln1.gamma, wide.rhs, narrow.rhs, ln2.gamma),
            *(block.qkv_b, block.out_b, ln1.beta, wide.bias, narrow.bias, ln2.beta),
        )
        fused = FusedTransformerLayerOp(
            hidden,
            weights,
            block.config,
            activation=activation,
            epsilon1=ln1.epsilon.value.data,
            epsilon2=ln2.epsilon.value.data,
            mask=block.mask,
            mask_kind=block.masking,
        )
        return Fusion.of((block, ln1, wide, narrow, ln2), fused)

    def feed_forward(
        self, ln1: FusedResidualLNOp
    ) -> tuple[FusedMatMulBiasActOp, FusedMatMulBiasActOp, FusedResidualLNOp]:
        """The two products after the first norm, and the second norm; two of the three alone read the first norm."""
        readers = [use.operation for _, use in zip(range(3), live_uses(ln1.result))]
        products = [op for op in readers if isinstance(op, FusedMatMulBiasActOp)]
        require(len(products) == 1 and len(readers) == 2, Reason.NOT_CONSUMED_BY, *readers)
        wide = products[0]
        require(wide.lhs is ln1.result, Reason.NOT_CONSUMED_BY, wide, detail="the norm is its weight")
        narrow = only_reader(wide.result, FusedMatMulBiasActOp)
        require(narrow.lhs is wide.result, Reason.NOT_CONSUMED_BY, narrow, detail="the product is its weight")
        require(narrow.activation is None, Reason.EPILOGUE, narrow, detail="the second product has no activation")
        for product in (wide, narrow):
            require(product.bias is not None, Reason.ATTRIBUTES, product, detail="products with biases are wanted")
            weight = dims_of(product.rhs)
            known = len(weight) == 2 and DYNAMIC not in weight
            require(known, Reason.RANK, product, detail=lambda weight=weight: f"the weight has dims {show(weight)}")
            plain = product.accumulate is None
            require(plain, Reason.ATTRIBUTES, product, detail="the layer has no accumulate type for its products")
        ln2 = self.normed_sum(narrow.result, ln1.result, only_reader(narrow.result, FusedResidualLNOp))
        return wide, narrow, ln2

    def normed_sum(self, value: SSAValue, residual: SSAValue, norm: FusedResidualLNOp) -> FusedResidualLNOp:
        """`norm`, if it is a plain norm of `value + residual` and alone reads the sum. Raises `Miss` otherwise."""
        addends = (norm.input, norm.residual)
        ordered = addends == (value, residual) or (not self.original and addends == (residual, value))
        require(ordered, Reason.NOT_PRODUCED_BY, norm, detail="the other addend is no residual of the layer")
        plain = norm.bias is None and norm.accumulate is None
        require(plain, Reason.ATTRIBUTES, norm, detail="the layer has no bias or accumulate type for its norms")
        weights = {tensor_type(each).element_type for each in (norm.gamma, norm.beta)}
        require(weights == {tensor_type(value).element_type}, Reason.DTYPE, norm, detail="weights of another type")
        if norm.sum is not None:
            for use in live_uses(norm.sum):
                raise Miss(Reason.MULTI_USE, use.operation, detail="the sum is read")
        return norm


@dataclass(frozen=True)
class FuseTransformerLayerPass(PatternPass):
    """
    Fuse an attention block with the two products and residual norms after it: one encoder layer, one op.

    `epilogues` are the activations and `dtypes` the element types that may be fused; `max-tokens` bounds batch times
    sequence. `compat-attention-block` takes a mask of keys only, and lets any small input of the function open the
    gate; `compat-epilogues` restores gelu and silu.
    """

    name = "rlx-fuse-transformer-layer"

    epilogues: tuple[str, ...] = EPILOGUES
    max_tokens: int = MAX_TOKENS
    dtypes: tuple[str, ...] = DTYPES
    compat_attention_block: bool = False
    compat_epilogues: bool = False

    def __post_init__(self) -> None:
        check_epilogues(self.name, self.epilogues)
        check_dtypes(self.name, self.dtypes)
        check_max_tokens(self.name, self.max_tokens)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        epilogues = restored(self).epilogues
        run_patterns(op, (TransformerLayer(epilogues, self.max_tokens, self.dtypes, self.compat_attention_block),))
