"""Elementwise ops of two operands, and those that choose between operands."""

from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import ComplexType, TensorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.shapes import Shaped, of_type
from rlx_passes.dialects.stablehlo.attributes import ComparisonDirection, ComparisonDirectionAttr, ComparisonTypeAttr
from rlx_passes.dialects.stablehlo.base import BinaryOp, T, tensor
from rlx_passes.dialects.stablehlo.syntax import HeadedOp, print_values


@irdl_op_definition
class AddOp(BinaryOp):
    """The sum; of i1 the logical or."""

    name = "stablehlo.add"


@irdl_op_definition
class AndOp(BinaryOp):
    """The bitwise and."""

    name = "stablehlo.and"


@irdl_op_definition
class Atan2Op(BinaryOp):
    """The angle of the point (rhs, lhs)."""

    name = "stablehlo.atan2"


@irdl_op_definition
class ComplexOp(IRDLOperation):
    """Complex numbers of real and imaginary parts."""

    name = "stablehlo.complex"

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "ComplexOp":
        """`%a, %b : tensor<4xcomplex<f32>>`: the type of the result says those of the operands."""
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        parser.parse_punctuation(":")
        result = parser.parse_type()
        if not isinstance(result, TensorType):
            parser.raise_error(f"expected a tensor of complex numbers, got {result}", start)
        dims, element = of_type(cast("TensorType[Attribute]", result))
        if not isinstance(element, ComplexType):
            parser.raise_error(f"expected a tensor of complex numbers, got {result}", start)
        part = Shaped(dims, cast("ComplexType[Any]", element).element_type).type
        operands = parser.resolve_operands(unresolved, [part, part], start)
        types: list[Attribute] = [result]
        return ComplexOp.create(operands=operands, attributes=attributes, result_types=types)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class DivideOp(BinaryOp):
    """The quotient; of integers truncated towards zero."""

    name = "stablehlo.divide"


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The greater; NaN where either is NaN."""

    name = "stablehlo.maximum"


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The lesser; NaN where either is NaN."""

    name = "stablehlo.minimum"


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """The product; of i1 the logical and."""

    name = "stablehlo.multiply"


@irdl_op_definition
class OrOp(BinaryOp):
    """The bitwise or."""

    name = "stablehlo.or"


@irdl_op_definition
class PowerOp(BinaryOp):
    """lhs to the power rhs."""

    name = "stablehlo.power"


@irdl_op_definition
class RemainderOp(BinaryOp):
    """The remainder, with the sign of the dividend."""

    name = "stablehlo.remainder"


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    """lhs shifted left by rhs bits."""

    name = "stablehlo.shift_left"


@irdl_op_definition
class ShiftRightArithmeticOp(BinaryOp):
    """lhs shifted right by rhs bits, the sign kept."""

    name = "stablehlo.shift_right_arithmetic"


@irdl_op_definition
class ShiftRightLogicalOp(BinaryOp):
    """lhs shifted right by rhs bits, zeros moved in."""

    name = "stablehlo.shift_right_logical"


@irdl_op_definition
class SubtractOp(BinaryOp):
    """The difference."""

    name = "stablehlo.subtract"


@irdl_op_definition
class XorOp(BinaryOp):
    """The bitwise exclusive or."""

    name = "stablehlo.xor"


@irdl_op_definition
class CompareOp(IRDLOperation):
    """Whether the given relation holds between `lhs` and `rhs`, as i1."""

    name = "stablehlo.compare"

    lhs = operand_def(T)
    rhs = operand_def(T)
    comparison_direction = prop_def(ComparisonDirectionAttr)
    compare_type = opt_prop_def(ComparisonTypeAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self, direction: ComparisonDirection, lhs: SSAValue, rhs: SSAValue, order: ComparisonTypeAttr | None = None
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={"comparison_direction": ComparisonDirectionAttr(direction), "compare_type": order},
            result_types=[Shaped(tensor(lhs, self, "lhs").get_shape(), i1).type],
        )

    def verify_(self) -> None:
        lhs, result = tensor(self.lhs, self, "lhs"), tensor(self.result, self, "result")
        if result.get_shape() != lhs.get_shape() or result.element_type != i1:
            raise VerifyException(
                f"{self.name}: the result of comparing {lhs} must be i1 of the same dims, got {result}"
            )


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`on_true` where `pred` holds, else `on_false`; `pred` has the dims of both, or none."""

    name = "stablehlo.select"

    pred = operand_def(TensorType)
    on_true = operand_def(T)
    on_false = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$pred `,` $on_true `,` $on_false attr-dict `:` type($pred) `,` type($on_true)"

    def __init__(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__(operands=[pred, on_true, on_false], result_types=[on_true.type])

    def verify_(self) -> None:
        pred, result = tensor(self.pred, self, "pred"), tensor(self.result, self, "result")
        if pred.element_type != i1 or pred.get_shape() not in ((), result.get_shape()):
            raise VerifyException(f"{self.name}: pred must be i1, a scalar or with the dims of {result}, got {pred}")


@irdl_op_definition
class ClampOp(HeadedOp):
    """The operand, not below `min` and not above `max`; either bound has the operand's dims, or none."""

    name = "stablehlo.clamp"
    ONE_TYPE: ClassVar[bool] = True

    min = operand_def(TensorType)
    operand = operand_def(T)
    max = operand_def(TensorType)
    result = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, min: SSAValue, operand: SSAValue, max: SSAValue):
        super().__init__(operands=[min, operand, max], result_types=[operand.type])

    def verify_(self) -> None:
        result = tensor(self.result, self, "result")
        for name, bound in (("min", tensor(self.min, self, "min")), ("max", tensor(self.max, self, "max"))):
            if bound.element_type != result.element_type or bound.get_shape() not in ((), result.get_shape()):
                raise VerifyException(f"{self.name}: {name} must be a scalar of {result} or have its type, got {bound}")


ALL_OPS = (
    AddOp,
    AndOp,
    Atan2Op,
    ClampOp,
    CompareOp,
    ComplexOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    OrOp,
    PowerOp,
    RemainderOp,
    SelectOp,
    ShiftLeftOp,
    ShiftRightArithmeticOp,
    ShiftRightLogicalOp,
    SubtractOp,
    XorOp,
)
