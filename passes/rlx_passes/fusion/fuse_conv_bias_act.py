"""`rlx-fuse-conv-bias-act`"""

from dataclasses import dataclass, field

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import ActivationOp, BinaryOp, ConvOp
from rlx_passes.fusion.conv_forms import (
    ConvLimits,
    ConvPass,
    Tail,
    as_vector,
    channel_vector,
    fused_conv,
    require_same_dims,
    tail_of,
)
from rlx_passes.rewriting.legality import (
    dims_of,
    only_reader,
    optional_reader,
    other_operand,
    require,
    require_kind,
)
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern


@dataclass(frozen=True)
class ConvBiasAct(FusionPattern[ConvOp]):
    """
    %0 = rlx.conv %x, %w
    %1 = rlx.binary add %0, %b        =>    %3 = rlx.fused_conv_bias_act %x, %w, %b residual(%r) activation(relu)
    %2 = rlx.binary add %1, %r
    %3 = rlx.activation relu %2

    Residual and activation are optional, and so is the bias in front of an activation alone. `%b` lies along the
    channels, or is one element; `%r` has the dims of the result. Of two chains that meet in one sum the one of the
    first convolution takes it, and the other is its residual.
    """

    title = "conv_bias_act"
    roots = (ConvOp,)

    limits: ConvLimits = field(default_factory=ConvLimits)

    def match(self, conv: ConvOp, /) -> Fusion:
        product = conv.result
        if self.without_bias and (act := optional_reader(product, ActivationOp)) is not None:
            self.limits.check(conv)
            require(act.kind.data in self.limits.epilogues, Reason.EPILOGUE, act, detail=act.kind.data)
            return fused_conv(conv, (), Plain(), conv.weight, None, Tail((act,), activation=act.activation))
        add = only_reader(product, BinaryOp)
        require_kind(add, BinaryKind.ADD)
        self.limits.check(conv)
        require_same_dims(conv, add)
        source = channel_vector(other_operand(add, product), conv, add)
        tail = tail_of(self.title, add.result, self.limits, residuals=not self.limits.original)
        to = Plain()
        bias = as_vector(to, source, dims_of(conv.weight)[0])
        return fused_conv(conv, (add,), to, conv.weight, bias, tail)

    @property
    def without_bias(self) -> bool:
        """Whether an activation right behind the convolution is fused too."""
        return not self.limits.original and not self.limits.all_or_nothing


@dataclass(frozen=True)
class FuseConvBiasActPass(ConvPass):
    """
    Fuse a convolution with the bias that is added to it, a residual added next, and the activation at the end, or with
    an activation alone.

    `epilogues` are the activations and `dtypes` the element types that may be fused; `kernel-min` is the smallest
    kernel size and `max-groups` the largest number of groups. `compat-conv` restores two spatial dims, kernels of 2 or
    more, one group and no residual, `compat-epilogues` relu alone, and nothing where another activation follows; both
    want a bias.
    """

    name = "rlx-fuse-conv-bias-act"
    pattern = ConvBiasAct
