"""
The attributes of StableHLO, in the text that MLIR prints for them.

Enumerations are written `#stablehlo<precision HIGHEST>`, dimension numbers as
`#stablehlo.dot<lhs_contracting_dimensions = [1], ...>`. A list that is empty and a number that is zero are left out, as
StableHLO's own printer does.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

Ints = tuple[int, ...]
StructT = TypeVar("StructT", bound=tuple[object, ...])


class Precision(StrEnum):
    """How exactly an accelerator multiplies: `DEFAULT` is as fast as it can, `HIGHEST` as exact as the operands."""

    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"


class ComparisonDirection(StrEnum):
    """The relation that `stablehlo.compare` asks for."""

    EQ = "EQ"
    NE = "NE"
    GE = "GE"
    GT = "GT"
    LE = "LE"
    LT = "LT"


class ComparisonType(StrEnum):
    """The order that `stablehlo.compare` uses; `TOTALORDER` orders NaN and the two zeros as well."""

    NOTYPE = "NOTYPE"
    FLOAT = "FLOAT"
    TOTALORDER = "TOTALORDER"
    SIGNED = "SIGNED"
    UNSIGNED = "UNSIGNED"


class FftType(StrEnum):
    """Forward and inverse transforms, of complex values or of real ones."""

    FFT = "FFT"
    IFFT = "IFFT"
    RFFT = "RFFT"
    IRFFT = "IRFFT"


class Transpose(StrEnum):
    """How `stablehlo.triangular_solve` reads its matrix."""

    TRANSPOSE_INVALID = "TRANSPOSE_INVALID"
    NO_TRANSPOSE = "NO_TRANSPOSE"
    TRANSPOSE = "TRANSPOSE"
    ADJOINT = "ADJOINT"


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    """`#stablehlo<precision HIGHEST>`"""

    name = "stablehlo.precision"


@irdl_attr_definition
class ComparisonDirectionAttr(EnumAttribute[ComparisonDirection], SpacedOpaqueSyntaxAttribute):
    """`#stablehlo<comparison_direction GT>`"""

    name = "stablehlo.comparison_direction"


@irdl_attr_definition
class ComparisonTypeAttr(EnumAttribute[ComparisonType], SpacedOpaqueSyntaxAttribute):
    """`#stablehlo<comparison_type FLOAT>`"""

    name = "stablehlo.comparison_type"


@irdl_attr_definition
class FftTypeAttr(EnumAttribute[FftType], SpacedOpaqueSyntaxAttribute):
    """`#stablehlo<fft_type RFFT>`"""

    name = "stablehlo.fft_type"


@irdl_attr_definition
class TransposeAttr(EnumAttribute[Transpose], SpacedOpaqueSyntaxAttribute):
    """`#stablehlo<transpose NO_TRANSPOSE>`"""

    name = "stablehlo.transpose"


class DotDimensionNumbers(NamedTuple):
    """Which dims of both sides of a product are batch dims and which are summed over."""

    lhs_batching_dimensions: Ints = ()
    rhs_batching_dimensions: Ints = ()
    lhs_contracting_dimensions: Ints = ()
    rhs_contracting_dimensions: Ints = ()


class GatherDimensionNumbers(NamedTuple):
    """How the dims of a gather's operand, indices and result belong together; names as in the StableHLO spec."""

    offset_dims: Ints = ()
    collapsed_slice_dims: Ints = ()
    operand_batching_dims: Ints = ()
    start_indices_batching_dims: Ints = ()
    start_index_map: Ints = ()
    index_vector_dim: int = 0


class ScatterDimensionNumbers(NamedTuple):
    """How the dims of a scatter's operand, indices and updates belong together; names as in the StableHLO spec."""

    update_window_dims: Ints = ()
    inserted_window_dims: Ints = ()
    input_batching_dims: Ints = ()
    scatter_indices_batching_dims: Ints = ()
    scatter_dims_to_operand_dims: Ints = ()
    index_vector_dim: int = 0


class ChannelHandle(NamedTuple):
    """The channel of a collective op."""

    handle: int = 0
    type: int = 0


class ConvDimensionNumbers(NamedTuple):
    """
    What each dim of a convolution's operands and result is, in order.

    `b` and `f` are batch and feature of input and output, `i` and `o` input and output feature of the kernel, a digit
    the spatial dim of that number.
    """

    input: tuple[str, ...]
    kernel: tuple[str, ...]
    output: tuple[str, ...]


