"""Ops that place the elements of one tensor elsewhere."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import PadMode, Triangle, WordOf, word_of
from rlx_dialect.directives import Number, Word
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, i64_attr, i64s, word
from rlx_dialect.ops.numbers import NUMBER, number_attr, require_number
from rlx_dialect.shape_rules.placement import pad, tile
from rlx_dialect.shapes import Shaped, ShapeError, normalize_axes, shaped, show


@irdl_op_definition
class ReverseOp(RlxOp):
    """The entries of each of `axes` in reverse order. Any element type; an axis is named once."""

    name = "rlx.reverse"

    input = operand_def(SAME_TYPE)
    axes = prop_def(DenseArrayBase.constr(I64))
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input `axes` $axes attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, axes: Sequence[int]):
        super().__init__(operands=[input], properties={"axes": i64s(axes)})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        normalize_axes(self.axes.get_values(), value.rank)
        return [value]


@irdl_op_definition
class PadOp(RlxOp):
    """
    The input with `low` entries before each axis and `high` after it.

    `constant` puts `value` there, and takes entries away where a number is negative; `reflect` mirrors the elements at
    the outermost one, which is not repeated (at most dim - 1 entries); `replicate` repeats the outermost one;
    `circular` goes on at the other end. `value` is an integer for integers, else a real number; others have none.
    """

    name = "rlx.pad"

    input = operand_def(TensorType)
    low = prop_def(DenseArrayBase.constr(I64))
    high = prop_def(DenseArrayBase.constr(I64))
    mode = prop_def(WordOf(PadMode))
    value = opt_prop_def(NUMBER)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, Number)
    assembly_format = (
        "custom<Word>($mode) $input `low` $low `high` $high (`value` `(` custom<Number>($value)^ `)`)? attr-dict "
        "`:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        low: Sequence[int],
        high: Sequence[int],
        mode: PadMode = PadMode.CONSTANT,
        value: float = 0,
    ):
        """`value` is of no meaning for other modes than `constant`."""
        element = shaped(input, "input").element
        super().__init__(
            operands=[input],
            properties={
                "low": i64s(low),
                "high": i64s(high),
                "mode": word(mode),
                "value": number_attr(value, element) if mode is PadMode.CONSTANT else None,
            },
        )

    @property
    def padding(self) -> PadMode:
        return word_of(self.mode, PadMode)

    def infer(self) -> Sequence[Shaped]:
        value, mode = shaped(self.input, "input"), self.padding
        if (mode is PadMode.CONSTANT) != (self.value is not None):
            raise ShapeError(f"constant needs a value and other modes have none, got {mode}")
        if self.value is not None:
            require_number(self.value, value, "value")
        return [pad(value, self.low.get_values(), self.high.get_values(), mode)]


@irdl_op_definition
class TileOp(RlxOp):
    """Each axis repeated as a whole: `numpy.tile` with one number for each axis."""

    name = "rlx.tile"

    input = operand_def(TensorType)
    repeats = prop_def(DenseArrayBase.constr(I64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `repeats` $repeats attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, repeats: Sequence[int]):
        super().__init__(operands=[input], properties={"repeats": i64s(repeats)})

    def infer(self) -> Sequence[Shaped]:
        return [tile(shaped(self.input, "input"), self.repeats.get_values())]


@irdl_op_definition
class RollOp(RlxOp):
    """
    Each of `axes` turned by its shift: what was at entry i is at entry `(i + shift) mod dim`.

    A shift may be negative or larger than the dim.
    """

    name = "rlx.roll"

    input = operand_def(SAME_TYPE)
    shifts = prop_def(DenseArrayBase.constr(I64))
    axes = prop_def(DenseArrayBase.constr(I64))
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input `shifts` $shifts `axes` $axes attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, shifts: Sequence[int], axes: Sequence[int]):
        super().__init__(operands=[input], properties={"shifts": i64s(shifts), "axes": i64s(axes)})

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        shifts, axes = self.shifts.get_values(), self.axes.get_values()
        if len(shifts) != len(axes):
            raise ShapeError(f"needs one shift for each axis, got {show(shifts)} and {show(axes)}")
        normalize_axes(axes, value.rank)
        return [value]


@irdl_op_definition
class TriluOp(RlxOp):
    """
    The `upper` or the `lower` triangle of the matrices on the last two axes, zero elsewhere.

    Row i and column j are in the upper triangle if `j - i >= diagonal`, in the lower if `j - i <= diagonal`.
    """

    name = "rlx.trilu"

    part = prop_def(WordOf(Triangle))
    input = operand_def(SAME_TYPE)
    diagonal = prop_def(IntegerAttr.constr(i64))
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = "custom<Word>($part) $input `diagonal` `(` $diagonal `)` attr-dict `:` type($input)"

    def __init__(self, part: Triangle, input: SSAValue, diagonal: int = 0):
        super().__init__(operands=[input], properties={"part": word(part), "diagonal": i64_attr(diagonal)})

    @property
    def triangle(self) -> Triangle:
        return word_of(self.part, Triangle)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        if value.rank < 2:
            raise ShapeError(f"input must have rank 2 or more, got {value}")
        return [value]
