"""
Control flow with regions that are isolated from above: what a region reads comes in through its arguments.

Carried values keep their types from round to round, so that the loop has one meaning whatever the number of rounds.
"""

from abc import ABC
from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, RecursivelySpeculatable, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.ops.base import Operands, RlxOp, i64_attr
from rlx_dialect.ops.bindings import (
    parse_attributes,
    parse_bindings,
    parse_optional_bindings,
    parse_optional_group,
    parse_signature,
    print_attributes,
    print_bindings,
    print_optional_bindings,
    print_signature,
    resolve,
    unzip,
)
from rlx_dialect.ops.regions import refine_region, require_arguments, yielded
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, meet, require_element, shaped


def _all_shaped(values: Sequence[SSAValue], name: str) -> list[Shaped]:
    return [shaped(value, f"{name} #{i}") for i, value in enumerate(values)]


def _require_truth(value: Shaped, name: str) -> None:
    """One i1."""
    require_element(i1, value.element, name)
    if any(size != 1 for size in value.dims):
        raise ShapeError(f"{name} must hold one element, got {value}")


def _require_kept(carried: Sequence[Shaped], given: Sequence[Shaped]) -> None:
    """Each carried value goes into the next round with the type that it had."""
    for i, (before, after) in enumerate(zip(carried, given)):
        if before != after:
            raise ShapeError(f"carried value #{i} is {before}, but the body yields {after}")


def _joined(a: Shaped, b: Shaped, name: str) -> Shaped:
    """What is known of a value that is `a` or `b`."""
    if a.element != b.element or a.rank != b.rank:
        raise ShapeError(f"{name} is {a} in the first region and {b} in the second")
    return a.with_dims(x if x == y else DYNAMIC for x, y in zip(a.dims, b.dims))


def entry_of(scanned: SSAValue, index: int) -> Shaped:
    """What one round of a scan reads of an operand."""
    value = shaped(scanned, f"scanned operand #{index}")
    if not value.dims:
        raise ShapeError(f"scanned operand #{index} must have rank 1 or more, got {value}")
    return value.with_dims(value.dims[1:])


def _print_named(printer: Printer, keyword: str, region: Region) -> None:
    """`else(%a, %b) {...}`: the names of the arguments, whose types the operands say."""
    printer.print_string(f" {keyword}")
    with printer.in_parens():
        printer.print_list(region.block.args, lambda arg: printer.print_block_argument(arg, print_type=False))
    printer.print_string(" ")
    printer.print_region(region, print_entry_block_args=False)


def _parse_named(parser: Parser, keyword: str, types: Sequence[Attribute]) -> Region:
    """The inverse of `_print_named`."""
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

    condition is one i1. Both regions take `captures` as arguments and yield as many values, of equal element types and ranks; a dim in which
    the two differ is `?` in the result.
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

    def infer(self) -> Sequence[Shaped]:
        _require_truth(shaped(self.condition, "condition"), "condition")
        captures = _all_shaped(self.captures, "capture")
        given: list[list[Shaped]] = []
        for region, name in ((self.then, "then"), (self.otherwise, "else")):
            require_arguments(region, captures, name)
            given.append(_all_shaped(yielded(region, name), f"value yielded by {name}"))
        first, second = given
        if len(first) != len(second):
            raise ShapeError(f"both regions must yield as many values, got {len(first)} and {len(second)}")
        return [_joined(a, b, f"result #{i}") for i, (a, b) in enumerate(zip(first, second))]

    def refine(self) -> None:
        captures = _all_shaped(self.captures, "capture")
        for region in (self.then, self.otherwise):
            refine_region(region, captures)
        super().refine()

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        print_bindings(printer, zip(self.then.block.args, self.captures))
        print_attributes(printer, self)
        print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.then, print_entry_block_args=False)
        _print_named(printer, "else", self.otherwise)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.parse_unresolved_operand()
        arguments, captures = unzip(parse_bindings(parser))
        attributes = parse_attributes(parser)
        type = parse_signature(parser, 1 + len(captures))
        operands = resolve(parser, [condition, *captures], type.inputs.data)
        types = type.inputs.data[1:]
        then = parser.parse_region([argument.resolve(each) for argument, each in zip(arguments, types)])
        otherwise = _parse_named(parser, "else", types)
        return cls.create(
            operands=operands, result_types=type.outputs.data, attributes=attributes, regions=[then, otherwise]
        )


