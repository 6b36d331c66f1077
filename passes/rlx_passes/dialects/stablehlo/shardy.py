"""
What of Shardy JAX prints: meshes, how values lie on them, and what each device computes. Read, printed, passed on.

An attribute is kept as the text between its brackets.
"""

from abc import ABC

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Data, Dialect, OpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect, SymbolOpInterface

from rlx_passes.dialects.stablehlo.syntax import parse_argument, print_values


class TextAttr(Data[str], ABC):
    """An attribute that nothing here looks into."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser._parse_unregistered_attr_body(None)  # pyright: ignore[reportPrivateUsage]

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class MeshAttr(TextAttr):
    """`#sdy.mesh<["x"=2]>`"""

    name = "sdy.mesh"


@irdl_attr_definition
class ShardingAttr(TextAttr):
    """`#sdy.sharding<@mesh, [{"x"}, {}]>`"""

    name = "sdy.sharding"


@irdl_attr_definition
class ShardingPerValueAttr(TextAttr):
    """`#sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>`"""

    name = "sdy.sharding_per_value"


@irdl_attr_definition
class OpShardingRuleAttr(TextAttr):
    """`#sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4}>`"""

    name = "sdy.op_sharding_rule"


@irdl_attr_definition
class ManualAxesAttr(OpaqueSyntaxAttribute, TextAttr):
    """`#sdy<manual_axes{"x"}>`"""

    name = "sdy.manual_axes"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return parser._parse_unregistered_attr_body(None)  # pyright: ignore[reportPrivateUsage]

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)


@irdl_op_definition
class MeshOp(IRDLOperation):
    """Devices in a grid with named axes."""

    name = "sdy.mesh"

    sym_name = prop_def(StringAttr)
    mesh = prop_def(MeshAttr)

    traits = traits_def(SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> "MeshOp":
        """`@mesh = <["x"=2]>`"""
        name = parser.parse_symbol_name()
        parser.parse_punctuation("=")
        mesh = MeshAttr(MeshAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        return MeshOp.create(properties={"sym_name": name, "mesh": mesh}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" = ")
        self.mesh.print_parameter(printer)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ShardingConstraintOp(IRDLOperation):
    """The operand, which lies on a mesh as `sharding` says."""

    name = "sdy.sharding_constraint"

    input = operand_def()
    sharding = prop_def(ShardingAttr)
    result = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "ShardingConstraintOp":
        """`%x <@mesh, [{"x"}, {}]> : T`"""
        unresolved = parser.parse_unresolved_operand()
        sharding = ShardingAttr(ShardingAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return ShardingConstraintOp.create(
            operands=[parser.resolve_operand(unresolved, type)],
            properties={"sharding": sharding},
            attributes=attributes,
            result_types=[type],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        printer.print_string(" ")
        self.sharding.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class ManualComputationOp(IRDLOperation):
    """What `body` computes on each device of its part of the operands, put together."""

    name = "sdy.manual_computation"

    tensors = var_operand_def()
    in_shardings = prop_def(ShardingPerValueAttr)
    out_shardings = prop_def(ShardingPerValueAttr)
    manual_axes = prop_def(ManualAxesAttr)
    body = region_def("single_block")
    results_ = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> "ManualComputationOp":
        """`(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[...] manual_axes={"x"} (%y: T) {...} : (T) -> T`"""
        start = parser.pos
        unresolved: list[UnresolvedOperand] = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        properties: dict[str, Attribute] = {}
        for name in SHARDINGS:
            parser.parse_keyword(name)
            parser.parse_punctuation("=")
            each = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _sharding(parser))
            properties[name] = ShardingPerValueAttr(f"[{', '.join(each)}]")
        parser.parse_keyword("manual_axes")
        parser.parse_punctuation("=")
        axes = parser.parse_comma_separated_list(parser.Delimiter.BRACES, lambda: _axis(parser))
        properties["manual_axes"] = ManualAxesAttr(f"{{{', '.join(axes)}}}")
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_argument(parser))
        body = parser.parse_region(arguments)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        return ManualComputationOp.create(
            operands=parser.resolve_operands(unresolved, type.inputs.data, start),
            properties=properties,
            attributes=attributes,
            regions=[body],
            result_types=type.outputs.data,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        print_values(printer, self.tensors)
        printer.print_string(f") in_shardings={self.in_shardings.data} out_shardings={self.out_shardings.data}")
        printer.print_string(f" manual_axes={self.manual_axes.data} (")
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)  # a location comes after the op


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a manual computation."""

    name = "sdy.return"

    values = var_operand_def()

    traits = traits_def(IsTerminator())

    assembly_format = "attr-dict ($values^ `:` type($values))?"


SHARDINGS = ("in_shardings", "out_shardings")


def _sharding(parser: Parser) -> str:
    return f"<{ShardingAttr.parse_parameter(parser)}>"


def _axis(parser: Parser) -> str:
    return f'"{parser.parse_str_literal()}"'


SDY = Dialect(
    "sdy",
    [ManualComputationOp, MeshOp, ReturnOp, ShardingConstraintOp],
    [ManualAxesAttr, MeshAttr, OpShardingRuleAttr, ShardingAttr, ShardingPerValueAttr],
)
"""The dialect object, for `Context.load_dialect`."""
