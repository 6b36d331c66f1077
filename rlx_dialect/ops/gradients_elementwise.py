"""Gradients of elementwise ops, of sums along an axis and of gathers."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import Activation, WordOf, word_of
from rlx_dialect.directives import ActivationWord
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, i64_attr, word
from rlx_dialect.shapes import (
    Shaped,
    ShapeError,
    normalize_axis,
    require_floats,
    require_integers,
    require_rank,
    same,
    same_dims,
    shaped,
)


def gradient_of(input: SSAValue, gradient: SSAValue) -> Shaped:
    """The shape of floats and of a gradient alike."""
    value = shaped(input, "input")
    require_floats(value, "input")
    return same(value, shaped(gradient, "gradient"), "input", "gradient")


@irdl_op_definition
class ReluBackwardOp(RlxOp):
    """The gradient of relu by its input: 0 where `input <= 0`, `gradient` elsewhere, also where `input` is NaN."""

    name = "rlx.relu_backward"

    input = operand_def(TensorType)
    gradient = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $gradient attr-dict `:` functional-type(operands, results)"

    def __init__(self, input: SSAValue, gradient: SSAValue):
        super().__init__(operands=[input, gradient])

    def infer(self) -> Sequence[Shaped]:
        return [gradient_of(self.input, self.gradient)]


@irdl_op_definition
class ActivationBackwardOp(RlxOp):
    """
    The gradient of `rlx.activation` by its input: `kind`'s derivative at `input` times `gradient`, per element.

    At a corner the derivative is the left one; steps have the derivative 0, and so has `abs` at 0. Floats only.
    """

    name = "rlx.activation_backward"

    kind = prop_def(WordOf(Activation))
    input = operand_def(TensorType)
    gradient = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (ActivationWord,)
    assembly_format = (
        "custom<ActivationWord>($kind) $input `,` $gradient attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, kind: Activation, input: SSAValue, gradient: SSAValue):
        super().__init__(operands=[input, gradient], properties={"kind": word(kind)})

    @property
    def activation(self) -> Activation:
        return word_of(self.kind, Activation)

    def infer(self) -> Sequence[Shaped]:
        return [gradient_of(self.input, self.gradient)]


@irdl_op_definition
class CumsumBackwardOp(RlxOp):
    """
    The gradient of a prefix sum along `axis` by its input: the sum of `gradient` from each place to the end.

    `exclusive` and `reverse` are those of the prefix sum: exclusive omits the place, reverse sums from the start.
    """

    name = "rlx.cumsum_backward"

    gradient = operand_def(SAME_TYPE)
    axis = prop_def(IntegerAttr.constr(i64))
    exclusive = opt_prop_def(UnitAttr)
    reverse = opt_prop_def(UnitAttr)
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    assembly_format = (
        "$gradient `axis` `(` $axis `)` (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($gradient)"
    )

    def __init__(self, gradient: SSAValue, axis: int, *, exclusive: bool = False, reverse: bool = False):
        super().__init__(
            operands=[gradient],
            properties={
                "axis": i64_attr(axis),
                "exclusive": UnitAttr() if exclusive else None,
                "reverse": UnitAttr() if reverse else None,
            },
        )

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.gradient, "gradient")
        require_floats(value, "gradient")
        normalize_axis(self.axis.value.data, value.rank, "gradient")
        return [value]


@irdl_op_definition
class GatherBackwardOp(RlxOp):
    """
    The gradient of `rlx.gather` by its table: each slice of `gradient` added where its index points to, zero elsewhere.

    gradient has the table's dims before `axis`, those of `indices`, and the table's dims after `axis`; `size` is the
    table's dim of `axis`. Sums go on in f32, or in the operand's type where that is wider. An index outside of
    `[0, size)` is an error in the reference and undefined in compiled code.
    """

    name = "rlx.gather_backward"

    gradient = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    size = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$gradient `,` $indices `axis` `(` $axis `)` `size` `(` $size `)` attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(self, gradient: SSAValue, indices: SSAValue, size: int, axis: int = 0):
        super().__init__(operands=[gradient, indices], properties={"axis": i64_attr(axis), "size": i64_attr(size)})

    def infer(self) -> Sequence[Shaped]:
        gradient, indices = shaped(self.gradient, "gradient"), shaped(self.indices, "indices")
        require_floats(gradient, "gradient")
        require_integers(indices, "indices")
        size = self.size.value.data
        if size < 0:
            raise ShapeError(f"size must not be negative, got {size}")
        if gradient.rank < indices.rank:
            require_rank(gradient, indices.rank, "gradient")
        axis = normalize_axis(self.axis.value.data, gradient.rank - indices.rank + 1, "the table")
        taken = gradient.with_dims(gradient.dims[axis : axis + indices.rank])
        same_dims(taken, indices, "the gathered dims of gradient", "indices")
        return [gradient.with_dims((*gradient.dims[:axis], size, *gradient.dims[axis + indices.rank :]))]