@irdl_op_definition
class WhileOp(ControlOp):
    """
    `body` again and again while `cond` holds; the results are the carried values after the last round.

    Both regions take the carried values and then `captures`, which stay the same. cond yields one i1, body the carried values of the next
    round, whose types do not change. With `max_iterations` the loop ends after so many rounds even if `cond` still holds.
    """

    name = "rlx.while"

    carried = var_operand_def(TensorType)
    captures = var_operand_def(TensorType)
    max_iterations = opt_prop_def(IntegerAttr)
    cond = region_def("single_block")
    body = region_def("single_block")
    outputs = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect(), IsolatedFromAbove())

    def __init__(
        self,
        carried: Sequence[SSAValue],
        captures: Sequence[SSAValue],
        cond: Region,
        body: Region,
        *,
        max_iterations: int | None = None,
    ):
        super().__init__(
            [carried, captures],
            [cond, body],
            len(carried),
            {"max_iterations": None if max_iterations is None else i64_attr(max_iterations)},
        )

    @property
    def limit(self) -> int | None:
        """The largest number of rounds."""
        return None if self.max_iterations is None else self.max_iterations.value.data

    def _arguments(self) -> list[Shaped]:
        return [*_all_shaped(self.carried, "carried value"), *_all_shaped(self.captures, "capture")]

    def infer(self) -> Sequence[Shaped]:
        if self.limit is not None and self.limit < 0:
            raise ShapeError(f"max_iterations must not be negative, got {self.limit}")
        carried, arguments = _all_shaped(self.carried, "carried value"), self._arguments()
        require_arguments(self.cond, arguments, "cond")
        require_arguments(self.body, arguments, "body")
        condition = yielded(self.cond, "cond")
        if len(condition) != 1:
            raise ShapeError(f"cond must yield one value, got {len(condition)}")
        _require_truth(shaped(condition[0], "the value yielded by cond"), "the value yielded by cond")
        given = yielded(self.body)
        if len(given) != len(carried):
            raise ShapeError(f"body must yield the {len(carried)} carried values, got {len(given)}")
        _require_kept(carried, _all_shaped(given, "value yielded by body"))
        return carried

    def refine(self) -> None:
        for region in (self.cond, self.body):
            refine_region(region, self._arguments())
        super().refine()

    def print(self, printer: Printer) -> None:
        count = len(self.carried)
        print_bindings(printer, zip(self.cond.block.args, self.carried))
        print_optional_bindings(printer, "captures", list(zip(self.cond.block.args[count:], self.captures)))
        if self.limit is not None:
            printer.print_string(f" max_iterations({self.limit})")
        print_attributes(printer, self)
        print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.cond, print_entry_block_args=False)
        _print_named(printer, "do", self.body)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        carried, captures = parse_bindings(parser), parse_optional_bindings(parser, "captures")
        limit = parse_optional_group(parser, "max_iterations")
        attributes = parse_attributes(parser)
        arguments, operands = unzip([*carried, *captures])
        type = parse_signature(parser, len(operands))
        types = type.inputs.data
        values = resolve(parser, operands, types)
        cond = parser.parse_region([argument.resolve(each) for argument, each in zip(arguments, types)])
        body = _parse_named(parser, "do", types)
        return cls.build(
            operands=[values[: len(carried)], values[len(carried) :]],
            result_types=[type.outputs.data],
            properties={"max_iterations": None if limit is None else i64_attr(limit)},
            attributes=attributes,
            regions=[cond, body],
        )


