"""Products, convolutions, Fourier transforms and solvers."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DenseIntOrFPElementsAttr, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_passes.frontend.stablehlo.attributes import (
    ConvAttr,
    ConvDimensionNumbers,
    DotAttr,
    DotDimensionNumbers,
    FftType,
    FftTypeAttr,
    Precision,
    PrecisionAttr,
    TransposeAttr,
)
from rlx_passes.frontend.stablehlo.base import I1_ARRAY, I64_ARRAY, T, flags, ints, tensor


def precisions(precision: Precision) -> ArrayAttr[PrecisionAttr]:
    """One precision for both operands."""
    return ArrayAttr([PrecisionAttr(precision)] * 2)


@irdl_op_definition
class DotGeneralOp(IRDLOperation):
    """The product of both sides summed over the contracting dims, for each index of the batch dims."""

    name = "stablehlo.dot_general"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    dot_dimension_numbers = prop_def(DotAttr)
    precision_config = opt_prop_def(BaseAttr(ArrayAttr))
    algorithm = opt_prop_def()
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        numbers: DotDimensionNumbers,
        result_type: Attribute,
        precision: Precision = Precision.DEFAULT,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={"dot_dimension_numbers": DotAttr(numbers), "precision_config": precisions(precision)},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        lhs, rhs = tensor(self.lhs, self, "lhs"), tensor(self.rhs, self, "rhs")
        numbers = self.dot_dimension_numbers.data
        left = (*numbers.lhs_batching_dimensions, *numbers.lhs_contracting_dimensions)
        right = (*numbers.rhs_batching_dimensions, *numbers.rhs_contracting_dimensions)
        if len(numbers.lhs_batching_dimensions) != len(numbers.rhs_batching_dimensions) or len(left) != len(right):
            raise VerifyException(f"{self.name}: both sides need as many batching and contracting dims")
        for name, dims, type in (("lhs", left, lhs), ("rhs", right, rhs)):
            if len(set(dims)) != len(dims) or not all(0 <= d < type.get_num_dims() for d in dims):
                raise VerifyException(f"{self.name}: the dims {list(dims)} of {name} are not distinct dims of {type}")


@irdl_op_definition
class ConvolutionOp(IRDLOperation):
    """A window of `rhs` moved over `lhs`; what each dim is says `dimension_numbers`."""

    name = "stablehlo.convolution"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    window_strides = opt_prop_def(I64_ARRAY)
    padding = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    lhs_dilation = opt_prop_def(I64_ARRAY)
    rhs_dilation = opt_prop_def(I64_ARRAY)
    window_reversal = opt_prop_def(I1_ARRAY)
    dimension_numbers = prop_def(ConvAttr)
    feature_group_count = prop_def(IntegerAttr.constr(i64))
    batch_group_count = prop_def(IntegerAttr.constr(i64))
    precision_config = opt_prop_def(BaseAttr(ArrayAttr))
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        numbers: ConvDimensionNumbers,
        result_type: Attribute,
        *,
        strides: Sequence[int],
        padding: Sequence[tuple[int, int]],
        lhs_dilation: Sequence[int],
        rhs_dilation: Sequence[int],
        window_reversal: Sequence[bool],
        feature_group_count: int = 1,
        precision: Precision = Precision.DEFAULT,
    ):
        edges = [edge for pair in padding for edge in pair]
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "window_strides": ints(strides),
                "padding": DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(padding), 2]), edges),
                "lhs_dilation": ints(lhs_dilation),
                "rhs_dilation": ints(rhs_dilation),
                "window_reversal": flags(window_reversal),
                "dimension_numbers": ConvAttr(numbers),
                "feature_group_count": IntegerAttr(feature_group_count, i64),
                "batch_group_count": IntegerAttr(1, i64),
                "precision_config": precisions(precision),
            },
            result_types=[result_type],
        )


@irdl_op_definition
class FftOp(IRDLOperation):
    """A Fourier transform over the last `len(fft_length)` dims."""

    name = "stablehlo.fft"

    operand = operand_def(TensorType)
    fft_type = prop_def(FftTypeAttr)
    fft_length = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, kind: FftType, length: Sequence[int], result_type: Attribute):
        super().__init__(
            operands=[operand],
            properties={"fft_type": FftTypeAttr(kind), "fft_length": ints(length)},
            result_types=[result_type],
        )


@irdl_op_definition
class CholeskyOp(IRDLOperation):
    """The triangular factor of a positive definite matrix."""

    name = "stablehlo.cholesky"

    a = operand_def(T)
    lower = opt_prop_def(BaseAttr(IntegerAttr))
    result = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, a: SSAValue, *, lower: bool = True):
        super().__init__(operands=[a], properties={"lower": BoolAttr.from_bool(lower)}, result_types=[a.type])


@irdl_op_definition
class TriangularSolveOp(IRDLOperation):
    """The solution of a system with a triangular matrix."""

    name = "stablehlo.triangular_solve"

    a = operand_def(TensorType)
    b = operand_def(T)
    left_side = prop_def(BaseAttr(IntegerAttr))
    lower = prop_def(BaseAttr(IntegerAttr))
    unit_diagonal = prop_def(BaseAttr(IntegerAttr))
    transpose_a = prop_def(TransposeAttr)
    result = result_def(T)

    traits = traits_def(Pure())


ALL_OPS = (CholeskyOp, ConvolutionOp, DotGeneralOp, FftOp, TriangularSolveOp)
