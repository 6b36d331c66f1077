"""Ops that combine many elements into one, and the end of their bodies."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    SameVariadicOperandSize,
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
from xdsl.parser import Parser, Position, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.shapes import Shaped
from rlx_passes.dialects.stablehlo.base import I64_ARRAY, BinaryOp, ints, require_dims, require_per_dim, tensor
from rlx_passes.dialects.stablehlo.syntax import parse_argument, parse_ints, parse_keyword, parse_types, show_ints


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a body: what it computes."""

    name = "stablehlo.return"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])


def combining_body(element: Attribute, kind: type[BinaryOp]) -> Region:
    """A body that applies one elementwise op to its two scalar arguments."""
    scalar = TensorType(element, [])
    block = Block(arg_types=[scalar, scalar])
    combined = kind(*block.args)
    block.add_ops([combined, ReturnOp([combined.result])])
    return Region(block)


def _parse_pair(parser: Parser) -> tuple[UnresolvedOperand, UnresolvedOperand]:
    """`(%x init: %c)`"""
    with parser.in_parens():
        value = parser.parse_unresolved_operand()
        parser.parse_keyword("init")
        parser.parse_punctuation(":")
        return value, parser.parse_unresolved_operand()


def _applied(parser: Parser, name: str, at: Position, result: Attribute) -> Region:
    """The body that applies the op called `name`, written at `at`."""
    kind = parser.ctx.get_optional_op(name)
    if kind is None or not issubclass(kind, BinaryOp) or not isinstance(result, TensorType):
        parser.raise_error(f"'{name}' is no elementwise op of two operands", at, at + len(name))
    return combining_body(cast("TensorType[Attribute]", result).element_type, kind)


def _parse_body(parser: Parser, count: int) -> Region:
    """`reducer(%a: T, %b: T) (%c: U, %d: U) {...}`, a pair per input; the block takes all the first ones first."""
    parser.parse_keyword("reducer")

    def pair() -> list[Parser.Argument]:
        return parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_argument(parser))

    pairs = [pair() for _ in range(count)]
    return parser.parse_region([each[side] for side in (0, 1) for each in pairs])


def _print_body(printer: Printer, body: Region, count: int) -> None:
    arguments = body.block.args
    printer.print_string(" reducer")
    for first, second in zip(arguments[:count], arguments[count:]):
        with printer.in_parens():
            printer.print_list((first, second), printer.print_block_argument)
        printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


