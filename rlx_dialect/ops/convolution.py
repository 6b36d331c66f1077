"""Convolutions. Sums as `rlx.matmul`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from rlx_dialect.attributes import Activation, SpatialLayout, WordOf, word_of
from rlx_dialect.directives import FurtherTypes, Word
from rlx_dialect.ops.base import Operands, RlxOp, i64_attr, i64s, word
from rlx_dialect.shape_rules.windows import Window, channel_axis, convolve, convolve_transposed, spatial_rank
from rlx_dialect.shapes import (
    Dims,
    Shaped,
    ShapeError,
    meet,
    require_activation,
    require_element,
    require_floats,
    require_rank,
    same,
    shaped,
)


class ConvConfig(NamedTuple):
    """
    How a convolution steps over its input, apart from the operands. Lists have an entry for each spatial dim; an empty
    one means steps of 1 or pads of 0. `layout` is that of input and result; a weight is always `[M, C / groups, ..]`.
    """

    stride: Sequence[int] = ()
    low: Sequence[int] = ()
    high: Sequence[int] = ()
    dilation: Sequence[int] = ()
    input_dilation: Sequence[int] = ()
    groups: int = 1
    layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST
    accumulate: TypeAttribute | None = None

    def window(self, kernel: Sequence[int]) -> Window:
        """The window of a kernel. Raises `ShapeError` where the lists do not fit it."""
        return Window.make(
            kernel,
            stride=self.stride,
            low=self.low,
            high=self.high,
            dilation=self.dilation,
            input_dilation=self.input_dilation,
        )

    def properties(self) -> dict[str, Attribute | None]:
        """The properties of an op with this window; defaults are stored as empty lists, so that equal ops are equal."""
        pads = (*self.low, *self.high)
        return {
            "stride": steps_attr(self.stride),
            "pad_low": i64s(self.low if any(pads) else ()),
            "pad_high": i64s(self.high if any(pads) else ()),
            "dilation": steps_attr(self.dilation),
            "input_dilation": steps_attr(self.input_dilation),
            "groups": i64_attr(self.groups),
            "layout": word(self.layout),
            "accumulate": self.accumulate,
        }


def steps_attr(values: Sequence[int]) -> DenseArrayBase:
    """Steps as they are stored: none where all are 1."""
    return i64s(() if all(value == 1 for value in values) else values)


UNIT = ConvConfig()
"""Steps of 1 without pads."""

NO_LIST = i64s(())
CHANNELS_FIRST = StringAttr(SpatialLayout.CHANNELS_FIRST.value)

STEPS_FORMAT = (
    "(`stride` $stride^)? (`pad` `(` $pad_low^ `,` $pad_high `)`)? (`dilation` $dilation^)? "
    "(`input_dilation` $input_dilation^)? (`groups` `(` $groups^ `)`)? (`layout` `(` custom<Word>($layout)^ `)`)? "
)
CONV_FORMAT = f"{STEPS_FORMAT}(`accumulate` `(` $accumulate^ `)`)? "


class StepsOp(RlxOp, ABC):
    """An op that carries a `ConvConfig`, without a say in how it sums."""

    stride = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    pad_low = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    pad_high = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    dilation = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    input_dilation = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    groups = prop_def(IntegerAttr.constr(i64), default_value=i64_attr(1))
    layout = prop_def(WordOf(SpatialLayout), default_value=CHANNELS_FIRST)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(
        self, operands: Operands, config: ConvConfig, properties: Mapping[str, Attribute | None] | None = None
    ):
        super().__init__(operands=operands, properties={**config.properties(), **(properties or {})})

    @property
    def config(self) -> ConvConfig:
        return ConvConfig(
            self.stride.get_values(),
            self.pad_low.get_values(),
            self.pad_high.get_values(),
            self.dilation.get_values(),
            self.input_dilation.get_values(),
            self.groups.value.data,
            word_of(self.layout, SpatialLayout),
        )

    @property
    @abstractmethod
    def kernel(self) -> Dims:
        """The size of the kernel along each spatial dim."""

    @property
    def window(self) -> Window:
        """The kernel and its steps, every list in full."""
        return self.config.window(self.kernel)


class ConvLike(StepsOp, ABC):
    """An op that carries a whole `ConvConfig`."""

    accumulate = opt_prop_def(TypeAttribute)

    @property
    def config(self) -> ConvConfig:
        return super().config._replace(accumulate=self.accumulate)


def convolved(value: Shaped, weight: Shaped, config: ConvConfig) -> Shaped:
    """The result of a convolution. Raises `ShapeError` where the operands do not fit together."""
    spatial_rank(value)
    require_rank(weight, value.rank, "weight")
    require_element(value.element, weight.element, "weight")
    return convolve(value, weight, config.window(weight.dims[2:]), config.groups, config.layout)


@irdl_op_definition
class ConvOp(ConvLike):
    """
    `result[n, m, o..] = sum_{c, k..} x[n, c, stride * o + dilation * k] * weight[m, c, k..]`, x being the padded input:
    the kernel is not mirrored.

    input `[N, C, ..]` with one to three spatial dims, weight `[M, C / groups, ..]` whose kernel sizes are known, give
    `[N, M, ..]`; with `layout(channels_last)` input and result are `[N, .., C]`, the weight stays. Output channel m
    reads the input channels of group `m // (M / groups)`. The input gets `input_dilation` - 1 zeros between its
    elements, then `pad_low` and `pad_high` zeros at its ends; negative pads cut. A dim of the result is
    `floor((padded - dilation * (k - 1) - 1) / stride) + 1`, and 0 where the window is larger than the padded input.
    On tpu an f64 weight that is infinite or NaN adds nothing where it meets zeros that were put in. Sums as
    `rlx.matmul`. As ONNX Conv without bias, and StableHLO's convolution.
    """

    name = "rlx.conv"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)

    custom_directives = (Word,)
    assembly_format = f"$input `,` $weight {CONV_FORMAT} attr-dict `:` functional-type(operands, results)"

    def __init__(self, input: SSAValue, weight: SSAValue, config: ConvConfig = UNIT):
        super().__init__([input, weight], config)

    @property
    def kernel(self) -> Dims:
        return shaped(self.weight, "weight").dims[2:]

    def infer(self) -> Sequence[Shaped]:
        return [convolved(shaped(self.input, "input"), shaped(self.weight, "weight"), self.config)]


@irdl_op_definition
class FusedConvBiasActOp(ConvLike):
    """
    `activation(conv(input, weight) (+ bias) (+ residual))`; no activation means identity.

    input, weight and the attributes as `rlx.conv`; bias is `[M]` along the channels, residual has the result's dims.
    """

    name = "rlx.fused_conv_bias_act"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    residual = opt_operand_def(TensorType)
    activation = opt_prop_def(WordOf(Activation))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Word, FurtherTypes)
    assembly_format = (
        "$input `,` $weight (`,` $bias^)? (`residual` `(` $residual^ `)`)? "
        "(`activation` `(` custom<Word>($activation)^ `)`)? "
        f"{CONV_FORMAT}attr-dict `:` `(` type($input) `,` type($weight) "
        "custom<FurtherTypes>(type($bias), type($residual)) `)` `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        weight: SSAValue,
        bias: SSAValue | None = None,
        config: ConvConfig = UNIT,
        activation: Activation | None = None,
        *,
        residual: SSAValue | None = None,
    ):
        super().__init__([input, weight, bias, residual], config, {"activation": word(activation)})

    @property
    def epilogue(self) -> Activation | None:
        return None if self.activation is None else word_of(self.activation, Activation)

    @property
    def kernel(self) -> Dims:
        return shaped(self.weight, "weight").dims[2:]

    def infer(self) -> Sequence[Shaped]:
        config = self.config
        product = convolved(shaped(self.input, "input"), shaped(self.weight, "weight"), config)
        if self.activation is not None:
            require_activation(product, self.activation.data)
        if self.bias is not None:
            bias = shaped(self.bias, "bias")
            require_rank(bias, 1, "bias")
            require_element(product.element, bias.element, "bias")
            channels = product.dims[channel_axis(config.layout, product.rank)]
            meet(bias.dims[0], channels, f"the size of bias {bias} and the channels of the product {product}")
        if self.residual is None:
            return [product]
        return [same(product, shaped(self.residual, "residual"), "the product", "residual")]


@irdl_op_definition
class ConvTransposeOp(ConvLike):
    """
    `result[n, m, stride * o + dilation * k - pad_low] += input[n, c, o] * weight[c, m, k]` : the adjoint of `rlx.conv`.

    input `[N, C, ..]` and weight `[C, M / groups, ..]` give `[N, M, ..]`; with `layout(channels_last)` input and result
    are `[N, .., C]`. A dim of the result is
    `stride * (size - 1) + dilation * (k - 1) + 1 - pad_low - pad_high + output_pad`; of it every `input_dilation`-th
    element is kept. Sums as `rlx.matmul`. As ONNX ConvTranspose without bias. Whether an infinite or NaN weight gives
    NaN where it meets no element of the input is left open.
    """

    name = "rlx.conv_transpose"
    KIND: ClassVar[str] = "ConvTranspose2d"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    output_pad = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)

    custom_directives = (Word,)
    assembly_format = (
        f"$input `,` $weight (`output_pad` $output_pad^)? {CONV_FORMAT} attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, weight: SSAValue, config: ConvConfig = UNIT, *, output_pad: Sequence[int] = ()):
        pads = i64s(output_pad if any(output_pad) else ())
        super().__init__([input, weight], config, {"output_pad": pads})

    @property
    def kernel(self) -> Dims:
        return shaped(self.weight, "weight").dims[2:]

    def infer(self) -> Sequence[Shaped]:
        value, weight, config = shaped(self.input, "input"), shaped(self.weight, "weight"), self.config
        spatial_rank(value)
        require_rank(weight, value.rank, "weight")
        require_element(value.element, weight.element, "weight")
        window = config.window(weight.dims[2:])
        return [convolve_transposed(value, weight, window, self.output_pad.get_values(), config.groups, config.layout)]


@irdl_op_definition
class PartitionedConvOp(RlxOp):
    """
    `result[.., t] = sum_k filter[k] * signal[.., t - k]`: the whole convolution of signals with a filter that is
    mirrored, as `numpy.convolve`.

    signal `[.., T]` of floats and filter `[K]`, K known and 1 or more, give `[.., T + K - 1]`. `block` says in parts of
    how many elements code should work (overlap-save with Fourier transforms); it does not change what the op means, but
    for this: how far an infinity or a NaN reaches beside its own sums is left open.
    """

    name = "rlx.partitioned_conv"

    signal = operand_def(TensorType)
    filter = operand_def(TensorType)
    block = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$signal `,` $filter `block` `(` $block `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, signal: SSAValue, filter: SSAValue, block: int):
        super().__init__(operands=[signal, filter], properties={"block": i64_attr(block)})

    def infer(self) -> Sequence[Shaped]:
        signal, taps = shaped(self.signal, "signal"), shaped(self.filter, "filter")
        require_floats(signal, "signal")
        require_rank(taps, 1, "filter")
        require_element(signal.element, taps.element, "filter")
        if signal.rank == 0:
            raise ShapeError(f"signal must have rank 1 or more, got {signal}")
        if self.block.value.data < 1:
            raise ShapeError(f"block must be positive, got {self.block.value.data}")
        reach = (taps.dims[0] - 1,)
        window = Window.make(taps.dims, low=reach, high=reach)
        return [signal.with_dims((*signal.dims[:-1], *window.counts(signal.dims[-1:])))]
