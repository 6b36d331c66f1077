"""Control flow with regions that are isolated from above: what a region reads comes in through its arguments."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, RecursivelySpeculatable, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.ops.base import Operands, RlxOp
from rlx_dialect.ops.bindings import (
    parse_attributes,
    parse_bindings,
    parse_signature,
    print_attributes,
    print_bindings,
    print_signature,
    resolve,
    unzip,
)
from rlx_dialect.ops.regions import refine_region, require_arguments, yielded
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, require_element, shaped


def all_shaped(values: Sequence[SSAValue], name: str) -> list[Shaped]:
    return [shaped(value, f"{name} #{i}") for i, value in enumerate(values)]


def require_truth(value: Shaped, name: str) -> None:
    """One i1."""
    require_element(i1, value.element, name)
    if any(size != 1 for size in value.dims):
        raise ShapeError(f"{name} must hold one element, got {value}")


def _joined(a: Shaped, b: Shaped, name: str) -> Shaped:
    """What is known of a value that is `a` or `b`."""
    if a.element != b.element or a.rank != b.rank:
        raise ShapeError(f"{name} is {a} in the first region and {b} in the second")
    return a.with_dims(x if x == y else DYNAMIC for x, y in zip(a.dims, b.dims))


def print_named(printer: Printer, keyword: str, region: Region) -> None:
    """`else(%a, %b) {...}`: the names of the arguments, whose types the operands say."""
    printer.print_string(f" {keyword}")
    with printer.in_parens():
        printer.print_list(region.block.args, lambda arg: printer.print_block_argument(arg, print_type=False))
    printer.print_string(" ")
    printer.print_region(region, print_entry_block_args=False)


def parse_named(parser: Parser, keyword: str, types: Sequence[Attribute]) -> Region:
    """The inverse of `print_named`."""
    parser.parse_keyword(keyword)
    start = parser.pos
    names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False))
    if len(names) != len(types):
        parser.raise_error(f"{keyword} needs {len(types)} arguments, got {len(names)}", start, parser.pos)
    return parser.parse_region([name.resolve(type) for name, type in zip(names, types)])


class ControlOp(RlxOp, ABC):
    """An op with any number of results, which are tensors."""

    def __init__(
        self,
        operands: Operands,
        regions: Sequence[Region],
        results: int,
        properties: dict[str, Attribute | None] | None = None,
    ):
        unknown = TensorType[Attribute](i1, [])
        super().__init__(operands=operands, properties=properties, result_types=[[unknown] * results], regions=regions)
        self.refine()

    @property
    def carries(self) -> int:
        """How many operands, the first ones, say what the arguments of the body are in the first round only."""
        return 0

    @abstractmethod
    def arguments(self) -> Sequence[Shaped]:
        """What the arguments of the regions are."""

    def verify_(self) -> None:
        try:
            wanted = len(self.infer())
        except ShapeError as error:
            raise VerifyException(f"{self.name}: {error}") from error
        if len(self.results) != wanted:
            raise VerifyException(f"{self.name}: must have {wanted} results, got {len(self.results)}")
        super().verify_()


@irdl_op_definition
class IfOp(ControlOp):
    """
    The results of `then` where `condition` holds, else those of `otherwise`; the other region does not run.

    condition is one i1. Both regions take `captures` as arguments and yield as many values, of equal element types and
    ranks; a dim in which the two differ is `?` in the result.
    """

    name = "rlx.if"

    condition = operand_def(TensorType)
    captures = var_operand_def(TensorType)
    then = region_def("single_block")
    otherwise = region_def("single_block")
    outputs = var_result_def(TensorType)

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable(), IsolatedFromAbove())

    def __init__(self, condition: SSAValue, captures: Sequence[SSAValue], then: Region, otherwise: Region):
        super().__init__([condition, captures], [then, otherwise], len(yielded(then, "then")))

    def arguments(self) -> Sequence[Shaped]:
        return all_shaped(self.captures, "capture")

    def infer(self) -> Sequence[Shaped]:
        require_truth(shaped(self.condition, "condition"), "condition")
        captures = self.arguments()
        given: list[list[Shaped]] = []
        for region, name in ((self.then, "then"), (self.otherwise, "else")):
            require_arguments(region, captures, name)
            given.append(all_shaped(yielded(region, name), f"value yielded by {name}"))
        first, second = given
        if len(first) != len(second):
            raise ShapeError(f"both regions must yield as many values, got {len(first)} and {len(second)}")
        return [_joined(a, b, f"result #{i}") for i, (a, b) in enumerate(zip(first, second))]

    def refine(self) -> None:
        for region in (self.then, self.otherwise):
            refine_region(region, self.arguments())
        super().refine()

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        print_bindings(printer, zip(self.then.block.args, self.captures))
        print_attributes(printer, self)
        print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.then, print_entry_block_args=False)
        print_named(printer, "else", self.otherwise)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.parse_unresolved_operand()
        arguments, captures = unzip(parse_bindings(parser))
        attributes = parse_attributes(parser)
        type = parse_signature(parser, 1 + len(captures))
        operands = resolve(parser, [condition, *captures], type.inputs.data)
        types = type.inputs.data[1:]
        then = parser.parse_region([argument.resolve(each) for argument, each in zip(arguments, types)])
        otherwise = parse_named(parser, "else", types)
        return cls.create(
            operands=operands, result_types=type.outputs.data, attributes=attributes, regions=[then, otherwise]
        )
