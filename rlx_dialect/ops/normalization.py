"""Normalisations. Statistics are summed in `accumulate`; without it in f32, or in the operands' type where that is wider."""

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import Real
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, f64_attr, i64_attr
from rlx_dialect.shapes import Shaped, normalize_axis, require_vector, shaped

LAST_AXIS = i64_attr(-1)


class NormOp(RlxOp):
    """A norm over one axis of length H with a gain `gamma` and a shift `beta`, both `[H]`."""

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
        *,
        epsilon: float,
        axis: int = -1,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, gamma, beta],
            properties={"epsilon": f64_attr(epsilon), "axis": i64_attr(axis), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        size = value.dims[normalize_axis(self.axis.value.data, value.rank)]
        require_vector(shaped(self.gamma, "gamma"), size, value.element, "gamma")
        require_vector(shaped(self.beta, "beta"), size, value.element, "beta")
        return [value]


@irdl_op_definition
class LayerNormOp(NormOp):
    """
    `(x - mean) / sqrt(var + epsilon) * gamma + beta` over `axis`, the last by default.

    `var` is the population variance, taken in two passes.
    """

    name = "rlx.layer_norm"


@irdl_op_definition
class RmsNormOp(NormOp):
    """`x / sqrt(mean(x^2) + epsilon) * gamma + beta` over `axis`, the last by default. The mean is not subtracted."""

    name = "rlx.rms_norm"


@irdl_op_definition
class SoftmaxOp(RlxOp):
    """`e^(x - max) / sum(e^(x - max))` over `axis`. A slice of -inf only gives NaN."""

    name = "rlx.softmax"

    input = operand_def(SAME_TYPE)
    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input (`axis` `(` $axis^ `)`)? (`accumulate` `(` $accumulate^ `)`)? attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, *, axis: int = -1, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[input], properties={"axis": i64_attr(axis), "accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        normalize_axis(self.axis.value.data, value.rank)
        return [value]
