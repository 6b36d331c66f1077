"""
Loops, whose regions are isolated from above.

Carried values keep their types from round to round, so that a loop has one meaning whatever the number of rounds.
"""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, RecursiveMemoryEffect

from rlx_dialect.ops.base import i64_attr
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
from rlx_dialect.ops.control_flow import ControlOp, all_shaped, parse_named, print_named, require_truth
from rlx_dialect.ops.regions import refine_region, require_arguments, yielded
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, alike, meet, shaped


def _require_kept(carried: Sequence[Shaped], given: Sequence[Shaped]) -> None:
    """Each carried value goes into the next round with the type that it had."""
    for i, (before, after) in enumerate(zip(carried, given)):
        if not alike(before, after):
            raise ShapeError(f"carried value #{i} is {before}, but the body yields {after}")


def entry_of(scanned: SSAValue, index: int, name: str = "scanned operand") -> Shaped:
    """What one round of a scan reads of an operand."""
    value = shaped(scanned, f"{name} #{index}")
    if not value.dims:
        raise ShapeError(f"{name} #{index} must have rank 1 or more, got {value}")
    return value.with_dims(value.dims[1:])


@irdl_op_definition
class WhileOp(ControlOp):
    """
    `body` again and again while `cond` holds; the results are the carried values after the last round.

    Both regions take the carried values and then `captures`, which stay the same. cond yields one i1, body the carried
    values of the next round, whose types do not change. With `max_iterations` the loop ends then even if `cond` holds.
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

    @property
    def carries(self) -> int:
        return len(self.carried)

    def arguments(self) -> list[Shaped]:
        return [*all_shaped(self.carried, "carried value"), *all_shaped(self.captures, "capture")]

    def infer(self) -> Sequence[Shaped]:
        if self.limit is not None and self.limit < 0:
            raise ShapeError(f"max_iterations must not be negative, got {self.limit}")
        carried, arguments = all_shaped(self.carried, "carried value"), self.arguments()
        require_arguments(self.cond, arguments, "cond")
        require_arguments(self.body, arguments, "body")
        condition = yielded(self.cond, "cond")
        if len(condition) != 1:
            raise ShapeError(f"cond must yield one value, got {len(condition)}")
        require_truth(shaped(condition[0], "the value yielded by cond"), "the value yielded by cond")
        given = yielded(self.body)
        if len(given) != len(carried):
            raise ShapeError(f"body must yield the {len(carried)} carried values, got {len(given)}")
        _require_kept(carried, all_shaped(given, "value yielded by body"))
        return carried

    def refine(self) -> None:
        for region in (self.cond, self.body):
            refine_region(region, self.arguments())
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
        print_named(printer, "do", self.body)

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
        body = parse_named(parser, "do", types)
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
    `body` once for each entry of axis 0 of the scanned operands; what it yields beyond the carried values is stacked on
    a new axis 0.

    The body takes the carried values, one entry of each of `scanned`, and `captures`, which stay the same. It yields
    the carried values of the next round, whose types do not change, and any number of outputs. The results are the
    carried values after the last round, then each output with the number of rounds before its dims; after none, dims
    that only a round would tell are 0. `length` says the number of rounds where nothing is scanned; with `reverse`
    entries are read and outputs written from the last one.
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

    @property
    def carries(self) -> int:
        return len(self.carried)

    def arguments(self) -> list[Shaped]:
        return [
            *all_shaped(self.carried, "carried value"),
            *(entry_of(operand, i) for i, operand in enumerate(self.scanned)),
            *all_shaped(self.captures, "capture"),
        ]

    def infer(self) -> Sequence[Shaped]:
        rounds, carried = self.rounds(), all_shaped(self.carried, "carried value")
        require_arguments(self.body, self.arguments())
        given = all_shaped(yielded(self.body), "value yielded by body")
        if len(given) < len(carried):
            raise ShapeError(f"body must yield the {len(carried)} carried values, got {len(given)}")
        _require_kept(carried, given)
        return [*carried, *(value.with_dims((rounds, *value.dims)) for value in given[len(carried) :])]

    def refine(self) -> None:
        self.rounds()
        refine_region(self.body, self.arguments())
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
