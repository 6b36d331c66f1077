"""Contractions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, TensorType
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.ops.base import RlxOp, i64s
from rlx_dialect.shape_rules.contraction import dot_general, grouped_matmul, matmul
from rlx_dialect.shapes import Shaped, require_element, require_rank, shaped


@irdl_op_definition
class MatMulOp(RlxOp):
    """
    `lhs @ rhs`: `[.., M, K] x [.., K, N] -> [.., M, N]`, leading dims broadcast.

    Products are summed in `accumulate`; without it in f32, or in the operands' type where that is wider.
    """

    name = "rlx.matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs (`accumulate` `(` $accumulate^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, *, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[lhs, rhs], properties={"accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        return [matmul(shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs"))]


@irdl_op_definition
class DotGeneralOp(RlxOp):
    """
    The product of `lhs` and `rhs` summed over the contracting dims, for each index of the batch dims.

    Result dims: those of `lhs_batch` in order, then the free ones of lhs, then of rhs. Sums as `rlx.matmul`.
    """

    name = "rlx.dot_general"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    lhs_contracting = prop_def(DenseArrayBase.constr(I64))
    rhs_contracting = prop_def(DenseArrayBase.constr(I64))
    lhs_batch = prop_def(DenseArrayBase.constr(I64), default_value=i64s(()))
    rhs_batch = prop_def(DenseArrayBase.constr(I64), default_value=i64s(()))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `contracting` `(` $lhs_contracting `x` $rhs_contracting `)` "
        "(`batch` `(` $lhs_batch^ `x` $rhs_batch `)`)? (`accumulate` `(` $accumulate^ `)`)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        *,
        lhs_contracting: Sequence[int],
        rhs_contracting: Sequence[int],
        lhs_batch: Sequence[int] = (),
        rhs_batch: Sequence[int] = (),
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "lhs_contracting": i64s(lhs_contracting),
                "rhs_contracting": i64s(rhs_contracting),
                "lhs_batch": i64s(lhs_batch),
                "rhs_batch": i64s(rhs_batch),
                "accumulate": accumulate,
            },
        )

    def infer(self) -> Sequence[Shaped]:
        return [
            dot_general(
                shaped(self.lhs, "lhs"),
                shaped(self.rhs, "rhs"),
                self.lhs_contracting.get_values(),
                self.rhs_contracting.get_values(),
                self.lhs_batch.get_values(),
                self.rhs_batch.get_values(),
            )
        ]


@irdl_op_definition
class GroupedMatMulOp(RlxOp):
    """
    Each row times the matrix that its index picks: `result[.., n] = sum_k input[.., k] * weights[indices[..], k, n]`.

    input `[.., K]`, weights `[E, K, N]`, indices `[..]` of integers give `[.., N]`: the products of a mixture of
    experts. Sums as `rlx.matmul`. An index outside `[0, E)` is an error in the reference, undefined in compiled code.
    """

    name = "rlx.grouped_matmul"

    input = operand_def(TensorType)
    weights = operand_def(TensorType)
    indices = operand_def(TensorType)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `,` $weights `,` $indices (`accumulate` `(` $accumulate^ `)`)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self, input: SSAValue, weights: SSAValue, indices: SSAValue, *, accumulate: TypeAttribute | None = None
    ):
        super().__init__(operands=[input, weights, indices], properties={"accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        value, weights = shaped(self.input, "input"), shaped(self.weights, "weights")
        require_element(value.element, weights.element, "weights")
        return [grouped_matmul(value, weights, shaped(self.indices, "indices"))]


@irdl_op_definition
class BiMapOp(RlxOp):
    """
    `weight @ input @ weight^T`: `[.., N, N]` and `[M, N]` to `[.., M, M]`, which stays symmetric and positive
    semidefinite where input is.

    Both have one element type. Sums as `rlx.matmul`; what lies between the two products is not rounded.
    """

    name = "rlx.bi_map"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $weight attr-dict `:` functional-type(operands, results)"

    def __init__(self, input: SSAValue, weight: SSAValue):
        super().__init__(operands=[input, weight])

    def infer(self) -> Sequence[Shaped]:
        value, weight = shaped(self.input, "input"), shaped(self.weight, "weight")
        require_rank(weight, 2, "weight")
        half = matmul(weight, value, "weight", "input")
        turned = weight.with_dims((weight.dims[1], weight.dims[0]))
        return [matmul(half, turned, "weight @ input", "the transposed weight")]
