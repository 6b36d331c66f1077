"""Products, convolutions, Fourier transforms and solvers."""

from collections.abc import Sequence
from typing import ClassVar, cast

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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.constants import array_of
from rlx_passes.dialects.stablehlo.accuracy import DotAlgorithmAttr
from rlx_passes.dialects.stablehlo.attributes import (
    ConvAttr,
    ConvDimensionNumbers,
    DotAttr,
    DotDimensionNumbers,
    FftType,
    FftTypeAttr,
    Precision,
    PrecisionAttr,
    TransposeAttr,
    parse_conv_dims,
    show_conv_dims,
)
from rlx_passes.dialects.stablehlo.base import I1_ARRAY, I64_ARRAY, T, flags, ints, tensor
from rlx_passes.dialects.stablehlo.syntax import Head, HeadedOp, parse_ints, parse_keyword, print_values, show_ints

WINDOW = {"stride": "window_strides", "lhs_dilate": "lhs_dilation", "rhs_dilate": "rhs_dilation"}
"""The lists of a convolution's window, by the word for each."""


def precisions(precision: Precision) -> ArrayAttr[PrecisionAttr]:
    """One precision for both operands."""
    return ArrayAttr([PrecisionAttr(precision)] * 2)


@irdl_op_definition
class DotGeneralOp(HeadedOp):
    """The product of both sides summed over the contracting dims, for each index of the batch dims."""

    name = "stablehlo.dot_general"
    SHOWN: ClassVar[tuple[str, ...]] = ("dot_dimension_numbers", "precision_config", "algorithm")

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    dot_dimension_numbers = prop_def(DotAttr)
    precision_config = opt_prop_def(BaseAttr(ArrayAttr))
    algorithm = opt_prop_def(DotAlgorithmAttr)
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

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """`%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT]`"""
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        dims: dict[str, tuple[int, ...]] = {}
        shown: dict[str, Attribute] = {}
        while parser.parse_optional_punctuation(","):
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            if key in ("batching_dims", "contracting_dims"):
                kind = f"{key.removesuffix('_dims')}_dimensions"
                dims[f"lhs_{kind}"] = parse_ints(parser)
                parser.parse_characters("x")
                dims[f"rhs_{kind}"] = parse_ints(parser)
            elif key == "precision":
                words = parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: PrecisionAttr(parser.parse_str_enum(Precision))
                )
                shown["precision_config"] = ArrayAttr(words)
            elif key == "algorithm":
                shown["algorithm"] = DotAlgorithmAttr.new(DotAlgorithmAttr.parse_parameter(parser))
            else:
                parser.raise_error(f"expected batching_dims, contracting_dims, precision or algorithm, got {key}")
        return Head(operands, {"dot_dimension_numbers": DotAttr(DotDimensionNumbers(**dims)), **shown})

    def print_head(self, printer: Printer) -> None:
        numbers = self.dot_dimension_numbers.data
        print_values(printer, self.operands)
        if numbers.lhs_batching_dimensions:
            left, right = numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions
            printer.print_string(f", batching_dims = {show_ints(left)} x {show_ints(right)}")
        left, right = numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions
        printer.print_string(f", contracting_dims = {show_ints(left)} x {show_ints(right)}")
        if self.precision_config is not None:
            config = cast("ArrayAttr[PrecisionAttr]", self.precision_config)
            printer.print_string(f", precision = [{', '.join(word.data.value for word in config)}]")
        if self.algorithm is not None:
            printer.print_string(", algorithm = ")
            self.algorithm.print_parameter(printer)


@irdl_op_definition
class ConvolutionOp(HeadedOp):
    """A window of `rhs` moved over `lhs`; what each dim is says `dimension_numbers`."""

    name = "stablehlo.convolution"
    SHOWN: ClassVar[tuple[str, ...]] = (
        "dimension_numbers",
        "window_strides",
        "padding",
        "lhs_dilation",
        "rhs_dilation",
        "window_reversal",
    )

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

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """`(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]]}`"""
        head = Head(parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand))
        parse_keyword(parser, "dim_numbers")
        head.properties["dimension_numbers"] = ConvAttr(parse_conv_dims(parser))
        parser.parse_punctuation(",")
        parse_keyword(parser, "window")

        def field() -> None:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            if key in WINDOW:
                head.properties[WINDOW[key]] = ints(parse_ints(parser))
            elif key == "reverse":
                words = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
                head.properties["window_reversal"] = flags(words)
            elif key == "pad":
                pairs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_ints(parser))
                type = TensorType(i64, [len(pairs), 2])
                edges = [edge for pair in pairs for edge in pair]
                head.properties["padding"] = DenseIntOrFPElementsAttr.from_list(type, edges)
            else:
                parser.raise_error(f"expected pad, reverse, {', '.join(WINDOW)}, got {key}")

        parser.parse_comma_separated_list(parser.Delimiter.BRACES, field)
        return head

    def print_head(self, printer: Printer) -> None:
        window: list[str] = []
        if self.window_strides is not None:
            window.append(f"stride = {show_ints(self.window_strides)}")
        if self.padding is not None:
            edges = array_of(self.padding).ravel().tolist()
            window.append(f"pad = {[list(pair) for pair in zip(edges[::2], edges[1::2])]}")
        if self.lhs_dilation is not None:
            window.append(f"lhs_dilate = {show_ints(self.lhs_dilation)}")
        if self.rhs_dilation is not None:
            window.append(f"rhs_dilate = {show_ints(self.rhs_dilation)}")
        if self.window_reversal is not None:
            words = ("true" if flag else "false" for flag in self.window_reversal.get_values())
            window.append(f"reverse = [{', '.join(words)}]")
        with printer.in_parens():
            print_values(printer, self.operands)
        printer.print_string(f" dim_numbers = {show_conv_dims(self.dimension_numbers.data)}")
        printer.print_string(f", window = {{{', '.join(window)}}}")


@irdl_op_definition
class FftOp(IRDLOperation):
    """A Fourier transform over the last `len(fft_length)` dims."""

    name = "stablehlo.fft"

    operand = operand_def(TensorType)
    fft_type = prop_def(FftTypeAttr)
    fft_length = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` "
        "functional-type(operands, results)"
    )

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
    assembly_format = "$a (`,` `lower` `=` $lower^)? attr-dict `:` type($a)"

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
