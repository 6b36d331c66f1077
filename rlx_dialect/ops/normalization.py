"""Normalisations. Statistics are summed in `accumulate`, by default in f32 or the operands' type if that is wider."""

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, UnitAttr, f64, i64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import Real
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, f64_attr, i64_attr
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    count,
    normalize_axis,
    require_epsilon,
    require_floats,
    require_rank,
    require_vector,
    require_weight,
    shaped,
)

LAST_AXIS = i64_attr(-1)


class NormOp(RlxOp):
    """
    A norm over one axis of length H with a gain `gamma` and a shift `beta`, both `[H]`.

    They have the element type of the input, or are f32 where that is narrower: `1 + w` of halves is no half.
    """

    input = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `,` $gamma `,` $beta `epsilon` `(` custom<Real>($epsilon) `)` (`axis` `(` $axis^ `)`)? "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        gamma: SSAValue,
        beta: SSAValue,
        epsilon: float = 1e-5,
        axis: int = -1,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gamma, beta],
            properties={"epsilon": f64_attr(epsilon), "axis": i64_attr(axis), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = shaped(self.input, "input")
        require_floats(value, "input")
        size = value.dims[normalize_axis(self.axis.value.data, value.rank)]
        require_weight(shaped(self.gamma, "gamma"), size, value, "gamma")
        require_weight(shaped(self.beta, "beta"), size, value, "beta")
        return [value]


@irdl_op_definition
class LayerNormOp(NormOp):
    """
    `(x - mean) / sqrt(var + epsilon) * gamma + beta` over `axis`, the last by default.

    `var` is the population variance, taken in two passes. Beside an input of halves, gamma and beta may be f32.
    """

    name = "rlx.layer_norm"


@irdl_op_definition
class RmsNormOp(NormOp):
    """
    `x / sqrt(mean(x^2) + epsilon) * gamma + beta` over `axis`, the last by default. The mean is not subtracted. Beside
    an input of halves, gamma and beta may be f32.

    With `flatten`, over the last axis only, the result is `[M, H]`: the rows of x one under the other.
    """

    name = "rlx.rms_norm"

    flatten = opt_prop_def(UnitAttr)
    assembly_format = (
        "$input `,` $gamma `,` $beta `epsilon` `(` custom<Real>($epsilon) `)` (`axis` `(` $axis^ `)`)? "
        "(`accumulate` `(` $accumulate^ `)`)? (`flatten` $flatten^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        gamma: SSAValue,
        beta: SSAValue,
        epsilon: float = 1e-5,
        axis: int = -1,
        *,
        accumulate: TypeAttribute | None = None,
        flatten: bool = False,
    ):
        super().__init__(input, gamma, beta, epsilon=epsilon, axis=axis, accumulate=accumulate)
        if flatten:
            self.flatten = UnitAttr()
            self.refine()

    def infer(self) -> Sequence[Shaped]:
        (value,) = super().infer()
        if self.flatten is None:
            return [value]
        if normalize_axis(self.axis.value.data, value.rank) != value.rank - 1:
            raise ShapeError(f"flatten needs the last axis, got axis {self.axis.value.data} of {value}")
        rows = count(value.dims[:-1])
        return [value.with_dims((DYNAMIC if rows is None else rows, value.dims[-1]))]


@irdl_op_definition
class SoftmaxOp(RlxOp):
    """
    `e^(x - max) / sum(e^(x - max))` over `axis`. A slice of -inf only gives NaN.

    Floats of rank 1 or more; an `axis` below 0 counts from the end.
    """

    name = "rlx.softmax"

    input = operand_def(SAME_TYPE)
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input (`axis` `(` $axis^ `)`)? (`accumulate` `(` $accumulate^ `)`)? attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, axis: int = -1, *, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[input], properties={"axis": i64_attr(axis), "accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_floats(value, "input")
        normalize_axis(self.axis.value.data, value.rank)
        return [value]


def check_groups(value: Shaped, groups: int) -> None:
    """Raises `ShapeError` unless dim 1 of `value` is known and falls into `groups` of equal size."""
    require_floats(value, "input")
    if value.rank < 2:
        raise ShapeError(f"input must have rank 2 or more, got {value}")
    if groups < 1 or value.dims[1] == DYNAMIC or value.dims[1] % groups:
        raise ShapeError(f"dim 1 of input must be known and a multiple of num_groups {groups}, got {value}")


@irdl_op_definition
class GroupNormOp(RlxOp):
    """
    `(x - mean) / sqrt(var + epsilon) * gamma + beta`, statistics over `num_groups` groups of channels per sample.

    input `[N, C, ..]` of floats, gamma and beta `[C]`; C is known and a multiple of `num_groups`. `var` is the
    population variance, taken in two passes. As ONNX GroupNormalization.
    """

    name = "rlx.group_norm"

    input = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    num_groups = prop_def(IntegerAttr.constr(i64))
    epsilon = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `,` $gamma `,` $beta `num_groups` `(` $num_groups `)` `epsilon` `(` custom<Real>($epsilon) `)` "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        gamma: SSAValue,
        beta: SSAValue,
        num_groups: int,
        epsilon: float = 1e-5,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gamma, beta],
            properties={
                "num_groups": i64_attr(num_groups),
                "epsilon": f64_attr(epsilon),
                "accumulate": accumulate,
            },
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = shaped(self.input, "input")
        check_groups(value, self.num_groups.value.data)
        for name, vector in (("gamma", self.gamma), ("beta", self.beta)):
            require_vector(shaped(vector, name), value.dims[1], value.element, name, "dim 1 of input")
        return [value]


@irdl_op_definition
class LayerNorm2dOp(RlxOp):
    """
    `rlx.layer_norm` over the channels of each pixel.

    input `[N, C, H, W]` of floats, gamma and beta `[C]`.
    """

    name = "rlx.layer_norm2d"

    input = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `,` $gamma `,` $beta `epsilon` `(` custom<Real>($epsilon) `)` (`accumulate` `(` $accumulate^ `)`)? "
        "attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        gamma: SSAValue,
        beta: SSAValue,
        epsilon: float = 1e-5,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gamma, beta],
            properties={"epsilon": f64_attr(epsilon), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = shaped(self.input, "input")
        require_floats(value, "input")
        require_rank(value, 4, "input")
        for name, vector in (("gamma", self.gamma), ("beta", self.beta)):
            require_vector(shaped(vector, name), value.dims[1], value.element, name)
        return [value]


@irdl_op_definition
class BatchNormInferenceOp(RlxOp):
    """
    `(x - mean) / sqrt(variance + epsilon) * gamma + beta` with statistics that are given.

    input of floats; gamma, beta, mean and variance are `[C]`, C being the dim of `axis`, the last by default. As ONNX
    BatchNormalization, whose axis is 1, outside of training.
    """

    name = "rlx.batch_norm_inference"

    input = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `,` $gamma `,` $beta `,` $mean `,` $variance `epsilon` `(` custom<Real>($epsilon) `)` "
        "(`axis` `(` $axis^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        gamma: SSAValue,
        beta: SSAValue,
        mean: SSAValue,
        variance: SSAValue,
        epsilon: float = 1e-5,
        axis: int = -1,
    ):
        super().__init__(
            operands=[input, gamma, beta, mean, variance],
            properties={"epsilon": f64_attr(epsilon), "axis": i64_attr(axis)},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = shaped(self.input, "input")
        require_floats(value, "input")
        size = value.dims[normalize_axis(self.axis.value.data, value.rank)]
        for name in ("gamma", "beta", "mean", "variance"):
            require_vector(shaped(getattr(self, name), name), size, value.element, name, "the dim of axis")
        return [value]
