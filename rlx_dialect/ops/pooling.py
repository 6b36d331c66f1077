"""Ops that look at each window of a value by itself."""

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import I64, DenseArrayBase, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import PoolKind, SpatialLayout, WordOf, word_of
from rlx_dialect.directives import Word
from rlx_dialect.dtypes import is_complex
from rlx_dialect.ops.base import Operands, RlxOp, i64s, word
from rlx_dialect.ops.convolution import CHANNELS_FIRST, NO_LIST, steps_attr
from rlx_dialect.shape_rules.windows import Window, pool, spatial_rank, unfold
from rlx_dialect.shapes import Shaped, ShapeError, require_element, require_floats, same_dims, shaped


class PoolConfig(NamedTuple):
    """
    A window and how it steps. Lists have an entry for each spatial dim; an empty one means steps of 1 or pads of
    0. With `ceil` a last window may reach over the end of the padded input, if it starts before the high pad.
    """

    kernel: Sequence[int]
    stride: Sequence[int] = ()
    low: Sequence[int] = ()
    high: Sequence[int] = ()
    dilation: Sequence[int] = ()
    ceil: bool = False
    layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST

    @property
    def window(self) -> Window:
        """Every list in full. Raises `ShapeError` where they do not fit the kernel."""
        return Window.make(self.kernel, stride=self.stride, low=self.low, high=self.high, dilation=self.dilation)

    def properties(self) -> dict[str, Attribute | None]:
        """The properties of an op that carries this; a list of defaults is stored as the empty one."""
        padded = any((*self.low, *self.high))
        return {
            "kernel": i64s(self.kernel),
            "stride": steps_attr(self.stride),
            "pad_low": i64s(self.low if padded else ()),
            "pad_high": i64s(self.high if padded else ()),
            "dilation": steps_attr(self.dilation),
            "layout": word(self.layout),
        }


WINDOW_FORMAT = (
    "`kernel` $kernel (`stride` $stride^)? (`pad` `(` $pad_low^ `,` $pad_high `)`)? (`dilation` $dilation^)? "
    "(`layout` `(` custom<Word>($layout)^ `)`)? "
)


class WindowedOp(RlxOp, ABC):
    """An op that carries a `PoolConfig`."""

    kernel = prop_def(DenseArrayBase.constr(I64))
    stride = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    pad_low = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    pad_high = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    dilation = prop_def(DenseArrayBase.constr(I64), default_value=NO_LIST)
    layout = prop_def(WordOf(SpatialLayout), default_value=CHANNELS_FIRST)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(
        self, operands: Operands, config: PoolConfig, properties: Mapping[str, Attribute | None] | None = None
    ):
        super().__init__(operands=operands, properties={**config.properties(), **(properties or {})})

    @property
    def rounds_up(self) -> bool:
        """Whether a last window may reach over the end."""
        return False

    @property
    def config(self) -> PoolConfig:
        return PoolConfig(
            self.kernel.get_values(),
            self.stride.get_values(),
            self.pad_low.get_values(),
            self.pad_high.get_values(),
            self.dilation.get_values(),
            self.rounds_up,
            word_of(self.layout, SpatialLayout),
        )

    def pooled(self, value: Shaped) -> Shaped:
        """One element for each window and channel of `value`."""
        config = self.config
        if len(config.kernel) != (rank := spatial_rank(value)):
            raise ShapeError(
                f"kernel must have an entry for each of the {rank} spatial dims, got {list(config.kernel)}"
            )
        return pool(value, config.window, config.ceil, config.layout)


class CeilOp(WindowedOp, ABC):
    """A windowed op whose last window may reach over the end."""

    ceil = opt_prop_def(UnitAttr)

    def __init__(
        self, operands: Operands, config: PoolConfig, properties: Mapping[str, Attribute | None] | None = None
    ):
        rounding = {"ceil": UnitAttr() if config.ceil else None}
        super().__init__(operands, config, {**rounding, **(properties or {})})

    @property
    def rounds_up(self) -> bool:
        return self.ceil is not None


