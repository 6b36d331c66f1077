"""Gradients of convolutions. Sums as `rlx.matmul`."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from rlx_dialect.directives import Word
from rlx_dialect.ops.base import i64s
from rlx_dialect.ops.convolution import CONV_FORMAT, UNIT, ConvConfig, ConvLike
from rlx_dialect.relations import can_be
from rlx_dialect.shape_rules.windows import (
    channel_axis,
    check_groups,
    convolve,
    laid_out,
    per_axis,
    spatial_rank,
    times,
)
from rlx_dialect.shapes import (
    DYNAMIC,
    Dims,
    Shaped,
    ShapeError,
    meet,
    require_element,
    require_floats,
    require_rank,
    same_dims,
    shaped,
)


@irdl_op_definition
class ConvBackwardInputOp(ConvLike):
    """
    The gradient of `rlx.conv` by its input, given the one by its result.

    gradient `[N, M, ..]` of floats and weight `[M, C / groups, ..]` give `[N, C, ..]`, whose spatial dims are `size`;
    the attributes are those of the convolution. Whether an infinite or NaN weight gives NaN where it meets no gradient
    is left open.
    """

    name = "rlx.conv_backward_input"
    KIND: ClassVar[str] = "Conv2dBackwardInput"

    gradient = operand_def(TensorType)
    weight = operand_def(TensorType)
    size = prop_def(DenseArrayBase.constr(I64))

    custom_directives = (Word,)
    assembly_format = (
        f"$gradient `,` $weight `size` $size {CONV_FORMAT} attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, gradient: SSAValue, weight: SSAValue, config: ConvConfig = UNIT, *, size: Sequence[int]):
        super().__init__([gradient, weight], config, {"size": i64s(size)})

    @property
    def kernel(self) -> Dims:
        return shaped(self.weight, "weight").dims[2:]

    def infer(self) -> Sequence[Shaped]:
        gradient, weight, config = shaped(self.gradient, "gradient"), shaped(self.weight, "weight"), self.config
        require_floats(gradient, "gradient")
        rank = spatial_rank(gradient, "gradient")
        require_rank(weight, gradient.rank, "weight")
        require_element(gradient.element, weight.element, "weight")
        size = self.size.get_values()
        if not size or any(each < 0 for each in size):
            raise ShapeError(f"size must name the spatial dims of the input, got {list(size)}")
        size = per_axis(size, rank, 0, "size")
        channels = times(weight.dims[1], config.groups)
        value = gradient.with_dims(laid_out(gradient.dims[0], channels, size, config.layout))
        window = config.window(weight.dims[2:])
        result = convolve(value, weight, window, config.groups, config.layout)
        same_dims(result, gradient, "the result of the convolution", "gradient")
        return [value]


@irdl_op_definition
class ConvBackwardWeightOp(ConvLike):
    """
    The gradient of `rlx.conv` by its weight, given the one by its result.

    input `[N, C, ..]` and gradient `[N, M, ..]`, both floats, give `[M, C / groups, ..]`, whose spatial dims are
    `kernel_size`; the attributes are those of the convolution.
    """

    name = "rlx.conv_backward_weight"
    KIND: ClassVar[str] = "Conv2dBackwardWeight"

    input = operand_def(TensorType)
    gradient = operand_def(TensorType)
    kernel_size = prop_def(DenseArrayBase.constr(I64))

    custom_directives = (Word,)
    assembly_format = (
        f"$input `,` $gradient `kernel` $kernel_size {CONV_FORMAT} attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, gradient: SSAValue, config: ConvConfig = UNIT, *, kernel: Sequence[int]):
        super().__init__([input, gradient], config, {"kernel_size": i64s(kernel)})

    @property
    def kernel(self) -> Dims:
        return self.kernel_size.get_values()

    def infer(self) -> Sequence[Shaped]:
        value, gradient, config = shaped(self.input, "input"), shaped(self.gradient, "gradient"), self.config
        require_floats(value, "input")
        rank = spatial_rank(value)
        require_rank(gradient, value.rank, "gradient")
        require_element(value.element, gradient.element, "gradient")
        if len(self.kernel) != rank:
            raise ShapeError(f"kernel must have an entry for each of the {rank} spatial dims, got {list(self.kernel)}")
        axis = channel_axis(config.layout, value.rank)
        channels, groups = value.dims[axis], config.groups
        if groups < 1 or not can_be(channels, "a multiple of", groups):
            raise ShapeError(f"the channels of input {value} must be a multiple of groups {groups}")
        per_group = DYNAMIC if channels == DYNAMIC else channels // groups
        weight = value.with_dims((gradient.dims[axis], per_group, *self.kernel))
        check_groups(groups, weight)
        meet(value.dims[0], gradient.dims[0], f"the batch of input {value} and gradient {gradient}")
        result = convolve(value, weight, config.window(self.kernel), groups, config.layout)
        same_dims(result, gradient, "the result of the convolution", "gradient")
        return [weight]
