"""Gradients of a scan: its rounds in reverse order, each the chain rule of one round, which is written as the body."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import chain, islice
from typing import Self

from xdsl.dialects.builtin import TensorType, UnitAttr
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

from rlx_dialect.ops.bindings import (
    parse_attributes,
    parse_bindings,
    parse_optional_bindings,
    parse_signature,
    print_attributes,
    print_bindings,
    print_optional_bindings,
    print_signature,
    resolve,
    unzip,
)
from rlx_dialect.ops.control_flow import ControlOp, all_shaped
from rlx_dialect.ops.loops import entry_of
from rlx_dialect.ops.regions import refine_region, require_arguments, yielded
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, alike, meet, require_floats, same, shaped

_KEYWORDS = ("states", "over", "outputs", "captures")
"""What precedes each group of operands in the text but the first."""
_STACKED = ("state", "scanned operand", "output gradient")
"""What an operand of each group of which a round reads one entry is called."""


def entries(groups: Sequence[Sequence[SSAValue]]) -> list[Shaped]:
    """What one round reads of the stacked operands: states, scanned operands and output gradients."""
    return [entry_of(value, i, name) for group, name in zip(groups, _STACKED) for i, value in enumerate(group)]


class ScanGradientOp(ControlOp, ABC):
    """A gradient of `rlx.scan`; `gradients` are those by the carried values after its last round."""

    gradients = var_operand_def(TensorType)
    states = var_operand_def(TensorType)
    scanned = var_operand_def(TensorType)
    output_gradients = var_operand_def(TensorType)
    captures = var_operand_def(TensorType)
    reverse = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    outputs = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect(), IsolatedFromAbove())

    def __init__(
        self,
        gradients: Sequence[SSAValue],
        states: Sequence[SSAValue],
        scanned: Sequence[SSAValue],
        output_gradients: Sequence[SSAValue],
        captures: Sequence[SSAValue],
        body: Region,
        *,
        reverse: bool = False,
    ):
        super().__init__(
            [gradients, states, scanned, output_gradients, captures],
            [body],
            len(yielded(body)) - self.unreturned(len(gradients)),
            {"reverse": UnitAttr() if reverse else None},
        )

    @classmethod
    @abstractmethod
    def unreturned(cls, carried: int) -> int:
        """How many values that body yields, the first ones, are no results, given the number of carried gradients."""

    @abstractmethod
    def sources(self) -> Sequence[tuple[str, Shaped]]:
        """What the values are gradients by that body yields beyond those by carried values: names and types."""

    @property
    def stacked(self) -> tuple[Sequence[SSAValue], ...]:
        """The operands of which a round reads one entry."""
        return self.states, self.scanned, self.output_gradients

    def rounds(self) -> int:
        """The number of rounds, `DYNAMIC` where it is known at run time only."""
        length = DYNAMIC
        for group, name in zip(self.stacked, _STACKED):
            for i, operand in enumerate(group):
                entry_of(operand, i, name)
                value = shaped(operand)
                length = meet(length, value.dims[0], f"the number of rounds and dim 0 of {name} #{i} {value}")
        if not any(self.stacked):
            raise ShapeError("needs states, scanned operands or output gradients, which say the number of rounds")
        return length

    @property
    def carries(self) -> int:
        return len(self.gradients)

    def arguments(self) -> list[Shaped]:
        gradients, captures = all_shaped(self.gradients, "carried gradient"), all_shaped(self.captures, "capture")
        return [*gradients, *entries(self.stacked), *captures]

    def given(self) -> list[Shaped]:
        """What body yields beyond the carried gradients of the round before; everything checked."""
        self.rounds()
        carried = all_shaped(self.gradients, "carried gradient")
        for i, value in enumerate(carried):
            require_floats(value, f"carried gradient #{i}")
            if i >= len(self.states):
                raise ShapeError(f"carried gradient #{i} has no state: {len(carried)} need as many, got {i}")
            same(entry_of(self.states[i], i, "state"), value, f"an entry of state #{i}", f"carried gradient #{i}")
        for i, value in enumerate(all_shaped(self.output_gradients, "output gradient")):
            require_floats(value, f"output gradient #{i}")
        require_arguments(self.body, self.arguments())
        given = all_shaped(yielded(self.body), "value yielded by body")
        if len(given) < len(carried):
            raise ShapeError(f"body must yield the {len(carried)} carried gradients, got {len(given)}")
        sources = self.sources()
        if len(given) - len(carried) > len(sources):
            raise ShapeError(f"body must yield at most {len(carried) + len(sources)} gradients, got {len(given)}")
        named = [(f"carried gradient #{i}", value) for i, value in enumerate(carried)]
        for i, ((name, wanted), value) in enumerate(zip([*named, *sources], given)):
            require_floats(wanted, name)
            if not alike(value, wanted):
                raise ShapeError(f"{name} is {wanted}, but value #{i} that body yields is {value}")
        return given[len(carried) :]

    def refine(self) -> None:
        self.rounds()
        refine_region(self.body, self.arguments())
        super().refine()

    def print(self, printer: Printer) -> None:
        pairs = zip(self.body.block.args, self.operands)
        print_bindings(printer, islice(pairs, len(self.gradients)))
        for keyword, group in zip(_KEYWORDS, (*self.stacked, self.captures)):
            print_optional_bindings(printer, keyword, list(islice(pairs, len(group))))
        if self.reverse is not None:
            printer.print_string(" reverse")
        print_attributes(printer, self)
        print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        groups = [parse_bindings(parser), *(parse_optional_bindings(parser, keyword) for keyword in _KEYWORDS)]
        reverse = parser.parse_optional_keyword("reverse") is not None
        attributes = parse_attributes(parser)
        arguments, operands = unzip(list(chain(*groups)))
        start = parser.pos
        type = parse_signature(parser, len(operands))
        left = iter(resolve(parser, operands, type.inputs.data))
        gradients, *stacked, captures = [list(islice(left, len(group))) for group in groups]
        try:
            types = [value.type for value in entries(stacked)]
        except ShapeError as error:
            parser.raise_error(f"{cls.name}: {error}", start, parser.pos)
        read: list[Attribute] = [*(x.type for x in gradients), *types, *(x.type for x in captures)]
        body = parser.parse_region([argument.resolve(each) for argument, each in zip(arguments, read)])
        return cls.build(
            operands=[gradients, *stacked, captures],
            result_types=[type.outputs.data],
            properties={"reverse": UnitAttr() if reverse else None},
            attributes=attributes,
            regions=[body],
        )


@irdl_op_definition
class ScanBackwardOp(ScanGradientOp):
    """
    The gradients of `rlx.scan` by the carried values that it starts with, and by captures.

    Let the round of the scan that reads entry t make `(c', y_t)` of the carried values c_t, the entry x_t and the
    captures w. Body is the chain rule of that round, linear in the gradients dc' and dy_t:

        (dc_t, dw_t) = body(dc', c_t, x_t, dy_t, w)

    Rounds are taken in the other order: from the last entry to the first, and with `reverse`, which the scan then has
    too, from the first to the last. The first dc' are the operands `gradients`, those by the carried values after the
    last round; dc_t is the dc' of the round that is taken next. Results are the last dc_t, and for each value that body
    yields beyond them the sum of dw_t over rounds, in f32 for narrower floats; no rounds give `gradients` and zeros.

    `states` are c_t, `scanned` x_t and `output_gradients` dy_t, each stacked on axis 0 by the entry, so that nothing is
    computed again: a scan stacks its c_t by yielding them as outputs. Gradients are floats. There is one for each of
    the first carried values, of its type; states without, such as counters, come after. The sums are those by the first
    captures, each of its type.
    """

    name = "rlx.scan_backward"

    @classmethod
    def unreturned(cls, carried: int) -> int:
        return 0

    def sources(self) -> Sequence[tuple[str, Shaped]]:
        return [(f"capture #{i}", value) for i, value in enumerate(all_shaped(self.captures, "capture"))]

    def infer(self) -> Sequence[Shaped]:
        sums = self.given()
        return [*all_shaped(self.gradients, "carried gradient"), *sums]


@irdl_op_definition
class ScanBackwardXsOp(ScanGradientOp):
    """
    The gradients of `rlx.scan` by what it scans.

    Operands, order of the rounds and `reverse` as in `rlx.scan_backward`. Body yields the gradients by the carried
    values and then by entries of the first scanned operands, each of their type:

        (dc_t, dx_t) = body(dc', c_t, x_t, dy_t, w)

    Results are dx_t alone, stacked on axis 0 by the entry. Operands without gradients, such as indices, come last.
    """

    name = "rlx.scan_backward_xs"

    @classmethod
    def unreturned(cls, carried: int) -> int:
        return carried

    def sources(self) -> Sequence[tuple[str, Shaped]]:
        return [(f"an entry of scanned operand #{i}", entry_of(value, i)) for i, value in enumerate(self.scanned)]

    def infer(self) -> Sequence[Shaped]:
        given, rounds = self.given(), self.rounds()
        return [value.with_dims((rounds, *value.dims)) for value in given]
