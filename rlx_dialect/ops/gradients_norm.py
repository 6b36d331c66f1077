"""Gradients of the norms. `gradient` is that of the norm's result; statistics as the norm itself has them."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import Real
from rlx_dialect.ops.base import RlxOp, f64_attr, i64_attr
from rlx_dialect.ops.gradients_elementwise import gradient_of
from rlx_dialect.ops.normalization import LAST_AXIS, check_groups
from rlx_dialect.shapes import Shaped, normalize_axis, require_epsilon, require_floats, require_vector, shaped

_AXIS = "(`axis` `(` $axis^ `)`)? "
_ACCUMULATE = "(`accumulate` `(` $accumulate^ `)`)? "
_EPSILON = "`epsilon` `(` custom<Real>($epsilon) `)` "
_GROUPS = "`num_groups` `(` $num_groups `)` "
_TYPES = "attr-dict `:` functional-type(operands, results)"


class NormInputGradientOp(RlxOp, ABC):
    """The gradient of a norm over `axis` by its input; gamma is `[H]`, the result has the input's dims."""

    input = operand_def(TensorType)
    gamma = operand_def(TensorType)
    gradient = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = "$input `,` $gamma `,` $gradient " + _EPSILON + _AXIS + _ACCUMULATE + _TYPES

    def __init__(
        self,
        input: SSAValue,
        gamma: SSAValue,
        gradient: SSAValue,
        epsilon: float = 1e-5,
        axis: int = -1,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gamma, gradient],
            properties={"epsilon": f64_attr(epsilon), "axis": i64_attr(axis), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = gradient_of(self.input, self.gradient)
        size = value.dims[normalize_axis(self.axis.value.data, value.rank)]
        require_vector(shaped(self.gamma, "gamma"), size, value.element, "gamma")
        return [value]


class NormGammaGradientOp(RlxOp, ABC):
    """The gradient of a norm over `axis` by its gain, `[H]`: summed over all other axes."""

    input = operand_def(TensorType)
    gradient = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = "$input `,` $gradient " + _EPSILON + _AXIS + _ACCUMULATE + _TYPES

    def __init__(
        self,
        input: SSAValue,
        gradient: SSAValue,
        epsilon: float = 1e-5,
        axis: int = -1,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gradient],
            properties={"epsilon": f64_attr(epsilon), "axis": i64_attr(axis), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = gradient_of(self.input, self.gradient)
        return [value.with_dims((value.dims[normalize_axis(self.axis.value.data, value.rank)],))]


class NormBetaGradientOp(RlxOp, ABC):
    """The gradient of a norm by its shift: `gradient` summed over all axes but `axis`."""

    gradient = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$gradient " + _AXIS + _ACCUMULATE + "attr-dict `:` type($gradient) `->` type($result)"

    def __init__(self, gradient: SSAValue, axis: int = -1, *, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[gradient], properties={"axis": i64_attr(axis), "accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.gradient, "gradient")
        require_floats(value, "gradient")
        return [value.with_dims((value.dims[normalize_axis(self.axis.value.data, value.rank, "gradient")],))]


@irdl_op_definition
class LayerNormBackwardInputOp(NormInputGradientOp):
    """
    The gradient of `rlx.layer_norm` by its input: with n the normalised input, d its deviation and
    `g = gradient * gamma`, `(g - mean(g) - n * mean(g * n)) / d`.
    """

    name = "rlx.layer_norm_backward_input"


@irdl_op_definition
class LayerNormBackwardGammaOp(NormGammaGradientOp):
    """The gradient of `rlx.layer_norm` by gamma: `gradient * n` summed over all axes but `axis`, n the plain norm."""

    name = "rlx.layer_norm_backward_gamma"


@irdl_op_definition
class RmsNormBackwardInputOp(NormInputGradientOp):
    """
    The gradient of `rlx.rms_norm` by its input: with r the root of the mean square, `n = input / r` and
    `g = gradient * gamma`, `(g - n * mean(g * n)) / r`.
    """

    name = "rlx.rms_norm_backward_input"


@irdl_op_definition
class RmsNormBackwardGammaOp(NormGammaGradientOp):
    """The gradient of `rlx.rms_norm` by gamma: `gradient * n` summed over all axes but `axis`, n the plain norm."""

    name = "rlx.rms_norm_backward_gamma"


@irdl_op_definition
class RmsNormBackwardBetaOp(NormBetaGradientOp):
    """The gradient of `rlx.rms_norm` by beta: the sum of `gradient` over all axes but `axis`."""

    name = "rlx.rms_norm_backward_beta"


@irdl_op_definition
class GroupNormBackwardInputOp(RlxOp):
    """The gradient of `rlx.group_norm` by its input `[N, C, ..]`: a layer norm's per group, gamma `[C]` by channel."""

    name = "rlx.group_norm_backward_input"

    input = operand_def(TensorType)
    gamma = operand_def(TensorType)
    gradient = operand_def(TensorType)
    num_groups = prop_def(IntegerAttr.constr(i64))
    epsilon = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = "$input `,` $gamma `,` $gradient " + _GROUPS + _EPSILON + _ACCUMULATE + _TYPES

    def __init__(
        self,
        input: SSAValue,
        gamma: SSAValue,
        gradient: SSAValue,
        num_groups: int,
        epsilon: float = 1e-5,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gamma, gradient],
            properties={"num_groups": i64_attr(num_groups), "epsilon": f64_attr(epsilon), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = gradient_of(self.input, self.gradient)
        check_groups(value, self.num_groups.value.data)
        require_vector(shaped(self.gamma, "gamma"), value.dims[1], value.element, "gamma", "dim 1 of input")
        return [value]


@irdl_op_definition
class GroupNormBackwardGammaOp(RlxOp):
    """The gradient of `rlx.group_norm` by gamma `[C]`: `gradient * n` summed over all axes but 1, n the plain norm."""

    name = "rlx.group_norm_backward_gamma"

    input = operand_def(TensorType)
    gradient = operand_def(TensorType)
    num_groups = prop_def(IntegerAttr.constr(i64))
    epsilon = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = "$input `,` $gradient " + _GROUPS + _EPSILON + _ACCUMULATE + _TYPES

    def __init__(
        self,
        input: SSAValue,
        gradient: SSAValue,
        num_groups: int,
        epsilon: float = 1e-5,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gradient],
            properties={"num_groups": i64_attr(num_groups), "epsilon": f64_attr(epsilon), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = gradient_of(self.input, self.gradient)
        check_groups(value, self.num_groups.value.data)
        return [value.with_dims((value.dims[1],))]


@irdl_op_definition
class GroupNormBackwardBetaOp(RlxOp):
    """The gradient of `rlx.group_norm` by beta `[C]`: the sum of `gradient` `[N, C, ..]` over all axes but 1."""

    name = "rlx.group_norm_backward_beta"

    gradient = operand_def(TensorType)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$gradient " + _ACCUMULATE + "attr-dict `:` type($gradient) `->` type($result)"

    def __init__(self, gradient: SSAValue, *, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[gradient], properties={"accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.gradient, "gradient")
        require_floats(value, "gradient")
        return [value.with_dims((value.dims[normalize_axis(1, value.rank, "gradient")],))]


@irdl_op_definition
class BatchNormInferenceBackwardInputOp(RlxOp):
    """The gradient of `rlx.batch_norm_inference` by its input: `gradient * gamma / sqrt(variance + epsilon)`."""

    name = "rlx.batch_norm_inference_backward_input"

    gamma = operand_def(TensorType)
    variance = operand_def(TensorType)
    gradient = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = "$gamma `,` $variance `,` $gradient " + _EPSILON + _AXIS + _TYPES

    def __init__(self, gamma: SSAValue, variance: SSAValue, gradient: SSAValue, epsilon: float = 1e-5, axis: int = -1):
        super().__init__(
            operands=[gamma, variance, gradient],
            properties={"epsilon": f64_attr(epsilon), "axis": i64_attr(axis)},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = shaped(self.gradient, "gradient")
        require_floats(value, "gradient")
        size = value.dims[normalize_axis(self.axis.value.data, value.rank, "gradient")]
        for name, vector in (("gamma", self.gamma), ("variance", self.variance)):
            require_vector(shaped(vector, name), size, value.element, name, "the dim of axis")
        return [value]


@irdl_op_definition
class BatchNormInferenceBackwardGammaOp(RlxOp):
    """
    The gradient of `rlx.batch_norm_inference` by gamma: the sum of
    `gradient * (input - mean) / sqrt(variance + epsilon)` over all axes but `axis`.
    """

    name = "rlx.batch_norm_inference_backward_gamma"

    input = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    gradient = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f64))
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = "$input `,` $mean `,` $variance `,` $gradient " + _EPSILON + _AXIS + _ACCUMULATE + _TYPES

    def __init__(
        self,
        input: SSAValue,
        mean: SSAValue,
        variance: SSAValue,
        gradient: SSAValue,
        epsilon: float = 1e-5,
        axis: int = -1,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, mean, variance, gradient],
            properties={"epsilon": f64_attr(epsilon), "axis": i64_attr(axis), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = gradient_of(self.input, self.gradient)
        size = value.dims[normalize_axis(self.axis.value.data, value.rank)]
        for name, vector in (("mean", self.mean), ("variance", self.variance)):
            require_vector(shaped(vector, name), size, value.element, name, "the dim of axis")
        return [value.with_dims((size,))]


@irdl_op_definition
class BatchNormInferenceBackwardBetaOp(NormBetaGradientOp):
    """The gradient of `rlx.batch_norm_inference` by beta: the sum of `gradient` over all axes but `axis`."""

    name = "rlx.batch_norm_inference_backward_beta"
