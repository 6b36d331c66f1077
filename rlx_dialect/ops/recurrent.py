"""
Recurrent layers, as the ONNX ops of these names have them, with the activations that are their default.

input `[T, B, I]`: T steps of B sequences. There are D directions: `forward`, `reverse`, which reads from the last step
to the first, or `bidirectional`, both. With G gates of H units weight is `[D, G H, I]`, recurrence `[D, G H, H]`, bias
`[D, 2 G H]`, first the one beside the weight, then the one beside the recurrence. lengths `[B]` of i32 or i64 says how
many steps of a sequence count: the others are not read, their outputs are 0. States are `[D, B, H]`, 0 at first unless
given; on wgpu and metal a NaN or an infinity times such a 0 may be 0. The results are the state after each step
`[T, D, B, H]`, which a reverse direction writes where it reads, and the last states. All else has the float type of
input.
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, UnitAttr, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from rlx_dialect.attributes import Direction, RnnActivation, WordOf, word_of
from rlx_dialect.directives import Word
from rlx_dialect.ops.base import RlxOp, word
from rlx_dialect.shape_rules.windows import times
from rlx_dialect.shapes import (
    Dims,
    Shaped,
    ShapeError,
    meet,
    require_element,
    require_floats,
    require_rank,
    shaped,
)


def directions(direction: Direction) -> int:
    """How many directions a layer has."""
    return 2 if direction is Direction.BIDIRECTIONAL else 1


def _require(value: Shaped, dims: Dims, element: Attribute, name: str) -> Dims:
    """`value` has these dims and this element type; the dims with the sizes that either knows."""
    require_element(element, value.element, name)
    require_rank(value, len(dims), name)
    wanted = value.with_dims(dims)
    return tuple(
        meet(a, b, f"dim {i} of {name} {value} and {wanted}") for i, (a, b) in enumerate(zip(value.dims, dims))
    )


def infer_layer(
    gates: int,
    direction: Direction,
    input: SSAValue,
    weight: SSAValue,
    recurrence: SSAValue,
    bias: SSAValue | None,
    lengths: SSAValue | None,
    states: Sequence[tuple[SSAValue | None, str]],
) -> tuple[Shaped, Shaped]:
    """The states after each step and the last states of a layer. Raises `ShapeError` where its operands do not fit."""
    value = shaped(input, "input")
    require_floats(value, "input")
    require_rank(value, 3, "input")
    steps, batch, width = value.dims
    ways, element = directions(direction), value.element
    loop = shaped(recurrence, "recurrence")
    require_rank(loop, 3, "recurrence")
    units = loop.dims[2]
    rows = times(units, gates)
    _require(loop, (ways, rows, units), element, "recurrence")
    _require(shaped(weight, "weight"), (ways, rows, width), element, "weight")
    if bias is not None:
        _require(shaped(bias, "bias"), (ways, times(rows, 2)), element, "bias")
    if lengths is not None:
        counts = shaped(lengths, "lengths")
        if counts.element not in (i32, i64):
            raise ShapeError(f"lengths must be i32 or i64, got {counts}")
        (batch,) = _require(counts, (batch,), counts.element, "lengths")
    for operand, name in states:
        if operand is not None:
            _, batch, _ = _require(shaped(operand, name), (ways, batch, units), element, name)
    return value.with_dims((steps, ways, batch, units)), value.with_dims((ways, batch, units))


class RecurrentOp(RlxOp, ABC):
    """What the layers with one state share."""

    direction = prop_def(WordOf(Direction))
    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    recurrence = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    lengths = opt_operand_def(TensorType)
    initial_h = opt_operand_def(TensorType)
    output = result_def(TensorType)
    last_h = result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    custom_directives = (Word,)

    @property
    def way(self) -> Direction:
        return word_of(self.direction, Direction)

    def layer(self, gates: int) -> tuple[Shaped, Shaped]:
        """`infer_layer` of this op."""
        states = [(self.initial_h, "initial_h")]
        return infer_layer(gates, self.way, self.input, self.weight, self.recurrence, self.bias, self.lengths, states)


_OPERANDS = (
    "custom<Word>($direction) $input `,` $weight `,` $recurrence (`bias` `(` $bias^ `:` type($bias) `)`)? "
    "(`lengths` `(` $lengths^ `:` type($lengths) `)`)? (`initial_h` `(` $initial_h^ `:` type($initial_h) `)`)? "
)
_TYPES = "attr-dict `:` `(` type($input) `,` type($weight) `,` type($recurrence) `)` `->` "
_UNKNOWN: TensorType[Attribute] = Shaped((), i32).type


@irdl_op_definition
class RnnOp(RecurrentOp):
    """`h = f(x W^T + h R^T + b)` for each step, f tanh or relu; shapes as the module says, G is 1."""

    name = "rlx.rnn"

    activation = prop_def(WordOf(RnnActivation))

    assembly_format = (
        _OPERANDS
        + "`activation` `(` custom<Word>($activation) `)` "
        + _TYPES
        + "`(` type($output) `,` type($last_h) `)`"
    )

    def __init__(
        self,
        input: SSAValue,
        weight: SSAValue,
        recurrence: SSAValue,
        *,
        bias: SSAValue | None = None,
        lengths: SSAValue | None = None,
        initial_h: SSAValue | None = None,
        direction: Direction = Direction.FORWARD,
        activation: RnnActivation = RnnActivation.TANH,
    ):
        super().__init__(
            operands=[input, weight, recurrence, bias, lengths, initial_h],
            properties={"direction": word(direction), "activation": word(activation)},
            result_types=[_UNKNOWN, _UNKNOWN],
        )
        self.refine()

    @property
    def function(self) -> RnnActivation:
        return word_of(self.activation, RnnActivation)

    def infer(self) -> Sequence[Shaped]:
        return self.layer(1)


@irdl_op_definition
class GruOp(RecurrentOp):
    """
    `h = (1 - z) n + z h` for each step, with the gates `z = sigmoid(x Wz^T + h Rz^T + bz)`, r likewise, and
    `n = tanh(x Wn^T + (r h) Rn^T + bn)`; shapes as the module says, gates in the order z, r, n.

    With `linear_before_reset` r multiplies `h Rn^T` and the bias beside it instead of h.
    """

    name = "rlx.gru"

    linear_before_reset = opt_prop_def(UnitAttr)

    assembly_format = (
        _OPERANDS
        + "(`linear_before_reset` $linear_before_reset^)? "
        + _TYPES
        + "`(` type($output) `,` type($last_h) `)`"
    )

    def __init__(
        self,
        input: SSAValue,
        weight: SSAValue,
        recurrence: SSAValue,
        *,
        bias: SSAValue | None = None,
        lengths: SSAValue | None = None,
        initial_h: SSAValue | None = None,
        direction: Direction = Direction.FORWARD,
        linear_before_reset: bool = False,
    ):
        super().__init__(
            operands=[input, weight, recurrence, bias, lengths, initial_h],
            properties={
                "direction": word(direction),
                "linear_before_reset": UnitAttr() if linear_before_reset else None,
            },
            result_types=[_UNKNOWN, _UNKNOWN],
        )
        self.refine()

    def infer(self) -> Sequence[Shaped]:
        return self.layer(3)


@irdl_op_definition
class LstmOp(RlxOp):
    """
    `c = f c + i g`, `h = o tanh(c)` for each step, with the gates `i = sigmoid(x Wi^T + h Ri^T + bi)`, o and f
    likewise, and `g = tanh(x Wg^T + h Rg^T + bg)`; shapes as the module says, gates in the order i, o, f, g.

    With peepholes `[D, 3 H]`, in the order i, o, f, gates i and f also add theirs times the old c, o times the new.
    """

    name = "rlx.lstm"

    direction = prop_def(WordOf(Direction))
    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    recurrence = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    lengths = opt_operand_def(TensorType)
    initial_h = opt_operand_def(TensorType)
    initial_c = opt_operand_def(TensorType)
    peepholes = opt_operand_def(TensorType)
    output = result_def(TensorType)
    last_h = result_def(TensorType)
    last_c = result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        _OPERANDS
        + "(`initial_c` `(` $initial_c^ `:` type($initial_c) `)`)? "
        + "(`peepholes` `(` $peepholes^ `:` type($peepholes) `)`)? "
        + _TYPES
        + "`(` type($output) `,` type($last_h) `,` type($last_c) `)`"
    )

    def __init__(
        self,
        input: SSAValue,
        weight: SSAValue,
        recurrence: SSAValue,
        *,
        bias: SSAValue | None = None,
        lengths: SSAValue | None = None,
        initial_h: SSAValue | None = None,
        initial_c: SSAValue | None = None,
        peepholes: SSAValue | None = None,
        direction: Direction = Direction.FORWARD,
    ):
        super().__init__(
            operands=[input, weight, recurrence, bias, lengths, initial_h, initial_c, peepholes],
            properties={"direction": word(direction)},
            result_types=[_UNKNOWN, _UNKNOWN, _UNKNOWN],
        )
        self.refine()

    @property
    def way(self) -> Direction:
        return word_of(self.direction, Direction)

    def infer(self) -> Sequence[Shaped]:
        states = [(self.initial_h, "initial_h"), (self.initial_c, "initial_c")]
        output, last = infer_layer(
            4, self.way, self.input, self.weight, self.recurrence, self.bias, self.lengths, states
        )
        if self.peepholes is not None:
            peepholes = shaped(self.peepholes, "peepholes")
            _require(peepholes, (directions(self.way), times(last.dims[2], 3)), last.element, "peepholes")
        return output, last, last
