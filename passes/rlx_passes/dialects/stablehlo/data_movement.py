"""Ops that make, move and repeat elements."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.shapes import Shaped
from rlx_passes.dialects.stablehlo.base import I64_ARRAY, ints, require_dims, require_per_dim, tensor
from rlx_passes.dialects.stablehlo.syntax import (
    Head,
    HeadedOp,
    parse_ints,
    parse_operands_until,
    print_values,
    show_ints,
)


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """The tensor `value`."""

    name = "stablehlo.constant"

    value = prop_def()
    output = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(properties={"value": value}, result_types=[value.type])

    def verify_(self) -> None:
        value = self.value
        if not isinstance(value, DenseIntOrFPElementsAttr):
            return
        type: Attribute = cast("DenseIntOrFPElementsAttr[Any]", value).type
        if type != self.output.type:
            raise VerifyException(f"{self.name}: value has type {type}, the result {self.output.type}")

    @classmethod
    def parse(cls, parser: Parser) -> "ConstantOp":
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            parser.raise_error(f"expected a dense constant, got {value}")
        dense = cast("DenseIntOrFPElementsAttr[Any] | DenseResourceAttr", value)
        type: Attribute = dense.type
        return ConstantOp.create(properties={"value": dense}, attributes=attributes, result_types=[type])

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)


@irdl_op_definition
class IotaOp(IRDLOperation):
    """Each element is its index along one dim."""

    name = "stablehlo.iota"

    iota_dimension = prop_def(IntegerAttr.constr(i64))
    output = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "`dim` `=` $iota_dimension attr-dict `:` type($output)"

    def __init__(self, dimension: int, result_type: Attribute):
        super().__init__(properties={"iota_dimension": IntegerAttr(dimension, i64)}, result_types=[result_type])

    def verify_(self) -> None:
        require_dims(self, "iota_dimension", [self.iota_dimension.value.data], tensor(self.output, self, "output"))


@irdl_op_definition
class BroadcastInDimOp(IRDLOperation):
    """Dim i of the operand becomes dim `broadcast_dimensions[i]` of the result; a 1 stretches, new dims repeat."""

    name = "stablehlo.broadcast_in_dim"

    operand = operand_def(TensorType)
    broadcast_dimensions = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, dimensions: Sequence[int], result_type: Attribute):
        super().__init__(
            operands=[operand], properties={"broadcast_dimensions": ints(dimensions)}, result_types=[result_type]
        )

    def verify_(self) -> None:
        source, target = tensor(self.operand, self, "operand"), tensor(self.result, self, "result")
        dims, before, after = self.broadcast_dimensions.get_values(), source.get_shape(), target.get_shape()
        if len(dims) != len(before) or len(set(dims)) != len(dims) or not all(0 <= d < len(after) for d in dims):
            raise VerifyException(
                f"{self.name}: broadcast_dimensions {list(dims)} must name a dim of {target} for each of {source}"
            )
        for size, dim in zip(before, dims):
            if size not in (1, DYNAMIC_INDEX, after[dim]) and after[dim] != DYNAMIC_INDEX:
                raise VerifyException(
                    f"{self.name}: a dim of size {size} cannot become {after[dim]}: {source} to {target}"
                )


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """The same elements in row-major order under other dims."""

    name = "stablehlo.reshape"

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """Dim i of the result is dim `permutation[i]` of the operand."""

    name = "stablehlo.transpose"

    operand = operand_def(TensorType)
    permutation = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, permutation: Sequence[int]):
        source = tensor(operand, self, "operand")
        dims = [source.get_shape()[i] for i in permutation]
        super().__init__(
            operands=[operand],
            properties={"permutation": ints(permutation)},
            result_types=[Shaped(tuple(dims), source.element_type).type],
        )

    def verify_(self) -> None:
        source, target = tensor(self.operand, self, "operand"), tensor(self.result, self, "result")
        permutation, dims = self.permutation.get_values(), source.get_shape()
        if sorted(permutation) != list(range(len(dims))):
            raise VerifyException(f"{self.name}: permutation {list(permutation)} must name each dim of {source} once")
        if tuple(dims[i] for i in permutation) != target.get_shape():
            raise VerifyException(f"{self.name}: {source} permuted by {list(permutation)} is not {target}")


@irdl_op_definition
class SliceOp(HeadedOp):
    """From `start_indices` up to and without `limit_indices`, every `strides`-th element."""

    name = "stablehlo.slice"
    SHOWN: ClassVar[tuple[str, ...]] = ("start_indices", "limit_indices", "strides")

    operand = operand_def(TensorType)
    start_indices = prop_def(I64_ARRAY)
    limit_indices = prop_def(I64_ARRAY)
    strides = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(
        self, operand: SSAValue, start: Sequence[int], limit: Sequence[int], strides: Sequence[int] | None = None
    ):
        source = tensor(operand, self, "operand")
        steps = [1] * len(start) if strides is None else strides
        dims = [-(-(end - begin) // step) for begin, end, step in zip(start, limit, steps)]
        super().__init__(
            operands=[operand],
            properties={"start_indices": ints(start), "limit_indices": ints(limit), "strides": ints(steps)},
            result_types=[Shaped(tuple(dims), source.element_type).type],
        )

    def verify_(self) -> None:
        source = tensor(self.operand, self, "operand")
        lists = {"start_indices": self.start_indices, "limit_indices": self.limit_indices, "strides": self.strides}
        for name, values in lists.items():
            require_per_dim(self, name, values, source)
        bounds = zip(source.get_shape(), *(values.get_values() for values in lists.values()))
        for dim, (size, start, limit, stride) in enumerate(bounds):
            if not 0 <= start <= limit or stride < 1 or (size != DYNAMIC_INDEX and limit > size):
                raise VerifyException(f"{self.name}: {start}:{limit}:{stride} is no part of dim {dim} of {source}")

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        def bounds() -> tuple[int, int, int]:
            start = parser.parse_integer()
            parser.parse_punctuation(":")
            limit = parser.parse_integer()
            return start, limit, parser.parse_integer() if parser.parse_optional_punctuation(":") else 1

        operand = parser.parse_unresolved_operand()
        dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, bounds)
        names = ("start_indices", "limit_indices", "strides")
        return Head([operand], {name: ints([dim[i] for dim in dims]) for i, name in enumerate(names)})

    def print_head(self, printer: Printer) -> None:
        bounds = zip(self.start_indices.get_values(), self.limit_indices.get_values(), self.strides.get_values())
        shown = (f"{start}:{limit}" + (f":{stride}" if stride != 1 else "") for start, limit, stride in bounds)
        printer.print_ssa_value(self.operand)
        printer.print_string(f" [{', '.join(shown)}]")


@irdl_op_definition
class ConcatenateOp(HeadedOp):
    """The inputs one after the other along `dimension`."""

    name = "stablehlo.concatenate"
    SHOWN: ClassVar[tuple[str, ...]] = ("dimension",)

    inputs = var_operand_def(TensorType)
    dimension = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, inputs: Sequence[SSAValue], dimension: int, result_type: Attribute):
        super().__init__(
            operands=[inputs], properties={"dimension": IntegerAttr(dimension, i64)}, result_types=[result_type]
        )

    def verify_(self) -> None:
        require_dims(self, "dimension", [self.dimension.value.data], tensor(self.result, self, "result"))

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        operands = parse_operands_until(parser, "dim")
        return Head(operands, {"dimension": IntegerAttr(parser.parse_integer(), i64)})

    def print_head(self, printer: Printer) -> None:
        print_values(printer, self.inputs)
        printer.print_string(f", dim = {self.dimension.value.data}")


@irdl_op_definition
class PadOp(IRDLOperation):
    """The operand with `padding_value` before, after and between its elements; negative edges cut."""

    name = "stablehlo.pad"

    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = prop_def(I64_ARRAY)
    edge_padding_high = prop_def(I64_ARRAY)
    interior_padding = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,` "
        "`interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        operand: SSAValue,
        padding_value: SSAValue,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int],
        result_type: Attribute,
    ):
        super().__init__(
            operands=[operand, padding_value],
            properties={
                "edge_padding_low": ints(low),
                "edge_padding_high": ints(high),
                "interior_padding": ints(interior),
            },
            result_types=[result_type],
        )

    def verify_(self) -> None:
        source = tensor(self.operand, self, "operand")
        require_per_dim(self, "edge_padding_low", self.edge_padding_low, source)
        require_per_dim(self, "edge_padding_high", self.edge_padding_high, source)
        require_per_dim(self, "interior_padding", self.interior_padding, source)
        if any(gap < 0 for gap in self.interior_padding.get_values()):
            raise VerifyException(f"{self.name}: interior_padding must not be negative")


@irdl_op_definition
class ReverseOp(HeadedOp):
    """The elements in the other order along `dimensions`."""

    name = "stablehlo.reverse"
    ONE_TYPE: ClassVar[bool] = True
    SHOWN: ClassVar[tuple[str, ...]] = ("dimensions",)

    operand = operand_def(TensorType)
    dimensions = prop_def(I64_ARRAY)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, dimensions: Sequence[int]):
        super().__init__(operands=[operand], properties={"dimensions": ints(dimensions)}, result_types=[operand.type])

    def verify_(self) -> None:
        require_dims(self, "dimensions", self.dimensions.get_values(), tensor(self.operand, self, "operand"))

    @classmethod
    def parse_head(cls, parser: Parser) -> Head:
        return Head(parse_operands_until(parser, "dims"), {"dimensions": ints(parse_ints(parser))})

    def print_head(self, printer: Printer) -> None:
        printer.print_ssa_value(self.operand)
        printer.print_string(f", dims = {show_ints(self.dimensions)}")


ALL_OPS = (
    BroadcastInDimOp,
    ConcatenateOp,
    ConstantOp,
    IotaOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TransposeOp,
)
