"""Elementwise ops."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import COMPLEX_BINARY, INTEGER_ONLY, Activation, BinaryKind, CompareKind, WordOf, word_of
from rlx_dialect.directives import ActivationWord, Word
from rlx_dialect.dtypes import is_complex, is_float
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, elementwise_step, word
from rlx_dialect.shapes import (
    Shaped,
    ShapeError,
    broadcast,
    broadcast_dims,
    require_activation,
    require_element,
    shaped,
)


class UnaryOp(RlxOp, ABC):
    """An op of one operand whose result has the operand's type."""

    input = operand_def(SAME_TYPE)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input])

    def infer(self) -> Sequence[Shaped]:
        return [shaped(self.input, "input")]


@elementwise_step
@irdl_op_definition
class ActivationOp(RlxOp):
    """
    `kind(input)` for each element, in the operand's type.

    `gelu` is `0.5 x erfc(-x / sqrt 2)`, `gelu_approx` the tanh form, `silu` `x / (1 + e^-x)`, `round` half to even; the
    formulas of all kinds are in `rlx_dialect.reference.elementwise`. Floats only, but for `neg`, `abs`, `sign` and
    `relu`, which take integers too, and `neg` and `exp`, which take complex numbers. Truth values have no sign: `abs`
    and `relu` leave them, `neg` and `sign` refuse them.
    """

    name = "rlx.activation"

    kind = prop_def(WordOf(Activation))
    input = operand_def(SAME_TYPE)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    custom_directives = (ActivationWord,)
    assembly_format = "custom<ActivationWord>($kind) $input attr-dict `:` type($input)"

    def __init__(self, kind: Activation, input: SSAValue):
        super().__init__(operands=[input], properties={"kind": word(kind)})

    @property
    def activation(self) -> Activation:
        return word_of(self.kind, Activation)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_activation(value, self.kind.data)
        return [value]


@elementwise_step
@irdl_op_definition
class CastOp(RlxOp):
    """
    Each element converted to another element type.

    Floats round once, to nearest even. Float to integer truncates towards zero; what does not fit becomes the nearest
    number that does, and NaN 0. Anything to i1 asks whether it differs from zero, i1 to a number gives 0 or 1; other
    integers become floats narrower than f32 by way of f32. Complex numbers become truth values only; `rlx.real` gives
    their real part.
    """

    name = "rlx.cast"

    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, element_type: Attribute):
        result = Shaped(shaped(input, "input").dims, element_type)
        super().__init__(operands=[input], result_types=[result.type])

    def infer(self) -> Sequence[Shaped]:
        value, element = shaped(self.input, "input"), shaped(self.result, "result").element
        if is_complex(value.element) and element not in (value.element, i1):
            raise ShapeError(f"{value} does not become {element} by a cast; take its real part by rlx.real")
        return [Shaped(value.dims, element)]


@elementwise_step
@irdl_op_definition
class BinaryOp(RlxOp):
    """
    `kind(lhs, rhs)` for each element, with NumPy's broadcasting; both operands have one element type, the result's.

    `max` and `min` pass NaN on. Integer `div` and `mod` truncate towards zero, and are 0 for a zero divisor; the
    quotient of the lowest number by -1 wraps. `shr` of a signed value is arithmetic; i1 is one bit without a sign. The
    `bit_*` kinds and shifts take integers and i1 only, `atan2` floats. Complex numbers have `add`, `sub`, `mul` and
    `div`.
    """

    name = "rlx.binary"

    kind = prop_def(WordOf(BinaryKind))
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = "custom<Word>($kind) $lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    def __init__(self, kind: BinaryKind, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], properties={"kind": word(kind)})

    @property
    def binary(self) -> BinaryKind:
        return word_of(self.kind, BinaryKind)

    def infer(self) -> Sequence[Shaped]:
        result = broadcast(shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs"))
        if is_complex(result.element) and self.kind.data not in COMPLEX_BINARY:
            raise ShapeError(f"{self.kind.data} needs real numbers, got {result}")
        if self.kind.data == BinaryKind.ATAN2 and not is_float(result.element):
            raise ShapeError(f"{self.kind.data} needs a float element type, got {result}; cast the operands")
        if self.kind.data in INTEGER_ONLY and not isinstance(result.element, IntegerType):
            raise ShapeError(f"{self.kind.data} needs an integer element type, got {result}")
        return [result]


@elementwise_step
@irdl_op_definition
class CompareOp(RlxOp):
    """`lhs kind rhs` as i1, broadcast as in NumPy. Comparisons with NaN are false but for `ne`; complex: `eq`, `ne`."""

    name = "rlx.compare"

    kind = prop_def(WordOf(CompareKind))
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = "custom<Word>($kind) $lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    def __init__(self, kind: CompareKind, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], properties={"kind": word(kind)})

    @property
    def comparison(self) -> CompareKind:
        return word_of(self.kind, CompareKind)

    def infer(self) -> Sequence[Shaped]:
        met = broadcast(shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs"))
        if is_complex(met.element) and self.kind.data not in ("eq", "ne"):
            raise ShapeError(f"{self.kind.data} needs elements with an order, got {met}")
        return [Shaped(met.dims, i1)]


@elementwise_step
@irdl_op_definition
class WhereOp(RlxOp):
    """`on_true` where `condition` holds, else `on_false`; the condition is i1, all three broadcast."""

    name = "rlx.where"

    condition = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)"

    def __init__(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__(operands=[condition, on_true, on_false])

    def infer(self) -> Sequence[Shaped]:
        condition = shaped(self.condition, "condition")
        require_element(i1, condition.element, "condition")
        chosen = broadcast(shaped(self.on_true, "on_true"), shaped(self.on_false, "on_false"), "on_true", "on_false")
        return [chosen.with_dims(broadcast_dims(condition.dims, chosen.dims, "condition", "the values"))]


def _floats(value: SSAValue) -> Shaped:
    """The shape of a tensor of floats."""
    result = shaped(value, "input")
    if not isinstance(result.element, AnyFloat):
        raise ShapeError(f"input must have a float element type, got {result}")
    return result


class FloatUnaryOp(UnaryOp, ABC):
    """A unary op on floats."""

    def infer(self) -> Sequence[Shaped]:
        return [_floats(self.input)]


@elementwise_step
@irdl_op_definition
class ErfcOp(FloatUnaryOp):
    """`1 - erf(input)` for each element, without the cancellation. Floats of any shape."""

    name = "rlx.erfc"


@elementwise_step
@irdl_op_definition
class Log1pOp(FloatUnaryOp):
    """`log(1 + input)` for each element, exact near zero. Floats of any shape; below -1 it is NaN."""

    name = "rlx.log1p"


@elementwise_step
@irdl_op_definition
class Expm1Op(FloatUnaryOp):
    """`e^input - 1` for each element, exact near zero. Floats of any shape."""

    name = "rlx.expm1"


@elementwise_step
@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """The other truth value of each element; i1 of any shape."""

    name = "rlx.logical_not"

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_element(i1, value.element, "input")
        return [value]


@elementwise_step
@irdl_op_definition
class IsFiniteOp(RlxOp):
    """Whether an element is neither infinite nor NaN, as i1; floats only."""

    name = "rlx.is_finite"

    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input])

    def infer(self) -> Sequence[Shaped]:
        return [Shaped(_floats(self.input).dims, i1)]
