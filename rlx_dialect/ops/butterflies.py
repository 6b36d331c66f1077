"""Fourier transforms as stages of butterflies: one stage of floats, and all of them in fixed point."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, f32, f64, i16, i32
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import FftNorm, WordOf, word_of
from rlx_dialect.directives import IntOrWord, Word
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, i64_attr, word
from rlx_dialect.ops.quantization import integer, optional_i64, require_one_of
from rlx_dialect.ops.spectral import C64, points_of
from rlx_dialect.relations import can_be
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, known, shaped

LAST_STAGE = 61
"""The stage whose groups are as long as a dim can be."""


@irdl_op_definition
class FftButterflyStageOp(RlxOp):
    """
    A stage of the radix-2 Fourier transform of the last axis: of each pair `a`, `b` the points `a + w b` and `a - w b`.

    With `h = 2^stage` the N points are groups of 2h, N a multiple of it. In each group, for `j < h`, `a` is point j,
    `b` point `h + j` and `w = e^(-pi i j / h)`, `+` for `inverse`; the sum takes the place of `a`, the difference that
    of `b`. With `pruned(p)` the last p points of each group count as zeros, whatever they hold; p is 1 to 2h. input is
    c64, or f32 or f64 in blocks; the result has its type. N = 2^m points in bit-reversed order become their spectrum,
    as `rlx.fft` with norm none has it, in the stages 0 to m - 1.
    """

    name = "rlx.fft_butterfly_stage"

    input = operand_def(SAME_TYPE)
    stage = prop_def(IntegerAttr)
    inverse = opt_prop_def(UnitAttr)
    pruned = opt_prop_def(IntegerAttr)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    custom_directives = (IntOrWord,)
    assembly_format = (
        "$input `stage` `(` custom<IntOrWord>($stage) `)` (`inverse` $inverse^)? "
        "(`pruned` `(` custom<IntOrWord>($pruned)^ `)`)? attr-dict `:` type($input)"
    )

    def __init__(self, input: SSAValue, stage: int, *, inverse: bool = False, pruned: int | None = None):
        super().__init__(
            operands=[input],
            properties={
                "stage": i64_attr(stage),
                "inverse": UnitAttr() if inverse else None,
                "pruned": optional_i64(pruned),
            },
        )

    @property
    def half(self) -> int:
        """How far apart the points of a pair are."""
        return 2**self.stage.value.data

    def infer(self) -> Sequence[Shaped]:
        value, stage, pruned = shaped(self.input, "input"), self.stage.value.data, integer(self.pruned)
        require_one_of(value, (f32, f64, C64), "input")
        if not 0 <= stage <= LAST_STAGE:
            raise ShapeError(f"stage must be 0 to {LAST_STAGE}, got {stage}")
        points, group = points_of(value, "input"), 2 * self.half
        if not can_be(points, "a multiple of", group):
            raise ShapeError(
                f"the points of input must be a multiple of {group} in stage {stage}, got {points} in {value}"
            )
        if pruned is not None and not 1 <= pruned <= group:
            raise ShapeError(f"pruned must be 1 to {group} in stage {stage}, got {pruned}")
        return [value]


@irdl_op_definition
class FftQOp(RlxOp):
    """
    `2^-scale` times what `rlx.fft` with the same `inverse` and `norm` gives, in fixed point: of N = 2^m points, in m
    stages of butterflies.

    input is i16 or i32 in blocks; the result has its type. From the points in bit-reversed order, stage s makes of each
    pair `a`, `b` of `rlx.fft_butterfly_stage` the points `a + t` and `a - t` with `t = round(b v / 2^f)`: f is 15 for
    i16 and 31 for i32, v the complex integer nearest to `2^f w`, and `round(x) = floor(x + 1/2)` of the real and of the
    imaginary part. The first stages halve what they give, rounded in the same way: `scale` of them, and m more for
    `inverse` with norm by_n_on_inverse or m / 2 more with norm ortho, for which m is even; together at most m. What is
    then beyond the largest or the smallest number of the type becomes that; within a stage nothing overflows.
    """

    name = "rlx.fft_q"

    input = operand_def(SAME_TYPE)
    inverse = opt_prop_def(UnitAttr)
    norm = prop_def(WordOf(FftNorm))
    scale = prop_def(IntegerAttr)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    custom_directives = (Word, IntOrWord)
    assembly_format = (
        "$input (`inverse` $inverse^)? `norm` `(` custom<Word>($norm) `)` `scale` `(` custom<IntOrWord>($scale) `)` "
        "attr-dict `:` type($input)"
    )

    def __init__(self, input: SSAValue, *, inverse: bool = False, norm: FftNorm = FftNorm.NONE, scale: int = 0):
        super().__init__(
            operands=[input],
            properties={"inverse": UnitAttr() if inverse else None, "norm": word(norm), "scale": i64_attr(scale)},
        )

    @property
    def scaling(self) -> FftNorm:
        return word_of(self.norm, FftNorm)

    def halvings(self, points: int) -> int:
        """How many stages halve. Raises `ShapeError` where the transform of so many points has not as many, or none."""
        stages, scale = points.bit_length() - 1, self.scale.value.data
        if points < 1 or points != 2**stages:
            raise ShapeError(f"the points of input must be a power of 2, got {points}")
        if self.scaling is FftNorm.ORTHO and stages % 2:
            raise ShapeError(f"norm ortho needs an even power of 2 of points, got {points}")
        by_norm = {
            FftNorm.NONE: 0,
            FftNorm.BY_N_ON_INVERSE: 0 if self.inverse is None else stages,
            FftNorm.ORTHO: stages // 2,
        }[self.scaling]
        if scale + by_norm > stages:
            raise ShapeError(
                f"scale and norm must halve in at most the {stages} stages of {points} points, got scale {scale} and "
                f"{by_norm} for norm {self.scaling}"
            )
        return scale + by_norm

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_one_of(value, (i16, i32), "input")
        if self.scale.value.data < 0:
            raise ShapeError(f"scale must not be negative, got {self.scale.value.data}")
        points = points_of(value, "input")
        if known(points):
            self.halvings(points)
        else:
            self._require_halvings(points)
        return [value]

    def _require_halvings(self, points: int) -> None:
        """The same of points that only a run knows: a power of 2 divides a larger one, one of 4 is 1 more than 3 n."""
        scale, norm = self.scale.value.data, self.scaling
        if not can_be(points, "at least", 2 ** (2 * scale if norm is FftNorm.ORTHO else scale)):
            raise ShapeError(f"scale {scale} and norm {norm} need more points than {points}")
        if not can_be(2**31, "a multiple of", points):
            raise ShapeError(f"the points of input must be a power of 2, got {points}")
        if norm is FftNorm.ORTHO and points != DYNAMIC and not can_be(points - 1, "a multiple of", 3):
            raise ShapeError(f"norm ortho needs an even power of 2 of points, got {points}")
        if norm is FftNorm.BY_N_ON_INVERSE and self.inverse is not None and scale > 0:
            raise ShapeError(f"scale must be 0 where norm {norm} halves in all stages, got {scale}")
