"""Branches, loops, composites and calls of things outside."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, SymbolRefAttr, TensorType, i32
from xdsl.ir import Attribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure, RecursiveMemoryEffect

from rlx_passes.dialects.stablehlo.syntax import Head, HeadedOp, print_values


@irdl_op_definition
class CaseOp(IRDLOperation):
    """The results of the branch numbered `index`, of the last one where there is none of that number."""

    name = "stablehlo.case"

    index = operand_def(TensorType)
    branches = var_region_def("single_block")
    result = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class IfOp(IRDLOperation):
    """The results of one of two branches."""

    name = "stablehlo.if"

    pred = operand_def(TensorType)
    true_branch = region_def("single_block")
    false_branch = region_def("single_block")
    result = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class WhileOp(IRDLOperation):
    """The operands passed through `body` as long as `cond` holds."""

    name = "stablehlo.while"

    operand = var_operand_def()
    cond = region_def("single_block")
    body = region_def("single_block")
    result = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> "WhileOp":
        """`(%arg = %init, ...) : TYPES cond {...} do {...}`; both bodies take the arguments. Printed generically."""
        start = parser.pos

        def carried() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            return argument, parser.parse_unresolved_operand()

        pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, carried)
        types: list[TypeAttribute] = []
        if pairs:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands([value for _, value in pairs], types, start)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        regions: list[Region] = []
        for keyword in ("cond", "do"):
            parser.parse_keyword(keyword)
            regions.append(parser.parse_region([argument.resolve(type) for (argument, _), type in zip(pairs, types)]))
        return WhileOp.create(
            operands=operands,
            result_types=types,
            regions=regions,
            attributes={} if attributes is None else dict(attributes.data),
        )


@irdl_op_definition
class OptimizationBarrierOp(IRDLOperation):
    """The operands; nothing is moved across."""

    name = "stablehlo.optimization_barrier"

    operand = var_operand_def()
    result = var_result_def()

    @classmethod
    def parse(cls, parser: Parser) -> "OptimizationBarrierOp":
        """`%a, %b : T, U`"""
        start = parser.pos
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        types: list[TypeAttribute] = []
        if unresolved is not None:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands(unresolved or [], types, start)
        return OptimizationBarrierOp.create(operands=operands, result_types=types, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.operands else "")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        if self.operands:
            printer.print_string(" : ")
            printer.print_list([value.type for value in self.operands], printer.print_attribute)


@irdl_op_definition
class CompositeOp(HeadedOp):
    """An op with a name, whose meaning is that of the function `decomposition`."""

    name = "stablehlo.composite"
    SHOWN: ClassVar[tuple[str, ...]] = ("name",)

    inputs = var_operand_def()
    op_name = prop_def(StringAttr, prop_name="name")
    composite_attributes = opt_prop_def(BaseAttr(DictionaryAttr))
    decomposition = prop_def(BaseAttr(SymbolRefAttr))
    version = opt_prop_def(IntegerAttr.constr(i32))
    composite_regions = var_region_def("single_block")
    result = var_result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        name: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        attributes: Mapping[str, Attribute],
        decomposition: str,
    ):
        super().__init__(
            operands=[inputs],
            properties={
                "name": StringAttr(name),
                "composite_attributes": DictionaryAttr(dict(attributes)),
                "decomposition": SymbolRefAttr(decomposition),
                "version": IntegerAttr(0, i32),
            },
            regions=[[]],
            result_types=[result_types],
        )

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """`"name" %a, %b`"""
        head = Head(properties={"name": StringAttr(parser.parse_str_literal()), "version": IntegerAttr(0, i32)})
        if (first := parser.parse_optional_unresolved_operand()) is not None:
            head.operands.append(first)
            while parser.parse_optional_punctuation(","):
                head.operands.append(parser.parse_unresolved_operand())
        return head

    def print_head(self, printer: Printer) -> None:
        printer.print_string_literal(self.op_name.data)
        printer.print_string(" " if self.inputs else "")
        print_values(printer, self.inputs)


@irdl_op_definition
class CustomCallOp(HeadedOp):
    """A call of code outside of the program."""

    name = "stablehlo.custom_call"
    SHOWN: ClassVar[tuple[str, ...]] = ("call_target_name",)

    inputs = var_operand_def()
    call_target_name = prop_def(StringAttr)
    has_side_effect = opt_prop_def(BaseAttr(IntegerAttr))
    backend_config = opt_prop_def()
    api_version = opt_prop_def()
    called_computations = opt_prop_def()
    operand_layouts = opt_prop_def()
    result_layouts = opt_prop_def()
    output_operand_aliases = opt_prop_def()
    result = var_result_def()

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """`@target(%a, %b)`"""
        target = parser.parse_symbol_name()
        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        return Head(operands, {"call_target_name": target})

    def print_head(self, printer: Printer) -> None:
        printer.print_symbol_name(self.call_target_name.data)
        with printer.in_parens():
            print_values(printer, self.inputs)


ALL_OPS = (CaseOp, CompositeOp, CustomCallOp, IfOp, OptimizationBarrierOp, WhileOp)
