"""Ops that resample axes."""

from collections.abc import Sequence
from math import isfinite
from typing import ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, Float64Type, FloatAttr, StringAttr, TensorType, UnitAttr, f64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import NearestRounding, ResizeCoordinates, ResizeMode, WordOf, word_of
from rlx_dialect.directives import Real, Reals, Word
from rlx_dialect.ops.base import RlxOp, f64_attr, i64s, word
from rlx_dialect.shape_rules.windows import resize_nearest2x, resized
from rlx_dialect.shapes import Dims, Shaped, ShapeError, normalize_axes, require_floats, shaped


@irdl_op_definition
class ResizeNearest2xOp(RlxOp):
    """
    Each pixel as a square of four: `result[n, c, i, j] = input[n, c, i // 2, j // 2]`.

    input `[N, C, H, W]` gives `[N, C, 2H, 2W]`, of any element type.
    """

    name = "rlx.resize_nearest2x"

    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input])

    def infer(self) -> Sequence[Shaped]:
        return [resize_nearest2x(shaped(self.input, "input"), "input")]


@irdl_op_definition
class ResizeOp(RlxOp):
    """
    `axes` resampled, to `size` or by `scales`: a result element is made of those around its place in the input.

    `nearest` takes one of any type, `rounding` says which; `linear` and `cubic` take floats, weigh two or four with the
    weights that add up to 1 (`cubic_coefficient` is the a of the cubic), and work in f32 or in the operand's type where
    that is wider; on wgpu and metal a NaN or an infinity that weighs 0 may add nothing. `coordinates` says where
    element i comes from: with s the scale, `half_pixel` `(i + 0.5) / s - 0.5`, `asymmetric` `i / s`, `align_corners`
    ends at ends. Places outside of the input are its nearest element; with `exclude_outside` they weigh nothing. With
    `scales` a dim becomes `floor(dim * scale)`, without them the scale of a dim is `size / dim`. With `antialias` an
    axis that shrinks to s of its size weighs all elements as near as 1 / s (linear) or 2 / s (cubic), as if the
    distances between them were s. `crop` spreads `region` over the result, for each axis where it starts and then for
    each where it ends, 0 the first element and 1 the last; a place outside of the input gives 0. As ONNX Resize.
    """

    name = "rlx.resize"
    CHAPTER: ClassVar[str] = "convolution"

    mode = prop_def(WordOf(ResizeMode))
    input = operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(I64))
    size = opt_prop_def(DenseArrayBase.constr(I64))
    scales = opt_prop_def(DenseArrayBase.constr(Float64Type))
    coordinates = prop_def(WordOf(ResizeCoordinates), default_value=StringAttr(ResizeCoordinates.HALF_PIXEL.value))
    rounding = prop_def(WordOf(NearestRounding), default_value=StringAttr(NearestRounding.ROUND_PREFER_FLOOR.value))
    cubic_coefficient = prop_def(FloatAttr.constr(f64), default_value=f64_attr(-0.75))
    exclude_outside = opt_prop_def(UnitAttr)
    antialias = opt_prop_def(UnitAttr)
    region = opt_prop_def(DenseArrayBase.constr(Float64Type))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, Real, Reals)
    assembly_format = (
        "custom<Word>($mode) $input `axes` $axes (`size` $size^)? (`scales` custom<Reals>($scales)^)? "
        "(`coordinates` `(` custom<Word>($coordinates)^ `)`)? (`rounding` `(` custom<Word>($rounding)^ `)`)? "
        "(`cubic_coefficient` `(` custom<Real>($cubic_coefficient)^ `)`)? (`exclude_outside` $exclude_outside^)? "
        "(`antialias` $antialias^)? (`region` custom<Reals>($region)^)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        mode: ResizeMode,
        input: SSAValue,
        axes: Sequence[int],
        size: Sequence[int] | None = None,
        *,
        scales: Sequence[float] | None = None,
        coordinates: ResizeCoordinates = ResizeCoordinates.HALF_PIXEL,
        rounding: NearestRounding = NearestRounding.ROUND_PREFER_FLOOR,
        cubic_coefficient: float = -0.75,
        exclude_outside: bool = False,
        antialias: bool = False,
        region: Sequence[float] | None = None,
    ):
        super().__init__(
            operands=[input],
            properties={
                "mode": word(mode),
                "axes": i64s(axes),
                "size": None if size is None else i64s(size),
                "scales": None if scales is None else DenseArrayBase.from_list(f64, scales),
                "coordinates": word(coordinates),
                "rounding": word(rounding),
                "cubic_coefficient": f64_attr(cubic_coefficient),
                "exclude_outside": UnitAttr() if exclude_outside else None,
                "antialias": UnitAttr() if antialias else None,
                "region": None if region is None else DenseArrayBase.from_list(f64, region),
            },
        )

    @property
    def resampling(self) -> ResizeMode:
        return word_of(self.mode, ResizeMode)

    @property
    def places(self) -> ResizeCoordinates:
        return word_of(self.coordinates, ResizeCoordinates)

    @property
    def nearest(self) -> NearestRounding:
        return word_of(self.rounding, NearestRounding)

    def infer(self) -> Sequence[Shaped]:
        value, nearest = shaped(self.input, "input"), self.mode.data == ResizeMode.NEAREST
        if not nearest:
            require_floats(value, "input")
        elif self.exclude_outside is not None:
            raise ShapeError("exclude_outside is for linear and cubic: nearest weighs nothing")
        elif self.antialias is not None:
            raise ShapeError("antialias is for linear and cubic: nearest weighs nothing")
        if not nearest and self.rounding.data != NearestRounding.ROUND_PREFER_FLOOR:
            raise ShapeError(f"rounding is for nearest, got {self.rounding.data} with {self.mode.data}")
        self._check_region()
        return [value.with_dims(self.infer_dims(value.dims))]

    def _check_region(self) -> None:
        crop = self.places is ResizeCoordinates.CROP
        if crop != (self.region is not None):
            raise ShapeError("region and coordinates(crop) must come together")
        if self.region is None:
            return
        if self.resampling is ResizeMode.NEAREST:
            raise ShapeError("crop is for linear and cubic: nearest weighs nothing")
        ends, wanted = self.region.get_values(), 2 * len(self.axes.get_values())
        if len(ends) != wanted or not all(map(isfinite, ends)):
            raise ShapeError(
                f"region needs {wanted} finite numbers, a start and an end for each axis, got {list(ends)}"
            )

    def infer_dims(self, dims: Dims) -> Dims:
        """The dims of the result for those of an input. Raises `ShapeError` where the attributes do not fit them."""
        axes = normalize_axes(self.axes.get_values(), len(dims))
        size = None if self.size is None else self.size.get_values()
        scales = None if self.scales is None else self.scales.get_values()
        return resized(dims, axes, size, scales)