def require_pairs(op: Operation, body: Region, count: int) -> None:
    """A body takes two arguments for each of `count` inputs, at least one. Raises `VerifyException` otherwise."""
    if not count:
        raise VerifyException(f"{op.name}: needs an input")
    if len(body.block.args) != 2 * count:
        raise VerifyException(f"{op.name}: the body needs two arguments for each of {count} inputs")


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """The inputs combined by `body` over `dimensions`, which are dropped, starting from the initial values."""

    name = "stablehlo.reduce"

    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    dimensions = prop_def(I64_ARRAY)
    body = region_def("single_block")
    result = var_result_def(TensorType)

    irdl_options = (SameVariadicOperandSize(),)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, input: SSAValue, init: SSAValue, dimensions: Sequence[int], kind: type[BinaryOp]):
        """One input combined by one elementwise op."""
        source = tensor(input, self, "input")
        dims = [size for i, size in enumerate(source.get_shape()) if i not in dimensions]
        super().__init__(
            operands=[[input], [init]],
            properties={"dimensions": ints(dimensions)},
            regions=[combining_body(source.element_type, kind)],
            result_types=[[Shaped(tuple(dims), source.element_type).type]],
        )

    def verify_(self) -> None:
        require_pairs(self, self.body, len(self.inputs))
        for i, value in enumerate(self.inputs):
            require_dims(self, "dimensions", self.dimensions.get_values(), tensor(value, self, f"input {i}"))

    @classmethod
    def parse(cls, parser: Parser) -> "ReduceOp":
        """`(%x init: %c) applies stablehlo.add across dimensions = [1] : TYPES`, or a body after the types."""
        pairs = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _parse_pair(parser))
        applies = parser.parse_optional_keyword("applies") is not None
        start = parser.pos
        applied = parser.parse_identifier() if applies else None
        parser.parse_keyword("across")
        parse_keyword(parser, "dimensions")
        dimensions = ints(parse_ints(parser))
        attributes = parser.parse_optional_attr_dict()
        position = parser.pos
        parser.parse_punctuation(":")
        types, outputs = parse_types(parser, 2 * len(pairs))
        unresolved = [*(pair[0] for pair in pairs), *(pair[1] for pair in pairs)]
        operands = parser.resolve_operands(unresolved, types, position)
        body = _parse_body(parser, len(pairs)) if applied is None else _applied(parser, applied, start, outputs[0])
        return ReduceOp.create(
            operands=operands,
            properties={"dimensions": dimensions},
            attributes=attributes,
            regions=[body],
            result_types=outputs,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        for i, (value, init) in enumerate(zip(self.inputs, self.init_values)):
            printer.print_string("), (" if i else "")
            printer.print_ssa_value(value)
            printer.print_string(" init: ")
            printer.print_ssa_value(init)
        printer.print_string(")")
        applied = self.combination
        if applied is not None and (applied.attributes or tuple(applied.operands) != self.body.block.args):
            applied = None
        printer.print_string("" if applied is None else f" applies {applied.name}")
        printer.print_string(f" across dimensions = {show_ints(self.dimensions)}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type([value.type for value in self.operands], [value.type for value in self.results])
        if applied is None:
            _print_body(printer, self.body, len(self.inputs))

    @property
    def combination(self) -> BinaryOp | None:
        """The one elementwise op that the body applies to its two arguments, in either order; None for other bodies."""
        block = self.body.block
        first, end = block.first_op, block.last_op
        if (
            len(block.args) == 2
            and isinstance(first, BinaryOp)
            and isinstance(end, ReturnOp)
            and first.next_op is end
            and set(first.operands) == set(block.args)
            and tuple(end.operands) == (first.result,)
        ):
            return first
        return None


@irdl_op_definition
class ReduceWindowOp(IRDLOperation):
    """The inputs combined by `body` over each place of a window."""

    name = "stablehlo.reduce_window"

    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    window_dimensions = prop_def(I64_ARRAY)
    window_strides = opt_prop_def(I64_ARRAY)
    base_dilations = opt_prop_def(I64_ARRAY)
    window_dilations = opt_prop_def(I64_ARRAY)
    padding = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    body = region_def("single_block")
    result = var_result_def(TensorType)

    irdl_options = (SameVariadicOperandSize(),)
    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        require_pairs(self, self.body, len(self.inputs))
        for i, value in enumerate(self.inputs):
            source = tensor(value, self, f"input {i}")
            require_per_dim(self, "window_dimensions", self.window_dimensions, source)
            require_per_dim(self, "window_strides", self.window_strides, source)
            require_per_dim(self, "base_dilations", self.base_dilations, source)
            require_per_dim(self, "window_dilations", self.window_dilations, source)
        sizes = (self.window_dimensions, self.window_strides, self.base_dilations, self.window_dilations)
        if any(each < 1 for values in sizes if values is not None for each in values.get_values()):
            raise VerifyException(f"{self.name}: a window and its steps must be positive")

    def __init__(
        self,
        input: SSAValue,
        init: SSAValue,
        window: Sequence[int],
        padding: Sequence[tuple[int, int]],
        kind: type[BinaryOp],
    ):
        """One input combined by one elementwise op, the window moved by 1."""
        source = tensor(input, self, "input")
        ones = ints([1] * len(window))
        sizes = zip(source.get_shape(), padding, window)
        dims = [size + low + high - width + 1 for size, (low, high), width in sizes]
        edges = [edge for pair in padding for edge in pair]
        super().__init__(
            operands=[[input], [init]],
            properties={
                "window_dimensions": ints(window),
                "window_strides": ones,
                "base_dilations": ones,
                "window_dilations": ones,
                "padding": DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(window), 2]), edges),
            },
            regions=[combining_body(source.element_type, kind)],
            result_types=[[Shaped(tuple(dims), source.element_type).type]],
        )


@irdl_op_definition
class MapOp(IRDLOperation):
    """`computation` of the elements of the inputs, each by itself."""

    name = "stablehlo.map"

    inputs = var_operand_def(TensorType)
    dimensions = prop_def(I64_ARRAY)
    computation = region_def("single_block")
    result = result_def(TensorType)

    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        if not self.inputs or len(self.computation.block.args) != len(self.inputs):
            raise VerifyException(
                f"{self.name}: computation needs an argument for each input, of which there is one or more"
            )


@irdl_op_definition
class SelectAndScatterOp(IRDLOperation):
    """Each element of `source` scattered to the element of its window that `select` keeps, combined by `scatter`."""

    name = "stablehlo.select_and_scatter"

    operand = operand_def(TensorType)
    source = operand_def(TensorType)
    init_value = operand_def(TensorType)
    window_dimensions = opt_prop_def(I64_ARRAY)
    window_strides = opt_prop_def(I64_ARRAY)
    padding = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    select = region_def("single_block")
    scatter = region_def("single_block")
    result = result_def(TensorType)

    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        require_pairs(self, self.select, 1)
        require_pairs(self, self.scatter, 1)
        source = tensor(self.operand, self, "operand")
        require_per_dim(self, "window_dimensions", self.window_dimensions, source)
        require_per_dim(self, "window_strides", self.window_strides, source)


ALL_OPS = (MapOp, ReduceOp, ReduceWindowOp, ReturnOp, SelectAndScatterOp)
