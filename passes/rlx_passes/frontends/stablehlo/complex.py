"""Complex numbers and Fourier transforms."""

from xdsl.ir import SSAValue, Use

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, FftNorm
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    ComplexNormSqOp,
    ComplexOp,
    ConjugateOp,
    FftOp,
    ImagOp,
    IrfftOp,
    RealOp,
    RfftOp,
)
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import chlo, contraction
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.dialects.stablehlo.attributes import FftType
from rlx_passes.dialects.stablehlo.base import is_complex
from rlx_passes.frontends.stablehlo.data_movement import transposed
from rlx_passes.frontends.stablehlo.elementwise import binary_kind
from rlx_passes.frontends.stablehlo.vocabulary import Arithmetic, require_static
from rlx_passes.rewriting.conversion import Emitter, Rules

NORM = FftNorm.BY_N_ON_INVERSE
"""The scaling of StableHLO's transforms."""


def _complex(op: binary.ComplexOp, emit: Emitter) -> SSAValue:
    return emit(ComplexOp(op.lhs, op.rhs))


def _part(op: unary.RealOp | unary.ImagOp, emit: Emitter) -> SSAValue:
    """A real number is its own real part and has none that is imaginary."""
    first = isinstance(op, unary.RealOp)
    if is_complex(op.operand.type):
        return emit(RealOp(op.operand) if first else ImagOp(op.operand))
    if first:
        return op.operand
    of = Arithmetic(emit, shaped(op.operand).element)
    return of(BinaryKind.MUL, op.operand, 0.0)


def _abs(op: unary.AbsOp, emit: Emitter) -> SSAValue:
    """
    `large * sqrt(1 + (small / large)^2)` of the two parts' magnitudes: the sum of their squares would overflow for
    numbers whose magnitude does not. An infinite part makes the magnitude infinite, whatever the other is. Where
    nothing but its square is read, that sum is what is wanted.
    """
    if not is_complex(op.operand.type):
        return emit(ActivationOp(Activation.ABS, op.operand))
    uses = list(op.result.uses)
    if uses and all(map(_squares, uses)):
        return emit(ActivationOp(Activation.SQRT, emit(ComplexNormSqOp(op.operand))))
    of = Arithmetic(emit, shaped(op.result).element)
    real, imag = (of(Activation.ABS, emit(part(op.operand))) for part in (RealOp, ImagOp))
    large, small = of(BinaryKind.MAX, real, imag), of(BinaryKind.MIN, real, imag)
    ratio = of(BinaryKind.DIV, small, large)
    root = of(Activation.SQRT, of(BinaryKind.ADD, 1.0, of(BinaryKind.MUL, ratio, ratio)))
    found = of.where(of(CompareKind.EQ, large, 0.0), large, of(BinaryKind.MUL, large, root))
    infinite = emit(
        BinaryOp(
            BinaryKind.BIT_OR,
            of(CompareKind.EQ, real, float("inf")),
            of(CompareKind.EQ, imag, float("inf")),
        )
    )
    return of.where(infinite, float("inf"), found)


def _squares(use: Use) -> bool:
    """Whether this is a reader that multiplies the value by itself."""
    reader = use.operation
    return isinstance(reader, chlo.SquareOp) or (isinstance(reader, binary.MultiplyOp) and reader.lhs is reader.rhs)


def _multiply(op: binary.MultiplyOp, emit: Emitter) -> SSAValue:
    if op.lhs is op.rhs and (square := _squared_magnitude(op.lhs)) is not None:
        return square
    return emit(BinaryOp(binary_kind(binary.MultiplyOp, shaped(op.lhs).element), op.lhs, op.rhs))


def _square(op: chlo.SquareOp, emit: Emitter) -> SSAValue:
    square = _squared_magnitude(op.operand)
    return emit(BinaryOp(BinaryKind.MUL, op.operand, op.operand)) if square is None else square


def _squared_magnitude(value: SSAValue) -> SSAValue | None:
    """What `_abs` took the root of."""
    root = value.owner
    if not isinstance(root, ActivationOp) or root.activation is not Activation.SQRT:
        return None
    return root.input if isinstance(root.input.owner, ComplexNormSqOp) else None


def _conj(op: chlo.ConjOp, emit: Emitter) -> SSAValue:
    return emit(ConjugateOp(op.operand)) if is_complex(op.operand.type) else op.operand


def _fft(op: contraction.FftOp, emit: Emitter) -> SSAValue:
    """One dim after the other: the real signal's comes first on the way to the spectrum, and last on the way back."""
    kind, length = op.fft_type.data, op.fft_length.get_values()
    rank, source = shaped(op.operand).rank, require_static(op.operand).dims
    result = require_static(op.result).dims
    if 0 in length or 0 in source:
        raise Refusal("transforms no elements")
    given = result if kind is FftType.IRFFT else source
    if not length or given[rank - len(length) :] != tuple(length):
        raise Refusal(f"transforms {list(length)} points of {shaped(op.operand)}")
    value, others = op.operand, range(rank - len(length), rank - 1)
    if kind is FftType.RFFT:
        value = emit(RfftOp(value, norm=NORM))
    if kind in (FftType.FFT, FftType.IFFT):
        value = emit(FftOp(value, inverse=kind is FftType.IFFT, norm=NORM))
    for axis in others:
        value = _along(emit, value, axis, inverse=kind in (FftType.IFFT, FftType.IRFFT))
    return emit(IrfftOp(value, length[-1], norm=NORM)) if kind is FftType.IRFFT else value


def _along(emit: Emitter, value: SSAValue, axis: int, *, inverse: bool) -> SSAValue:
    """The transform along an axis that is not the last."""
    order = list(range(shaped(value).rank))
    order[axis], order[-1] = order[-1], order[axis]
    return transposed(emit, emit(FftOp(transposed(emit, value, order), inverse=inverse, norm=NORM)), order)


RULES: Rules = {
    binary.ComplexOp: _complex,
    binary.MultiplyOp: _multiply,
    chlo.ConjOp: _conj,
    chlo.SquareOp: _square,
    contraction.FftOp: _fft,
    unary.AbsOp: _abs,
    unary.ImagOp: _part,
    unary.RealOp: _part,
}
