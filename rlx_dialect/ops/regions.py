"""Region ops: a chain of elementwise ops or of resizes that a backend runs as one kernel. Bodies are plain IR."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, TypeVar

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, OpTrait, Pure
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.attributes import RegionPrologue, WordOf, word_of
from rlx_dialect.ops.base import ELEMENTWISE_STEPS, RlxOp, word
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
from rlx_dialect.ops.resize import ResizeNearest2xOp
from rlx_dialect.shape_rules.windows import resize_nearest2x
from rlx_dialect.shapes import Shaped, ShapeError, compatible, concat, same, shaped
from rlx_dialect.xdsl_repairs import retype


@dataclass(frozen=True)
class EndsBody(OpTrait):
    """The op ends a body of an op of the dialect."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and not (isinstance(parent, RlxOp) and parent.regions):
            raise VerifyException(f"'{op.name}' expects parent op to be one of rlx with a body, got '{parent.name}'")


@irdl_op_definition
class YieldOp(AbstractYieldOperation[Attribute]):
    """Ends a region: its operands are what the region gives."""

    name = "rlx.yield"
    CHAPTER: ClassVar[str] = "program"

    traits = traits_def(IsTerminator(), EndsBody(), Pure())


def yielded(region: Region, name: str = "body") -> Sequence[SSAValue]:
    """What a region gives. Raises `ShapeError` unless `rlx.yield` ends it."""
    last = region.block.last_op
    if not isinstance(last, YieldOp):
        raise ShapeError(f"{name} must end with rlx.yield, got {'nothing' if last is None else last.name}")
    return last.arguments


def require_arguments(region: Region, expected: Sequence[Shaped], name: str = "body") -> None:
    """Raises `ShapeError` unless the block arguments of `region` are tensors that can be the expected ones."""
    args = region.block.args
    if len(args) != len(expected):
        raise ShapeError(f"{name} needs {len(expected)} arguments, got {len(args)}")
    for i, (arg, wanted) in enumerate(zip(args, expected)):
        value = shaped(arg, f"argument #{i} of {name}")
        if (
            value.element != wanted.element
            or value.rank != wanted.rank
            or not all(map(compatible, value.dims, wanted.dims))
        ):
            raise ShapeError(f"argument #{i} of {name} must be {wanted}, got {value}")


def refine_region(region: Region, arguments: Sequence[Shaped]) -> None:
    """Give the block arguments these types, and the ops after them what follows."""
    for arg, value in zip(region.block.args, arguments):
        retype(arg, value.type)
    for op in region.block.ops:
        if isinstance(op, RlxOp):
            op.refine()


def elementwise_steps() -> tuple[type[Operation], ...]:
    """`ELEMENTWISE_STEPS` by name."""
    return tuple(sorted(ELEMENTWISE_STEPS, key=lambda op: op.name))


class RegionOp(RlxOp, ABC):
    """
    An op with one body, isolated from above: plain ops ended by `rlx.yield` of one value.

    The arguments of the body have the types of the operands, but for what a prologue makes of them.
    """

    inputs = var_operand_def(TensorType)
    body = region_def("single_block")
    result = result_def(TensorType)

    traits = traits_def(Pure(), IsolatedFromAbove())

    @abstractmethod
    def steps(self) -> tuple[type[Operation], ...]:
        """The ops that the body may hold."""

    @abstractmethod
    def arguments(self) -> Sequence[Shaped]:
        """What the arguments of the body are."""

    def plain(self) -> Sequence[Operation]:
        """The ops of the body without the `rlx.yield`."""
        return [op for op in self.body.block.ops if not isinstance(op, YieldOp)]

    def given(self) -> Shaped:
        """What the body gives, checked."""
        require_arguments(self.body, self.arguments())
        values, steps = yielded(self.body), self.steps()
        for op in self.plain():
            if not isinstance(op, steps):
                raise ShapeError(f"body may hold {', '.join(step.name for step in steps)}, got {op.name}")
        if len(values) != 1:
            raise ShapeError(f"body must yield one value, got {len(values)}")
        if not isinstance(values[0].owner, steps):
            raise ShapeError("body must yield the result of one of its ops")
        return shaped(values[0], "the yielded value")

    def infer(self) -> Sequence[Shaped]:
        return [self.given()]

    def refine(self) -> None:
        refine_region(self.body, self.arguments())
        super().refine()

    def print(self, printer: Printer) -> None:
        self.print_bound(printer)
        print_prologue(printer, self)
        print_attributes(printer, self)
        print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    def print_bound(self, printer: Printer) -> None:
        """Which argument of the body is bound to which operand."""
        print_bindings(printer, zip(self.body.block.args, self.inputs))


def print_prologue(printer: Printer, op: RegionOp) -> None:
    """`prologue(resize_nearest2x)`, or nothing for `none`."""
    prologue = op.properties.get("prologue")
    if isinstance(prologue, StringAttr) and prologue.data != RegionPrologue.NONE:
        printer.print_string(f" prologue({prologue.data})")


def parse_prologue(parser: Parser) -> RegionPrologue:
    """The inverse of `print_prologue`."""
    if parser.parse_optional_keyword("prologue") is None:
        return RegionPrologue.NONE
    with parser.in_parens():
        return parser.parse_str_enum(RegionPrologue)