@irdl_op_definition
class ScanOp(ControlOp):
    """
    `body` once for each entry of axis 0 of the scanned operands; what it yields beyond the carried values is stacked on a new axis 0.

    The body takes the carried values, one entry of each of `scanned`, and `captures`, which stay the same. It yields the carried values of the
    next round, whose types do not change, and any number of outputs. The results are the carried values after the last round, then each
    output with the number of rounds before its dims. `length` says the number of rounds where nothing is scanned; with `reverse` the
    entries are read, and the outputs written, from the last to the first.
    """

    name = "rlx.scan"

    carried = var_operand_def(TensorType)
    scanned = var_operand_def(TensorType)
    captures = var_operand_def(TensorType)
    length = opt_prop_def(IntegerAttr)
    reverse = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    outputs = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect(), IsolatedFromAbove())

    def __init__(
        self,
        carried: Sequence[SSAValue],
        scanned: Sequence[SSAValue],
        captures: Sequence[SSAValue],
        body: Region,
        *,
        length: int | None = None,
        reverse: bool = False,
    ):
        super().__init__(
            [carried, scanned, captures],
            [body],
            len(yielded(body)),
            {"length": None if length is None else i64_attr(length), "reverse": UnitAttr() if reverse else None},
        )

    def rounds(self) -> int:
        """The number of rounds, `DYNAMIC` where it is known at run time only."""
        length = DYNAMIC if self.length is None else self.length.value.data
        if self.length is not None and length < 0:
            raise ShapeError(f"length must not be negative, got {length}")
        if self.length is None and not self.scanned:
            raise ShapeError("needs a length where nothing is scanned")
        for i, operand in enumerate(self.scanned):
            entry_of(operand, i)
            value = shaped(operand)
            length = meet(length, value.dims[0], f"the number of rounds and dim 0 of scanned operand #{i} {value}")
        return length

    def _arguments(self) -> list[Shaped]:
        return [
            *_all_shaped(self.carried, "carried value"),
            *(entry_of(operand, i) for i, operand in enumerate(self.scanned)),
            *_all_shaped(self.captures, "capture"),
        ]

    def infer(self) -> Sequence[Shaped]:
        rounds, carried = self.rounds(), _all_shaped(self.carried, "carried value")
        require_arguments(self.body, self._arguments())
        given = _all_shaped(yielded(self.body), "value yielded by body")
        if len(given) < len(carried):
            raise ShapeError(f"body must yield the {len(carried)} carried values, got {len(given)}")
        _require_kept(carried, given)
        return [*carried, *(value.with_dims((rounds, *value.dims)) for value in given[len(carried) :])]

    def refine(self) -> None:
        self.rounds()
        refine_region(self.body, self._arguments())
        super().refine()

    def print(self, printer: Printer) -> None:
        pairs = list(zip(self.body.block.args, self.operands))
        first, second = len(self.carried), len(self.carried) + len(self.scanned)
        print_bindings(printer, pairs[:first])
        print_optional_bindings(printer, "over", pairs[first:second])
        print_optional_bindings(printer, "captures", pairs[second:])
        if self.length is not None:
            printer.print_string(f" length({self.length.value.data})")
        if self.reverse is not None:
            printer.print_string(" reverse")
        print_attributes(printer, self)
        print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        carried = parse_bindings(parser)
        scanned, captures = (parse_optional_bindings(parser, keyword) for keyword in ("over", "captures"))
        length = parse_optional_group(parser, "length")
        reverse = parser.parse_optional_keyword("reverse") is not None
        attributes = parse_attributes(parser)
        arguments, operands = unzip([*carried, *scanned, *captures])
        start = parser.pos
        type = parse_signature(parser, len(operands))
        values = resolve(parser, operands, type.inputs.data)
        first, second = len(carried), len(carried) + len(scanned)
        read: list[Attribute] = []
        for i, value in enumerate(values):
            try:
                read.append(entry_of(value, i - first).type if first <= i < second else value.type)
            except ShapeError as error:
                parser.raise_error(f"{cls.name}: {error}", start, parser.pos)
        body = parser.parse_region([argument.resolve(each) for argument, each in zip(arguments, read)])
        return cls.build(
            operands=[values[:first], values[first:second], values[second:]],
            result_types=[type.outputs.data],
            properties={
                "length": None if length is None else i64_attr(length),
                "reverse": UnitAttr() if reverse else None,
            },
            attributes=attributes,
            regions=[body],
        )
