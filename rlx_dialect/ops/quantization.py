"""
Quantisation: floats as multiples of a scale, held in few bits.

A scale has one element for a whole tensor, or one for each entry of `axis`, or, with `block`, one for each run of
`block` entries of `axis`: then it has the dims of the tensor, but for that axis. It is positive.
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import IntOrWord
from rlx_dialect.dtypes import DTYPES
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, i64_attr
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    meet,
    normalize_axis,
    require_element,
    require_floats,
    require_rank,
    same,
    shaped,
)

QUANTIZED = tuple(DTYPES[name].type for name in ("i8", "ui8", "i16", "i32", "f8e4m3fn", "f8e5m2"))
"""The element types that a quantised tensor can have."""
FLOATS = tuple(DTYPES[name].type for name in ("f32", "f16", "bf16", "f64"))
"""The element types that can be quantised."""
FLOATS_8 = tuple(DTYPES[name].type for name in ("f8e4m3fn", "f8e5m2"))


def optional_i64(value: int | None) -> IntegerAttr | None:
    return None if value is None else i64_attr(value)


def integer(attr: IntegerAttr | None) -> int | None:
    return None if attr is None else attr.value.data


def require_one_of(value: Shaped, elements: Sequence[Attribute], name: str) -> None:
    """Raises `ShapeError` unless `value` has one of these element types."""
    if value.element not in elements:
        raise ShapeError(f"{name} must have one of the element types {', '.join(map(str, elements))}, got {value}")


def is_single(value: Shaped) -> bool:
    """Whether a tensor is known to hold one element."""
    return all(size == 1 for size in value.dims)


def require_scale(value: Shaped, scale: Shaped, axis: int | None, block: int | None, name: str = "scale") -> None:
    """Raises `ShapeError` unless `scale` has the dims of a scale for `value`."""
    if block is not None and (axis is None or block < 1):
        raise ShapeError(f"block must be 1 or more and needs an axis, got {block}")
    at = None if axis is None else normalize_axis(axis, value.rank)
    if block is None and (is_single(scale) and scale.rank < 2):
        return
    if at is None:
        raise ShapeError(f"{name} must hold one element where no axis is given, got {scale}")
    if block is None:
        require_rank(scale, 1, name)
        meet(scale.dims[0], value.dims[at], f"the size of {name} {scale} and dim {at} of {value}")
        return
    require_rank(scale, value.rank, name)
    wanted = list(value.dims)
    wanted[at] = DYNAMIC if wanted[at] == DYNAMIC else (wanted[at] + block - 1) // block
    for i, (a, b) in enumerate(zip(scale.dims, wanted)):
        meet(a, b, f"dim {i} of {name} {scale} and what blocks of {block} of {value} need")


def require_like_scale(zero_point: Shaped, scale: Shaped, element: Attribute) -> None:
    """Raises `ShapeError` unless `zero_point` has the dims of the scale and this element type."""
    require_element(element, zero_point.element, "zero_point")
    if all(is_single(value) and value.rank < 2 for value in (zero_point, scale)):
        return
    require_rank(zero_point, scale.rank, "zero_point")
    for i, (a, b) in enumerate(zip(zero_point.dims, scale.dims)):
        meet(a, b, f"dim {i} of zero_point {zero_point} and scale {scale}")


class AffineOp(RlxOp, ABC):
    """A tensor with its scale and its zero point, which is 0 where none is given."""

    input = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero_point = opt_operand_def(TensorType)
    axis = opt_prop_def(IntegerAttr)
    block = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (IntOrWord,)
    assembly_format = (
        "$input `,` $scale (`zero_point` `(` $zero_point^ `:` type($zero_point) `)`)? "
        "(`axis` `(` custom<IntOrWord>($axis)^ `)`)? (`block` `(` custom<IntOrWord>($block)^ `)`)? "
        "attr-dict `:` `(` type($input) `,` type($scale) `)` `->` type($result)"
    )

    def checked(self) -> tuple[Shaped, Shaped]:
        """Input and scale, which fit together."""
        value, scale = shaped(self.input, "input"), shaped(self.scale, "scale")
        require_scale(value, scale, integer(self.axis), integer(self.block))
        return value, scale


@irdl_op_definition
class QuantizeOp(AffineOp):
    """
    `saturate(round(input / scale) + zero_point)`, rounded half to even; floats of 8 bits use their own grid.

    input and scale have one float type, zero_point the result's; the result is i8, ui8, i16, i32, f8E4M3FN or f8E5M2.
    What is beyond the largest value becomes that; NaN becomes the zero point, or NaN in floats.
    """

    name = "rlx.quantize"

    def __init__(
        self,
        input: SSAValue,
        scale: SSAValue,
        element_type: Attribute = DTYPES["i8"].type,
        *,
        zero_point: SSAValue | None = None,
        axis: int | None = None,
        block: int | None = None,
    ):
        result = Shaped(shaped(input, "input").dims, element_type)
        super().__init__(
            operands=[input, scale, zero_point],
            properties={"axis": optional_i64(axis), "block": optional_i64(block)},
            result_types=[result.type],
        )
        self.check()

    def infer(self) -> Sequence[Shaped]:
        value, scale = self.checked()
        require_one_of(value, FLOATS, "input")
        require_element(value.element, scale.element, "scale")
        result = shaped(self.result, "result")
        require_one_of(result, QUANTIZED, "result")
        if self.zero_point is not None:
            require_like_scale(shaped(self.zero_point, "zero_point"), scale, result.element)
        return [Shaped(value.dims, result.element)]


@irdl_op_definition
class DequantizeOp(AffineOp):
    """
    `(input - zero_point) * scale`, in the type of the scale.

    input is i8, ui8, i16, i32, f8E4M3FN or f8E5M2, zero_point has its element type.
    """

    name = "rlx.dequantize"

    def __init__(
        self,
        input: SSAValue,
        scale: SSAValue,
        *,
        zero_point: SSAValue | None = None,
        axis: int | None = None,
        block: int | None = None,
    ):
        super().__init__(
            operands=[input, scale, zero_point],
            properties={"axis": optional_i64(axis), "block": optional_i64(block)},
        )

    def infer(self) -> Sequence[Shaped]:
        value, scale = self.checked()
        require_one_of(value, QUANTIZED, "input")
        require_one_of(scale, FLOATS, "scale")
        if self.zero_point is not None:
            require_like_scale(shaped(self.zero_point, "zero_point"), scale, value.element)
        return [Shaped(value.dims, scale.element)]


@irdl_op_definition
class ScaledQuantScaleOp(RlxOp):
    """The scale that maps the largest magnitude of `input` to the largest 8-bit float: rank 0 f32, 1 for all zeros."""

    name = "rlx.scaled_quant_scale"

    to = prop_def(Attribute)
    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `to` `(` $to `)` attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, element_type: Attribute = DTYPES["f8e4m3fn"].type):
        super().__init__(operands=[input], properties={"to": element_type})

    def infer(self) -> Sequence[Shaped]:
        require_one_of(shaped(self.input, "input"), FLOATS, "input")
        if self.to not in FLOATS_8:
            raise ShapeError(f"to must be one of {', '.join(map(str, FLOATS_8))}, got {self.to}")
        return [Shaped((), DTYPES["f32"].type)]


BITS = (8, 4, 2)
"""How many bits a fake quantisation can have; the largest multiple of the scale is `2^(bits - 1) - 1`."""


class FakeOp(RlxOp, ABC):
    """Attributes of all fake quantisations."""

    bits = prop_def(IntegerAttr)
    axis = opt_prop_def(IntegerAttr)

    traits = traits_def(Pure())
    custom_directives = (IntOrWord,)

    @property
    def largest(self) -> int:
        """The largest multiple of the scale."""
        return 2 ** (self.bits.value.data - 1) - 1

    def require(self, value: Shaped, scale: SSAValue | None) -> None:
        """Raises `ShapeError` unless the input, the scale, the bits and the axis fit together."""
        require_floats(value, "input")
        if self.bits.value.data not in BITS:
            raise ShapeError(f"bits must be one of {', '.join(map(str, BITS))}, got {self.bits.value.data}")
        axis = integer(self.axis)
        if scale is None:
            _ = axis is None or normalize_axis(axis, value.rank)
            return
        steps = shaped(scale, "scale")
        require_element(value.element, steps.element, "scale")
        require_scale(value, steps, axis, None)


@irdl_op_definition
class FakeQuantizeOp(FakeOp):
    """
    `clamp(round(input / scale), -m, m) * scale` with `m = 2^(bits - 1) - 1`: what a quantised value would be.

    Without a scale it is the largest magnitude of the tensor, or of each entry of `axis`, divided by m. Where the scale
    is 0, given or found, so is the result.
    """

    name = "rlx.fake_quantize"

    input = operand_def(SAME_TYPE)
    scale = opt_operand_def(TensorType)
    result = result_def(SAME_TYPE)

    assembly_format = (
        "$input (`scale` `(` $scale^ `:` type($scale) `)`)? `bits` `(` custom<IntOrWord>($bits) `)` "
        "(`axis` `(` custom<IntOrWord>($axis)^ `)`)? attr-dict `:` type($input)"
    )

    def __init__(self, input: SSAValue, *, bits: int = 8, scale: SSAValue | None = None, axis: int | None = None):
        super().__init__(operands=[input, scale], properties={"bits": i64_attr(bits), "axis": optional_i64(axis)})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        self.require(value, self.scale)
        return [value]


@irdl_op_definition
class FakeQuantizeBackwardOp(FakeOp):
    """
    The straight-through gradient of `rlx.fake_quantize` by its input: the result's gradient where
    `|input / scale| <= m`, else 0.

    Without a scale nothing is beyond m, so that every gradient passes.
    """

    name = "rlx.fake_quantize_backward"

    input = operand_def(SAME_TYPE)
    gradient = operand_def(SAME_TYPE)
    scale = opt_operand_def(TensorType)
    result = result_def(SAME_TYPE)

    assembly_format = (
        "$input `,` $gradient (`scale` `(` $scale^ `:` type($scale) `)`)? `bits` `(` custom<IntOrWord>($bits) `)` "
        "(`axis` `(` custom<IntOrWord>($axis)^ `)`)? attr-dict `:` type($input)"
    )

    def __init__(
        self,
        input: SSAValue,
        gradient: SSAValue,
        *,
        bits: int = 8,
        scale: SSAValue | None = None,
        axis: int | None = None,
    ):
        super().__init__(
            operands=[input, gradient, scale], properties={"bits": i64_attr(bits), "axis": optional_i64(axis)}
        )

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        self.require(value, self.scale)
        return [same(value, shaped(self.gradient, "gradient"), "input", "gradient")]


@irdl_op_definition
class FakeQuantizeLSQOp(FakeOp):
    """`clamp(round(input / scale), -m, m) * scale` with `m = 2^(bits - 1) - 1` and a scale that is learned."""

    name = "rlx.fake_quantize_lsq"

    input = operand_def(SAME_TYPE)
    scale = operand_def(TensorType)
    result = result_def(SAME_TYPE)

    assembly_format = (
        "$input `,` $scale `bits` `(` custom<IntOrWord>($bits) `)` (`axis` `(` custom<IntOrWord>($axis)^ `)`)? "
        "attr-dict `:` type($input) `,` type($scale)"
    )

    def __init__(self, input: SSAValue, scale: SSAValue, *, bits: int = 8, axis: int | None = None):
        super().__init__(operands=[input, scale], properties={"bits": i64_attr(bits), "axis": optional_i64(axis)})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        self.require(value, self.scale)
        return [value]


class LearnedStepBackwardOp(FakeOp, ABC):
    """A gradient of `rlx.fake_quantize_lsq`, given that of its result."""

    input = operand_def(TensorType)
    scale = operand_def(TensorType)
    gradient = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$input `,` $scale `,` $gradient `bits` `(` custom<IntOrWord>($bits) `)` "
        "(`axis` `(` custom<IntOrWord>($axis)^ `)`)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, input: SSAValue, scale: SSAValue, gradient: SSAValue, *, bits: int = 8, axis: int | None = None):
        super().__init__(
            operands=[input, scale, gradient], properties={"bits": i64_attr(bits), "axis": optional_i64(axis)}
        )

    def checked(self) -> Shaped:
        """The input, with which all else fits together."""
        value = shaped(self.input, "input")
        self.require(value, self.scale)
        return same(value, shaped(self.gradient, "gradient"), "input", "gradient")


@irdl_op_definition
class FakeQuantizeLSQBackwardXOp(LearnedStepBackwardOp):
    """By the input: the gradient where `|input / scale| <= m`, else 0."""

    name = "rlx.fake_quantize_lsq_backward_x"

    def infer(self) -> Sequence[Shaped]:
        return [self.checked()]


@irdl_op_definition
class FakeQuantizeLSQBackwardScaleOp(LearnedStepBackwardOp):
    """
    By the scale: the sum of `gradient * (round(q) - q)`, `q = input / scale`, if `|q| <= m`, and `+-m gradient` beyond.

    The factor `1 / sqrt(elements * m)` that learned step sizes are often trained with is not in it.
    """

    name = "rlx.fake_quantize_lsq_backward_scale"

    def infer(self) -> Sequence[Shaped]:
        self.checked()
        return [shaped(self.scale, "scale")]