def after_prologue(prologue: RegionPrologue, operands: Sequence[SSAValue]) -> list[Shaped]:
    """The operands of a region op as its body reads them; a prologue changes the first."""
    values = [shaped(operand, f"operand #{i}") for i, operand in enumerate(operands)]
    if prologue is RegionPrologue.RESIZE_NEAREST2X:
        if not values:
            raise ShapeError("a prologue needs an operand")
        values[0] = resize_nearest2x(values[0], "operand #0")
    return values


RegionOpT = TypeVar("RegionOpT", bound=RegionOp)


def parse_rest(
    parser: Parser,
    op: type[RegionOpT],
    arguments: Sequence[Parser.UnresolvedArgument],
    operands: Sequence[UnresolvedOperand],
    prologue: RegionPrologue | None,
) -> RegionOpT:
    """What follows bindings and prologue in the text of a region op; `prologue` is None for an op without one."""
    attributes = parse_attributes(parser)
    start = parser.pos
    type = parse_signature(parser, len(operands))
    values = resolve(parser, operands, type.inputs.data)
    try:
        read = after_prologue(prologue or RegionPrologue.NONE, values)
    except ShapeError as error:
        parser.raise_error(f"{op.name}: {error}", start, parser.pos)
    body = parser.parse_region([argument.resolve(value.type) for argument, value in zip(arguments, read)])
    return op.create(
        operands=values,
        result_types=type.outputs.data,
        properties={} if prologue is None else {"prologue": StringAttr(prologue)},
        attributes=attributes,
        regions=[body],
    )


@irdl_op_definition
class ElementwiseRegionOp(RegionOp):
    """
    A chain of elementwise ops as one op: `inputs` go to the arguments of the body, the result is what the body yields.

    The body holds ops of `ELEMENTWISE_STEPS`, which broadcast as they do outside. With `prologue(resize_nearest2x)` the
    first operand is `[N, C, H, W]` and the body reads `[N, C, 2H, 2W]`, as `rlx.resize_nearest2x` gives it.
    """

    name = "rlx.elementwise_region"

    prologue = prop_def(WordOf(RegionPrologue))

    def __init__(self, inputs: Sequence[SSAValue], body: Region, prologue: RegionPrologue = RegionPrologue.NONE):
        super().__init__(operands=[inputs], properties={"prologue": word(prologue)}, regions=[body])

    @property
    def before(self) -> RegionPrologue:
        """What happens to the first operand."""
        return word_of(self.prologue, RegionPrologue)

    def steps(self) -> tuple[type[Operation], ...]:
        return elementwise_steps()

    def arguments(self) -> Sequence[Shaped]:
        return after_prologue(self.before, self.inputs)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        arguments, operands = unzip(parse_bindings(parser))
        return parse_rest(parser, cls, arguments, operands, parse_prologue(parser))


@irdl_op_definition
class TransformRegionOp(RegionOp):
    """A chain of `rlx.resize_nearest2x` on one operand `[N, C, H, W]` as one op; each doubles H and W."""

    name = "rlx.transform_region"

    def __init__(self, input: SSAValue, body: Region):
        super().__init__(operands=[[input]], regions=[body])

    def steps(self) -> tuple[type[Operation], ...]:
        return (ResizeNearest2xOp,)

    def arguments(self) -> Sequence[Shaped]:
        if len(self.inputs) != 1:
            raise ShapeError(f"takes one operand, got {len(self.inputs)}")
        return after_prologue(RegionPrologue.NONE, self.inputs)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        arguments, operands = unzip(parse_bindings(parser))
        return parse_rest(parser, cls, arguments, operands, None)


@irdl_op_definition
class BatchElementwiseRegionOp(RegionOp):
    """
    One chain of elementwise ops on each of several slices of a batch, the results one after the other on axis 0.

    All `inputs` have one type, and the body has one argument, which is each of them in turn. With
    `prologue(resize_nearest2x)` each is `[N, C, H, W]` and the body reads `[N, C, 2H, 2W]`.
    """

    name = "rlx.batch_elementwise_region"

    prologue = prop_def(WordOf(RegionPrologue))

    def __init__(self, inputs: Sequence[SSAValue], body: Region, prologue: RegionPrologue = RegionPrologue.NONE):
        super().__init__(operands=[inputs], properties={"prologue": word(prologue)}, regions=[body])

    @property
    def before(self) -> RegionPrologue:
        """What happens to each operand."""
        return word_of(self.prologue, RegionPrologue)

    def steps(self) -> tuple[type[Operation], ...]:
        return elementwise_steps()

    def arguments(self) -> Sequence[Shaped]:
        if not self.inputs:
            raise ShapeError("needs at least one operand")
        first = shaped(self.inputs[0], "operand #0")
        for i, operand in enumerate(self.inputs[1:], 1):
            first = same(first, shaped(operand, f"operand #{i}"), "operand #0", f"operand #{i}")
        return [resize_nearest2x(first, "operand #0") if self.before is RegionPrologue.RESIZE_NEAREST2X else first]

    def infer(self) -> Sequence[Shaped]:
        return [concat([self.given()] * len(self.inputs), 0, "slice")]

    def print_bound(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.body.block.args, lambda arg: printer.print_block_argument(arg, print_type=False))
            printer.print_string(" = [")
            printer.print_list(self.inputs, printer.print_ssa_value)
            printer.print_string("]")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        with parser.in_parens():
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            operands = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        return parse_rest(parser, cls, [argument], operands, parse_prologue(parser))
