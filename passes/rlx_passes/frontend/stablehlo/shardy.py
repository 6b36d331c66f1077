"""
The part of Shardy that JAX prints for programs of one function: meshes, and how values lie on them. Read, printed and passed through.

An attribute is kept as the text between its brackets.
"""

from abc import ABC

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Data, Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SymbolOpInterface


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


SDY = Dialect("sdy", [MeshOp, ShardingConstraintOp], [MeshAttr, OpShardingRuleAttr, ShardingAttr, ShardingPerValueAttr])
"""The dialect object, for `Context.load_dialect`."""
