"""Solvers of dense matrices."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Triangle
from rlx_dialect.constants import dense
from rlx_dialect.ops import CholeskyOp, TriangularSolveOp
from rlx_dialect.shapes import shaped
from rlx_passes.dialects.stablehlo import contraction as stable
from rlx_passes.dialects.stablehlo.attributes import Transpose
from rlx_passes.frontends.stablehlo.data_movement import transposed
from rlx_passes.frontends.stablehlo.vocabulary import Arithmetic, require_static
from rlx_passes.rewriting.conversion import Emitter, Rules


def _turned(emit: Emitter, value: SSAValue) -> SSAValue:
    """Matrices with rows and columns swapped."""
    rank = shaped(value).rank
    return transposed(emit, value, [*range(rank - 2), rank - 1, rank - 2])


def _cholesky(op: stable.CholeskyOp, emit: Emitter) -> SSAValue:
    """The upper factor of a matrix is the lower one of its transpose, transposed."""
    if op.lower is not None and op.lower.value.data:
        return emit(CholeskyOp(op.a))
    return _turned(emit, emit(CholeskyOp(_turned(emit, op.a))))


def _triangular_solve(op: stable.TriangularSolveOp, emit: Emitter) -> SSAValue:
    """`x a = b` is `a^T x^T = b^T`; an unread diagonal is one of ones. Of real numbers the adjoint is the transpose."""
    matrix, rhs = op.a, op.b
    if op.unit_diagonal.value.data:
        import numpy as np

        size = require_static(matrix).dims[-1]
        diagonal = emit(ConstantOp(dense(TensorType(i1, [size, size]), np.eye(size, dtype=np.bool_))))
        of = Arithmetic(emit, shaped(matrix).element)
        matrix = of.where(diagonal, 1.0, matrix)
    triangle = Triangle.LOWER if op.lower.value.data else Triangle.UPPER
    transpose = op.transpose_a.data in (Transpose.TRANSPOSE, Transpose.ADJOINT)
    if op.left_side.value.data:
        return emit(TriangularSolveOp(matrix, rhs, triangle=triangle, transpose=transpose))
    turned = emit(TriangularSolveOp(matrix, _turned(emit, rhs), triangle=triangle, transpose=not transpose))
    return _turned(emit, turned)


RULES: Rules = {stable.CholeskyOp: _cholesky, stable.TriangularSolveOp: _triangular_solve}
