"""
Fourier transforms of the last axis, and what is read off a spectrum.

A spectrum of N points is complex, or floats in *blocks*: a last axis of 2N, the N real parts, then the imaginary ones.
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, f32, f64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import FftNorm, WordOf, word_of
from rlx_dialect.directives import IntOrWord, Word
from rlx_dialect.dtypes import DTYPES
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, i64_attr, word
from rlx_dialect.relations import can_be
from rlx_dialect.shape_rules.windows import bounded
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    meet,
    require_element,
    require_floats,
    require_rank,
    same,
    shaped,
)

C64 = DTYPES["c64"].type


def points_of(value: Shaped, name: str) -> int:
    """The number of points of a spectrum; `DYNAMIC` where it is not known."""
    if value.rank == 0:
        raise ShapeError(f"{name} must have rank 1 or more, got {value}")
    size = value.dims[-1]
    if value.element == C64 or size == DYNAMIC:
        return size
    if not can_be(size, "a multiple of", 2):
        raise ShapeError(f"the last dim of {name}, real parts and imaginary parts, must be even, got {value}")
    return size // 2


def _bins(points: int) -> int:
    """How many bins of the spectrum of a real signal say all."""
    return DYNAMIC if points == DYNAMIC else points // 2 + 1


@irdl_op_definition
class FftOp(RlxOp):
    """
    `result[k] = scale * sum_n input[n] e^(-2 pi i n k / N)` along the last axis; `inverse` takes `+` in the exponent.

    N is arbitrary. input is c64, or f32 or f64 in blocks; the result has its type. The scale is what `norm` says.
    """

    name = "rlx.fft"

    input = operand_def(SAME_TYPE)
    inverse = opt_prop_def(UnitAttr)
    norm = prop_def(WordOf(FftNorm))
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = "$input (`inverse` $inverse^)? `norm` `(` custom<Word>($norm) `)` attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, *, inverse: bool = False, norm: FftNorm = FftNorm.NONE):
        super().__init__(operands=[input], properties={"inverse": UnitAttr() if inverse else None, "norm": word(norm)})

    @property
    def scaling(self) -> FftNorm:
        return word_of(self.norm, FftNorm)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        if value.element not in (C64, f32, f64):
            raise ShapeError(f"input must have element type f32, f64 or complex<f32>, got {value}")
        points_of(value, "input")
        return [value]


class RealFftOp(RlxOp, ABC):
    """A transform between a real signal and the half of its spectrum that says all."""

    input = operand_def(TensorType)
    norm = prop_def(WordOf(FftNorm))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, IntOrWord)

    @property
    def scaling(self) -> FftNorm:
        return word_of(self.norm, FftNorm)


@irdl_op_definition
class RfftOp(RealFftOp):
    """The first `N / 2 + 1` bins of the spectrum of a real signal: f32 `[.., N]` to c64 `[.., N / 2 + 1]`."""

    name = "rlx.rfft"

    assembly_format = "$input `norm` `(` custom<Word>($norm) `)` attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, norm: FftNorm = FftNorm.BY_N_ON_INVERSE):
        super().__init__(operands=[input], properties={"norm": word(norm)})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_element(f32, value.element, "input")
        if value.rank == 0:
            raise ShapeError(f"input must have rank 1 or more, got {value}")
        if value.dims[-1] == 0:
            raise ShapeError(f"the last dim of input must not be empty, got {value}")
        return [Shaped((*value.dims[:-1], _bins(value.dims[-1])), C64)]


@irdl_op_definition
class IrfftOp(RealFftOp):
    """
    The real signal of `length` points with these first bins: c64 `[.., length / 2 + 1]` to f32 `[.., length]`.

    The bins beyond are the conjugates of the given ones; imaginary parts that a real signal cannot have, of bin 0 and
    of the middle one of an even length, are not read.
    """

    name = "rlx.irfft"

    length = prop_def(IntegerAttr)

    assembly_format = (
        "$input `length` `(` custom<IntOrWord>($length) `)` `norm` `(` custom<Word>($norm) `)` "
        "attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(self, input: SSAValue, length: int, norm: FftNorm = FftNorm.BY_N_ON_INVERSE):
        super().__init__(operands=[input], properties={"norm": word(norm), "length": i64_attr(length)})

    def infer(self) -> Sequence[Shaped]:
        value, length = shaped(self.input, "input"), self.length.value.data
        require_element(C64, value.element, "input")
        if length < 1:
            raise ShapeError(f"length must be 1 or more, got {length}")
        if value.rank == 0:
            raise ShapeError(f"input must have rank 1 or more, got {value}")
        meet(value.dims[-1], _bins(length), f"the last dim of input {value} and the bins of {length} points")
        return [Shaped((*value.dims[:-1], length), f32)]


@irdl_op_definition
class WelchPeaksOp(RlxOp):
    """
    The `k` strongest bins of the mean power of `n_segments` consecutive spectra, as pairs of bin number and power.

    input f32 `[B * n_segments, 2N]` in blocks gives f32 `[B, 2k]`. The power of bin i of the first `N / 2 + 1` is the
    mean of `w (re^2 + im^2)`, w 1 for the first and the last bin and 2 between; equal powers come in the order of their
    bins, NaN before all, and where k exceeds the bins the rest is zero.
    """

    name = "rlx.welch_peaks"

    input = operand_def(TensorType)
    k = prop_def(IntegerAttr)
    n_segments = prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (IntOrWord,)
    assembly_format = (
        "$input `k` `(` custom<IntOrWord>($k) `)` `n_segments` `(` custom<IntOrWord>($n_segments) `)` "
        "attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(self, spectrum: SSAValue, *, k: int, n_segments: int):
        super().__init__(operands=[spectrum], properties={"k": i64_attr(k), "n_segments": i64_attr(n_segments)})

    def infer(self) -> Sequence[Shaped]:
        value, k, segments = shaped(self.input, "input"), self.k.value.data, self.n_segments.value.data
        require_element(f32, value.element, "input")
        require_rank(value, 2, "input")
        if k < 1 or segments < 1:
            raise ShapeError(f"k and n_segments must be 1 or more, got {k} and {segments}")
        if not can_be(points_of(value, "input"), "at least", 1):
            raise ShapeError(f"the last dim of input must not be empty, got {value}")
        rows = value.dims[0]
        if not can_be(rows, "a multiple of", segments):
            raise ShapeError(f"dim 0 of input {value} must be a multiple of n_segments {segments}")
        return [value.with_dims((DYNAMIC if rows == DYNAMIC else rows // segments, bounded(2 * k)))]


def _log_mel(spectrum: Shaped, filters: Shaped) -> Shaped:
    """What `rlx.log_mel` gives."""
    require_floats(spectrum, "spectrum")
    require_element(spectrum.element, filters.element, "filters")
    require_rank(filters, 2, "filters")
    if spectrum.rank < 2:
        raise ShapeError(f"spectrum must have rank 2 or more, got {spectrum}")
    bins = _bins(points_of(spectrum, "spectrum"))
    meet(filters.dims[1], bins, f"dim 1 of filters {filters} and the bins of spectrum {spectrum}")
    return spectrum.with_dims((*spectrum.dims[:-2], filters.dims[0], spectrum.dims[-2]))


@irdl_op_definition
class LogMelOp(RlxOp):
    """
    The log-mel features that Whisper reads: `(max(l, max(l) - 8) + 4) / 4` with
    `l = log10(max(filters @ power, 1e-10))`.

    spectrum `[.., frames, 2N]` in blocks, filters `[mels, N / 2 + 1]`, result `[.., mels, frames]`, all of one float
    type; power is `re^2 + im^2` of the first `N / 2 + 1` bins, and `max(l)` goes over mels and frames.
    """

    name = "rlx.log_mel"

    spectrum = operand_def(TensorType)
    filters = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$spectrum `,` $filters attr-dict `:` functional-type(operands, results)"

    def __init__(self, spectrum: SSAValue, filters: SSAValue):
        super().__init__(operands=[spectrum, filters])

    def infer(self) -> Sequence[Shaped]:
        return [_log_mel(shaped(self.spectrum, "spectrum"), shaped(self.filters, "filters"))]


@irdl_op_definition
class LogMelBackwardOp(RlxOp):
    """
    The gradient of `rlx.log_mel` by its spectrum, given the gradient of its result.

    A feature that the floor replaces passes its gradient to the greatest, which it follows; 1e-10 passes none. A
    NaN or an infinity gives NaN in all bins of its frame.
    """

    name = "rlx.log_mel_backward"

    spectrum = operand_def(TensorType)
    filters = operand_def(TensorType)
    gradient = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$spectrum `,` $filters `,` $gradient attr-dict `:` functional-type(operands, results)"

    def __init__(self, spectrum: SSAValue, filters: SSAValue, gradient: SSAValue):
        super().__init__(operands=[spectrum, filters, gradient])

    def infer(self) -> Sequence[Shaped]:
        spectrum = shaped(self.spectrum, "spectrum")
        features = _log_mel(spectrum, shaped(self.filters, "filters"))
        same(features, shaped(self.gradient, "gradient"), "the features", "gradient")
        return [spectrum]
