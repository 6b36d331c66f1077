"""Ops of earlier versions that exporters other than JAX still print."""

from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, TensorType, i64
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

from rlx_passes.dialects.stablehlo.attributes import Precision, PrecisionAttr
from rlx_passes.dialects.stablehlo.base import I64_ARRAY, require_dims, tensor
from rlx_passes.dialects.stablehlo.syntax import Head, HeadedOp, parse_keyword, print_values


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """The operand repeated along new leading dims of the given sizes."""

    name = "stablehlo.broadcast"

    operand = operand_def(TensorType)
    broadcast_sizes = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class DotOp(HeadedOp):
    """The product over the last dim of `lhs` and the first of `rhs`."""

    name = "stablehlo.dot"
    SHOWN: ClassVar[tuple[str, ...]] = ("precision_config",)

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    precision_config = opt_prop_def(BaseAttr(ArrayAttr))
    result = result_def(TensorType)

    traits = traits_def(Pure())

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """`%a, %b, precision = [DEFAULT, DEFAULT]`"""
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        head = Head(operands)
        if parser.parse_optional_punctuation(",") is not None:
            parse_keyword(parser, "precision")
            words = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: PrecisionAttr(parser.parse_str_enum(Precision))
            )
            head.properties["precision_config"] = ArrayAttr(words)
        return head

    def print_head(self, printer: Printer) -> None:
        print_values(printer, self.operands)
        if self.precision_config is not None:
            config = cast("ArrayAttr[PrecisionAttr]", self.precision_config)
            printer.print_string(f", precision = [{', '.join(word.data.value for word in config)}]")


@irdl_op_definition
class EinsumOp(IRDLOperation):
    """The product that a formula such as `ab,bc->ac` says."""

    name = "stablehlo.einsum"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    einsum_config = prop_def(StringAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class UnaryEinsumOp(IRDLOperation):
    """The sums and the order of dims that a formula such as `ab->ba` says."""

    name = "stablehlo.unary_einsum"

    operand = operand_def(TensorType)
    einsum_config = prop_def(StringAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class TorchIndexSelectOp(IRDLOperation):
    """The entries of `dim` that `index` names, for each index of the batch dims."""

    name = "stablehlo.torch_index_select"

    operand = operand_def(TensorType)
    index = operand_def(TensorType)
    dim = prop_def(IntegerAttr.constr(i64))
    batch_dims = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        require_dims(self, "dim", [self.dim.value.data], tensor(self.operand, self, "operand"))


ALL_OPS = (BroadcastOp, DotOp, EinsumOp, TorchIndexSelectOp, UnaryEinsumOp)