@irdl_op_definition
class PoolOp(CeilOp):
    """
    The largest (`max`) or the mean (`avg`) of what a window sees, for each place of the window and each channel.

    input `[N, C, ..]` with one to three spatial dims gives `[N, C, ..]`, with `layout(channels_last)` `[N, .., C]`
    gives `[N, .., C]`; a dim of the result is `floor((padded - dilation * (k - 1) - 1) / stride) + 1`, with `ceil`
    rounded up, but no window starts in the high pad or after it. `max` takes any numbers, does not see pads and passes
    NaN on; a window of pads gives the lowest value. `avg` takes floats, sums in `accumulate` (without it in f32, or in
    the operand's type where that is wider), and divides by the number of elements seen, with `count_include_pad` pads
    among them; the mean of nothing is NaN. As ONNX MaxPool and AveragePool.
    """

    name = "rlx.pool"

    kind = prop_def(WordOf(PoolKind))
    input = operand_def(TensorType)
    count_include_pad = opt_prop_def(UnitAttr)
    accumulate = opt_prop_def(TypeAttribute)

    custom_directives = (Word,)
    assembly_format = (
        f"custom<Word>($kind) $input {WINDOW_FORMAT} (`ceil` $ceil^)? (`count_include_pad` $count_include_pad^)? "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        kind: PoolKind,
        input: SSAValue,
        config: PoolConfig,
        *,
        count_include_pad: bool = False,
        accumulate: TypeAttribute | None = None,
    ):
        properties = {
            "kind": word(kind),
            "count_include_pad": UnitAttr() if count_include_pad else None,
            "accumulate": accumulate,
        }
        super().__init__([input], config, properties)

    @property
    def pooling(self) -> PoolKind:
        return word_of(self.kind, PoolKind)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        if self.kind.data == PoolKind.AVG:
            require_floats(value, "input")
        elif self.count_include_pad is not None:
            raise ShapeError("count_include_pad is for avg: max does not see pads")
        elif value.element == i1 or is_complex(value.element):
            raise ShapeError(f"input must be numbers with an order, got {value}")
        return [self.pooled(value)]


@irdl_op_definition
class MaxPoolBackwardOp(CeilOp):
    """
    The gradient of `rlx.pool max` by its input, given the one by its result: each goes to the first largest element of
    its window in row-major order, a NaN counting as largest. A window of pads has none. An infinite or NaN gradient may
    give NaN beside its own element.

    input `[N, C, ..]` of floats and gradient with the dims of the pooled value give the dims of the input; the
    attributes are those of the pool.
    """

    name = "rlx.max_pool_backward"
    KIND: ClassVar[str] = "MaxPool2dBackward"

    input = operand_def(TensorType)
    gradient = operand_def(TensorType)

    custom_directives = (Word,)
    assembly_format = (
        f"$input `,` $gradient {WINDOW_FORMAT} (`ceil` $ceil^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, gradient: SSAValue, config: PoolConfig):
        super().__init__([input, gradient], config)

    def infer(self) -> Sequence[Shaped]:
        value, gradient = shaped(self.input, "input"), shaped(self.gradient, "gradient")
        require_floats(value, "input")
        require_element(value.element, gradient.element, "gradient")
        same_dims(self.pooled(value), gradient, "the pooled input", "gradient")
        return [value]


@irdl_op_definition
class Im2ColOp(WindowedOp):
    """
    What each window sees, laid along the channels: `result[n, c * K + k, o..] = x[n, c, stride * o + dilation * k]`, x
    being the padded input, K the number of elements of a window and k one of them in row-major order.

    input `[N, C, ..]` of any element type gives `[N, C * K, ..]` with the spatial dims of `rlx.pool`; with
    `layout(channels_last)` `[N, .., C]` gives `[N, .., C * K]`. Pads are 0. A product with `[M, C * K]` is `rlx.conv`.
    """

    name = "rlx.im2col"

    input = operand_def(TensorType)

    custom_directives = (Word,)
    assembly_format = f"$input {WINDOW_FORMAT} attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, config: PoolConfig):
        super().__init__([input], config)

    def infer(self) -> Sequence[Shaped]:
        pooled = self.pooled(shaped(self.input, "input"))
        return [unfold(pooled, self.config.window, self.config.layout)]