def _parse_ints(parser: AttrParser) -> Ints:
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


def parse_struct(parser: AttrParser, struct: Callable[..., StructT], defaults: dict[str, object]) -> StructT:
    """`<key = [1, 2], key = 3>` in any order; what is left out keeps its default."""
    values: dict[str, object] = {}

    def field() -> None:
        start = parser.pos
        key = parser.parse_identifier()
        if key not in defaults:
            parser.raise_error(f"expected one of {', '.join(defaults)}, got {key}", start)
        if key in values:
            parser.raise_error(f"{key} is given twice", start)
        parser.parse_punctuation("=")
        values[key] = parser.parse_integer() if isinstance(defaults[key], int) else _parse_ints(parser)

    parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
    return struct(**values)


def print_struct(printer: Printer, values: dict[str, object], always: tuple[str, ...] = ()) -> None:
    """The text that `parse_struct` reads; empty lists and zeros are left out unless `always` names them."""
    shown = {key: value for key, value in values.items() if value or key in always}
    with printer.in_angle_brackets():
        for i, (key, value) in enumerate(shown.items()):
            printer.print_string(", " if i else "")
            text = value if isinstance(value, int) else list(cast(Ints, value))
            printer.print_string(f"{key} = {text}")


@irdl_attr_definition
class DotAttr(Data[DotDimensionNumbers]):
    """`#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>`"""

    name = "stablehlo.dot"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> DotDimensionNumbers:
        return parse_struct(parser, DotDimensionNumbers, DotDimensionNumbers()._asdict())

    def print_parameter(self, printer: Printer) -> None:
        print_struct(printer, self.data._asdict())


@irdl_attr_definition
class GatherAttr(Data[GatherDimensionNumbers]):
    """`#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim=1>`"""

    name = "stablehlo.gather"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> GatherDimensionNumbers:
        return parse_struct(parser, GatherDimensionNumbers, GatherDimensionNumbers()._asdict())

    def print_parameter(self, printer: Printer) -> None:
        print_struct(printer, self.data._asdict())


@irdl_attr_definition
class ScatterAttr(Data[ScatterDimensionNumbers]):
    """`#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], ...>`"""

    name = "stablehlo.scatter"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ScatterDimensionNumbers:
        return parse_struct(parser, ScatterDimensionNumbers, ScatterDimensionNumbers()._asdict())

    def print_parameter(self, printer: Printer) -> None:
        print_struct(printer, self.data._asdict())


@irdl_attr_definition
class ChannelHandleAttr(Data[ChannelHandle]):
    """`#stablehlo.channel_handle<handle = 1, type = 0>`"""

    name = "stablehlo.channel_handle"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ChannelHandle:
        return parse_struct(parser, ChannelHandle, ChannelHandle()._asdict())

    def print_parameter(self, printer: Printer) -> None:
        print_struct(printer, self.data._asdict(), ("handle", "type"))


def parse_conv_dims(parser: AttrParser) -> ConvDimensionNumbers:
    """`[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`"""

    def dim() -> str:
        number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        return parser.parse_identifier() if number is None else str(number)

    def dims(letters: str) -> tuple[str, ...]:
        start = parser.pos
        found = tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, dim))
        spatial = map(str, range(len(found) - 2))
        if sorted(found) != sorted((*letters, *spatial)):
            parser.raise_error(f"expected the dims {letters[0]}, {letters[1]} and 0.. once each", start)
        return found

    source = dims("bf")
    parser.parse_characters("x")
    kernel = dims("io")
    parser.parse_punctuation("->")
    return ConvDimensionNumbers(source, kernel, dims("bf"))


def show_conv_dims(numbers: ConvDimensionNumbers) -> str:
    """What `parse_conv_dims` reads."""
    source, kernel, output = (f"[{', '.join(side)}]" for side in numbers)
    return f"{source}x{kernel}->{output}"


@irdl_attr_definition
class ConvAttr(Data[ConvDimensionNumbers]):
    """`#stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>`"""

    name = "stablehlo.conv"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ConvDimensionNumbers:
        with parser.in_angle_brackets():
            return parse_conv_dims(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(show_conv_dims(self.data))


ALL_ATTRIBUTES = (
    PrecisionAttr,
    ComparisonDirectionAttr,
    ComparisonTypeAttr,
    FftTypeAttr,
    TransposeAttr,
    DotAttr,
    GatherAttr,
    ScatterAttr,
    ChannelHandleAttr,
    ConvAttr,
)
