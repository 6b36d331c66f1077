"""Linear algebra of dense float matrices, which lie on the last two axes; leading axes are batches."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import QrPart, SvdPart, Triangle, WordOf, word_of
from rlx_dialect.dims import smaller
from rlx_dialect.directives import Word
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, word
from rlx_dialect.shape_rules.windows import bounded
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    meet,
    require_element,
    require_floats,
    require_rank,
    shaped,
)


def require_matrix(value: Shaped, name: str) -> None:
    """Raises `ShapeError` unless `value` holds matrices of floats."""
    require_floats(value, name)
    if value.rank < 2:
        raise ShapeError(f"{name} must have rank 2 or more, got {value}")


def square(value: Shaped, name: str) -> int:
    """The number of rows and columns of square matrices."""
    require_matrix(value, name)
    return meet(value.dims[-2], value.dims[-1], f"the last two dims of {name} {value}")


def _smaller(a: int, b: int) -> int:
    return DYNAMIC if DYNAMIC in (a, b) else smaller(a, b)


def _packed(matrix: Shaped) -> Shaped:
    """Eigenvalues and eigenvectors of square matrices, one after the other."""
    size = square(matrix, "input")
    return matrix.with_dims((*matrix.dims[:-2], DYNAMIC if size == DYNAMIC else bounded(size + size * size)))


def _solution(matrix: Shaped, rhs: Shaped, *, vectors: bool) -> Shaped:
    """The unknown of `matrix @ unknown = rhs`; with `vectors` a rhs of one rank less than the matrix holds vectors."""
    size = square(matrix, "matrix")
    require_element(matrix.element, rhs.element, "rhs")
    axis = -2
    if vectors and rhs.rank == matrix.rank - 1:
        axis = -1
    else:
        require_rank(rhs, matrix.rank, "rhs")
    for i, (a, b) in enumerate(zip(matrix.dims[:-2], rhs.dims)):
        meet(a, b, f"dim {i} of matrix {matrix} and rhs {rhs}")
    meet(size, rhs.dims[axis], f"the rows of matrix {matrix} and of rhs {rhs}")
    return rhs


class SolveOp(RlxOp, ABC):
    """`matrix @ result = rhs`."""

    matrix = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$matrix `,` $rhs attr-dict `:` functional-type(operands, results)"

    def __init__(self, matrix: SSAValue, rhs: SSAValue):
        super().__init__(operands=[matrix, rhs])


@irdl_op_definition
class DenseSolveOp(SolveOp):
    """
    The solution of `matrix @ result = rhs`.

    matrix `[N, N]`, rhs `[N]` or `[N, K]`, result as rhs. A singular matrix gives infinities or NaN.
    """

    name = "rlx.dense_solve"

    def infer(self) -> Sequence[Shaped]:
        matrix = shaped(self.matrix, "matrix")
        require_rank(matrix, 2, "matrix")
        return [_solution(matrix, shaped(self.rhs, "rhs"), vectors=True)]


@irdl_op_definition
class BatchedDenseSolveOp(SolveOp):
    """
    The solution of `matrix @ result = rhs` for each entry of a batch.

    matrix `[.., N, N]`, rhs `[.., N]` or `[.., N, K]` with the same leading dims, result as rhs. A singular matrix
    gives infinities or NaN.
    """

    name = "rlx.batched_dense_solve"

    def infer(self) -> Sequence[Shaped]:
        return [_solution(shaped(self.matrix, "matrix"), shaped(self.rhs, "rhs"), vectors=True)]


@irdl_op_definition
class TriangularSolveOp(RlxOp):
    """
    The solution of `triangle(matrix) @ result = rhs`, or of `triangle(matrix)^T @ result = rhs` with `transpose`.

    matrix `[.., N, N]`, of which only the named triangle, with its diagonal, is read; rhs `[.., N, K]` with the same
    leading dims; result as rhs. A zero on the diagonal gives infinities or NaN, and so may an infinity or a NaN
    anywhere in the matrix.
    """

    name = "rlx.triangular_solve"

    matrix = operand_def(TensorType)
    rhs = operand_def(TensorType)
    triangle = prop_def(WordOf(Triangle))
    transpose = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "custom<Word>($triangle) $matrix `,` $rhs (`transpose` $transpose^)? "
        "attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self, matrix: SSAValue, rhs: SSAValue, triangle: Triangle = Triangle.LOWER, *, transpose: bool = False
    ):
        super().__init__(
            operands=[matrix, rhs],
            properties={"triangle": word(triangle), "transpose": UnitAttr() if transpose else None},
        )

    @property
    def part(self) -> Triangle:
        return word_of(self.triangle, Triangle)

    def infer(self) -> Sequence[Shaped]:
        return [_solution(shaped(self.matrix, "matrix"), shaped(self.rhs, "rhs"), vectors=False)]


@irdl_op_definition
class CholeskyOp(RlxOp):
    """
    The lower triangular L with positive diagonal and `L @ L^T = input`; zero above the diagonal.

    input `[.., N, N]` is symmetric, only its lower triangle is read. NaN where a matrix is not positive definite.
    """

    name = "rlx.cholesky"

    input = operand_def(SAME_TYPE)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input])

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        square(value, "input")
        return [value]


class MatrixOp(RlxOp, ABC):
    """An op on matrices whose result has another shape."""

    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input])


class DeterminantOp(MatrixOp, ABC):
    """A number for each matrix: `[.., N, N]` to `[..]`."""

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        square(value, "input")
        return [value.with_dims(value.dims[:-2])]


@irdl_op_definition
class DetOp(DeterminantOp):
    """The determinant of each matrix, `[.., N, N]` to `[..]`; 1 for an empty one, maybe NaN for infinities."""

    name = "rlx.det"


@irdl_op_definition
class LogDetOp(DeterminantOp):
    """
    The logarithm of each matrix's determinant, `[.., N, N]` to `[..]`: -inf where it is zero, NaN where negative, and
    maybe NaN for infinities.
    """

    name = "rlx.log_det"


@irdl_op_definition
class SvdOp(RlxOp):
    """
    One factor of the reduced `input = U @ diag(S) @ Vt`; input `[.., M, N]`, K the smaller of M and N.

    `u` `[.., M, K]` and `vt` `[.., K, N]` have orthonormal columns and rows, `s` `[.., K]` falls and is not negative.
    The element of largest magnitude of each column of U, the first of several, is positive.
    """

    name = "rlx.svd"

    part = prop_def(WordOf(SvdPart))
    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = "custom<Word>($part) $input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, part: SvdPart, input: SSAValue):
        super().__init__(operands=[input], properties={"part": word(part)})

    @property
    def factor(self) -> SvdPart:
        return word_of(self.part, SvdPart)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_matrix(value, "input")
        *batch, rows, columns = value.dims
        rank = _smaller(rows, columns)
        tail = {SvdPart.U: (rows, rank), SvdPart.S: (rank,), SvdPart.VT: (rank, columns)}[self.factor]
        return [value.with_dims((*batch, *tail))]


@irdl_op_definition
class QrOp(RlxOp):
    """
    One factor of the reduced `input = Q @ R`; input `[.., M, N]`, K the smaller of M and N.

    `q` `[.., M, K]` has orthonormal columns, `r` `[.., K, N]` is upper triangular with a diagonal that is not negative.
    A column that depends on those before it leaves open what its column of `q` is.
    """

    name = "rlx.qr"

    part = prop_def(WordOf(QrPart))
    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = "custom<Word>($part) $input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, part: QrPart, input: SSAValue):
        super().__init__(operands=[input], properties={"part": word(part)})

    @property
    def factor(self) -> QrPart:
        return word_of(self.part, QrPart)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_matrix(value, "input")
        *batch, rows, columns = value.dims
        rank = _smaller(rows, columns)
        return [value.with_dims((*batch, *((rows, rank) if self.factor is QrPart.Q else (rank, columns))))]


@irdl_op_definition
class EighOp(MatrixOp):
    """
    Eigenvalues, then eigenvectors, of the symmetric `(input + input^T) / 2`: `[.., N, N]` to `[.., N + N * N]`.

    The N eigenvalues rise; the N * N numbers after them are the matrix whose columns are the eigenvectors, row by row.
    These are orthonormal, and the element of largest magnitude of each, the first of several, is positive.
    """

    name = "rlx.eigh"

    def infer(self) -> Sequence[Shaped]:
        return [_packed(shaped(self.input, "input"))]


@irdl_op_definition
class EighBackwardOp(RlxOp):
    """
    The gradient of `rlx.eigh` by its input, given the gradient of its result; symmetric.

    `U (diag(dl) + F * (U^T dU)) U^T` with `F[i, j] = 1 / (l[j] - l[i])`, 0 on the diagonal and for equal eigenvalues.
    """

    name = "rlx.eigh_backward"

    input = operand_def(SAME_TYPE)
    gradient = operand_def(TensorType)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $gradient attr-dict `:` type($input) `,` type($gradient)"

    def __init__(self, input: SSAValue, gradient: SSAValue):
        super().__init__(operands=[input, gradient])

    def infer(self) -> Sequence[Shaped]:
        value, gradient = shaped(self.input, "input"), shaped(self.gradient, "gradient")
        packed = _packed(value)
        require_element(packed.element, gradient.element, "gradient")
        require_rank(gradient, packed.rank, "gradient")
        for i, (a, b) in enumerate(zip(packed.dims, gradient.dims)):
            meet(a, b, f"dim {i} of the eigenvalues and vectors {packed} and of gradient {gradient}")
        return [value]
