"""Collectives, transfers and tokens: read, printed and passed through as they are."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    TupleType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from rlx_passes.dialects.stablehlo.attributes import ChannelHandleAttr
from rlx_passes.dialects.stablehlo.syntax import Head, HeadedOp, print_values


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """`!stablehlo.token`: orders ops that have effects."""

    name = "stablehlo.token"


class CollectiveOp(IRDLOperation, ABC):
    """An op that devices run together, in groups."""

    inputs = var_operand_def()
    replica_groups = prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    channel_handle = opt_prop_def(ChannelHandleAttr)
    result = var_result_def()


class GloballyNumberedOp(CollectiveOp, ABC):
    """A collective op whose groups may number all devices."""

    use_global_device_ids = opt_prop_def(BaseAttr(UnitAttr))


@irdl_op_definition
class AllReduceOp(GloballyNumberedOp):
    """The operands of all devices combined."""

    name = "stablehlo.all_reduce"

    computation = region_def("single_block")


@irdl_op_definition
class ReduceScatterOp(GloballyNumberedOp):
    """The operands of all devices combined; each device gets its part."""

    name = "stablehlo.reduce_scatter"

    scatter_dimension = prop_def(IntegerAttr.constr(i64))
    computation = region_def("single_block")


@irdl_op_definition
class AllGatherOp(GloballyNumberedOp):
    """The operands of all devices one after the other."""

    name = "stablehlo.all_gather"

    all_gather_dim = prop_def(IntegerAttr.constr(i64))


@irdl_op_definition
class AllToAllOp(CollectiveOp):
    """Each device's operand cut into parts, the i-th of which goes to device i."""

    name = "stablehlo.all_to_all"

    split_dimension = prop_def(IntegerAttr.constr(i64))
    concat_dimension = prop_def(IntegerAttr.constr(i64))
    split_count = prop_def(IntegerAttr.constr(i64))


@irdl_op_definition
class CollectiveBroadcastOp(CollectiveOp):
    """The operand of the first device of each group."""

    name = "stablehlo.collective_broadcast"


@irdl_op_definition
class CrossReplicaSumOp(CollectiveOp):
    """The sum of the operands of all devices."""

    name = "stablehlo.cross-replica-sum"


@irdl_op_definition
class CollectivePermuteOp(IRDLOperation):
    """The operand of the device that sends to this one; zeros where there is none."""

    name = "stablehlo.collective_permute"

    inputs = var_operand_def()
    source_target_pairs = prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    channel_handle = opt_prop_def(ChannelHandleAttr)
    result = var_result_def()


class DeviceNumberOp(IRDLOperation, ABC):
    """The number of the device that runs the program."""

    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"


@irdl_op_definition
class PartitionIdOp(DeviceNumberOp):
    """The number of this partition."""

    name = "stablehlo.partition_id"


@irdl_op_definition
class ReplicaIdOp(DeviceNumberOp):
    """The number of this replica."""

    name = "stablehlo.replica_id"


@irdl_op_definition
class CreateTokenOp(IRDLOperation):
    """A token that nothing comes before."""

    name = "stablehlo.create_token"

    output = result_def(TokenType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($output)"


@irdl_op_definition
class AfterAllOp(HeadedOp):
    """A token that comes after those of the operands."""

    name = "stablehlo.after_all"
    ONE_TYPE: ClassVar[bool] = True

    inputs = var_operand_def(TokenType)
    result = result_def(TokenType)

    traits = traits_def(Pure())

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        first = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        return Head(first or [])


@irdl_op_definition
class TupleOp(IRDLOperation):
    """The operands as one value."""

    name = "stablehlo.tuple"

    val = var_operand_def()
    result = result_def(TupleType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "TupleOp":
        """`%a, %b : tuple<T, U>`"""
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        parser.parse_punctuation(":")
        type = parser.parse_type()
        if not isinstance(type, TupleType):
            parser.raise_error(f"expected a tuple type, got {type}", start)
        operands = parser.resolve_operands(unresolved or [], type.types.data, start)
        types: list[Attribute] = [type]
        return TupleOp.create(operands=operands, attributes=attributes, result_types=types)

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.operands else "")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class GetTupleElementOp(HeadedOp):
    """One of the values of a tuple."""

    name = "stablehlo.get_tuple_element"
    SHOWN: ClassVar[tuple[str, ...]] = ("index",)

    operand = operand_def(TupleType)
    index = prop_def(IntegerAttr.constr(i32))
    result = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        """`%t[0]`"""
        operand = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            index = parser.parse_integer()
        return Head([operand], {"index": IntegerAttr(index, i32)})

    def print_head(self, printer: Printer) -> None:
        printer.print_ssa_value(self.operand)
        printer.print_string(f"[{self.index.value.data}]")


class TransferOp(IRDLOperation, ABC):
    """An op that exchanges values with another program."""

    inputs = var_operand_def()
    result = var_result_def()


@irdl_op_definition
class InfeedOp(TransferOp):
    """Values from the host."""

    name = "stablehlo.infeed"

    infeed_config = opt_prop_def(StringAttr)
    layout = opt_prop_def(BaseAttr(ArrayAttr))


@irdl_op_definition
class OutfeedOp(TransferOp):
    """Values to the host."""

    name = "stablehlo.outfeed"

    outfeed_config = opt_prop_def(StringAttr)


class ChannelOp(TransferOp, ABC):
    """A transfer over a channel."""

    channel_handle = prop_def(ChannelHandleAttr)
    is_host_transfer = opt_prop_def(BaseAttr(IntegerAttr))
    source_target_pairs = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))


@irdl_op_definition
class SendOp(ChannelOp):
    """Values to another program."""

    name = "stablehlo.send"


@irdl_op_definition
class RecvOp(ChannelOp):
    """Values from another program."""

    name = "stablehlo.recv"


ALL_ATTRIBUTES = (TokenType,)
ALL_OPS = (
    AfterAllOp,
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    CollectiveBroadcastOp,
    CollectivePermuteOp,
    CreateTokenOp,
    CrossReplicaSumOp,
    GetTupleElementOp,
    InfeedOp,
    OutfeedOp,
    PartitionIdOp,
    RecvOp,
    ReduceScatterOp,
    ReplicaIdOp,
    SendOp,
    TupleOp,
)
