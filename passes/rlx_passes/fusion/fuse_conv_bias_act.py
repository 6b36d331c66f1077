"""`rlx-fuse-conv-bias-act`"""

from dataclasses import dataclass, field

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import BinaryOp, ConvOp
from rlx_passes.fusion.conv_forms import (
    ConvLimits,
    ConvPass,
    as_vector,
    channel_vector,
    fused_conv,
    require_same_dims,
    tail_of,
)
from rlx_passes.rewriting.legality import dims_of, only_reader, other_operand, require_kind
from rlx_passes.rewriting.patterns import Fusion, FusionPattern


@dataclass(frozen=True)
class ConvBiasAct(FusionPattern[ConvOp]):
    """
    %0 = rlx.conv %x, %w
    %1 = rlx.binary add %0, %b        =>    %3 = rlx.fused_conv_bias_act %x, %w, %b residual(%r) activation(relu)
    %2 = rlx.binary add %1, %r
    %3 = rlx.activation relu %2

    Residual and activation are optional. `%b` lies along the channels, or is one element; `%r` has the dims of the
    result. Of two chains that meet in one sum the one of the first convolution takes it, and the other is its residual.
    """

    title = "conv_bias_act"
    roots = (ConvOp,)

    limits: ConvLimits = field(default_factory=ConvLimits)

    def match(self, conv: ConvOp, /) -> Fusion:
        product = conv.result
        add = only_reader(product, BinaryOp)
        require_kind(add, BinaryKind.ADD)
        self.limits.check(conv)
        require_same_dims(conv, add)
        source = channel_vector(other_operand(add, product), conv, add)
        tail = tail_of(self.title, add.result, self.limits, residuals=not self.limits.original)
        to = Plain()
        bias = as_vector(to, source, dims_of(conv.weight)[0])
        return fused_conv(conv, (add,), to, conv.weight, bias, tail)


@dataclass(frozen=True)
class FuseConvBiasActPass(ConvPass):
    """
    Fuse a convolution with the bias that is added to it, a residual added next, and the activation at the end.

    `epilogues` are the activations and `dtypes` the element types that may be fused; `kernel-min` is the smallest
    kernel size and `max-groups` the largest number of groups. `compat-conv` restores two spatial dims, kernels of 2 or
    more, one group and no residual, `compat-epilogues` relu alone, and nothing where another activation follows.
    """

    name = "rlx-fuse-conv-bias-act"
    pattern = ConvBiasAct
