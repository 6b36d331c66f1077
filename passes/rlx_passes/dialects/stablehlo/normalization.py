"""Batch normalisation, which JAX prints generically. `feature_index` is the channel dim; vectors are per channel."""

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f32, i64
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_passes.dialects.stablehlo.base import tensor


class BatchNormOp(IRDLOperation):
    """What the three ops have in common: `verify_` checks the channels."""

    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(f32))
    feature_index = prop_def(IntegerAttr.constr(i64))

    traits = traits_def(Pure())

    def verify_(self) -> None:
        operand, at = tensor(self.operand, self, "operand"), self.feature_index.value.data
        if not 0 <= at < operand.get_num_dims():
            raise VerifyException(f"{self.name}: feature_index {at} is no dim of {operand}")


@irdl_op_definition
class BatchNormInferenceOp(BatchNormOp):
    """`(operand - mean) / sqrt(variance + epsilon) * scale + offset`."""

    name = "stablehlo.batch_norm_inference"

    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    offset = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    result = result_def(TensorType)


@irdl_op_definition
class BatchNormTrainingOp(BatchNormOp):
    """The same by the operand's own mean and variance over all dims but the channels', which are results too."""

    name = "stablehlo.batch_norm_training"

    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    offset = operand_def(TensorType)
    output = result_def(TensorType)
    batch_mean = result_def(TensorType)
    batch_var = result_def(TensorType)


@irdl_op_definition
class BatchNormGradOp(BatchNormOp):
    """The gradients of `stablehlo.batch_norm_training` by operand, scale and offset."""

    name = "stablehlo.batch_norm_grad"

    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    grad_output = operand_def(TensorType)
    grad_operand = result_def(TensorType)
    grad_scale = result_def(TensorType)
    grad_offset = result_def(TensorType)


ALL_OPS = (BatchNormGradOp, BatchNormInferenceOp, BatchNormTrainingOp)
