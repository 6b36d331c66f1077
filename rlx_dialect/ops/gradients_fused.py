"""Gradients of the fused norms and residuals of diffusion transformers, all operands' in one flat value."""

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, StringAttr, TensorType, f64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import AdaNormKind, WordOf, word_of
from rlx_dialect.directives import Real, Word
from rlx_dialect.ops.base import RlxOp, f64_attr, word
from rlx_dialect.ops.gradients_elementwise import gradient_of
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    count,
    require_broadcasts_to,
    require_element,
    require_epsilon,
    same,
    shaped,
)


def flattened(values: Sequence[Shaped]) -> Shaped:
    """The elements of all values, one value after the other."""
    counts = [count(value.dims) for value in values]
    known = [each for each in counts if each is not None]
    return values[0].with_dims((sum(known) if len(known) == len(counts) else DYNAMIC,))


def broadcasting(operand: SSAValue, value: Shaped, name: str) -> Shaped:
    """The shape of an operand that broadcasts to the dims of `value`."""
    row = shaped(operand, name)
    require_element(value.element, row.element, name)
    require_broadcasts_to(row, value.dims, name)
    return row


@irdl_op_definition
class AdaLayerNormBackwardOp(RlxOp):
    """
    The gradients of `rlx.ada_layer_norm`, as one vector: by its input, by scale and by shift, each in row-major order.

    input and gradient `[.., D]`; scale and shift broadcast to their dims, and their gradients are summed to their own
    shapes. With n(x) the norm without gain: by the input the gradient of the norm at `gradient * (1 + scale)`, by scale
    `gradient * n(x)`, by shift `gradient`.
    """

    name = "rlx.ada_layer_norm_backward"

    input = operand_def(TensorType)
    scale = operand_def(TensorType)
    shift = operand_def(TensorType)
    gradient = operand_def(TensorType)
    norm = prop_def(WordOf(AdaNormKind), default_value=StringAttr(AdaNormKind.LAYER_NORM.value))
    epsilon = prop_def(FloatAttr.constr(f64))
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word, Real)
    assembly_format = (
        "$input `,` $scale `,` $shift `,` $gradient (`norm` `(` custom<Word>($norm)^ `)`)? "
        "`epsilon` `(` custom<Real>($epsilon) `)` (`accumulate` `(` $accumulate^ `)`)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        scale: SSAValue,
        shift: SSAValue,
        gradient: SSAValue,
        epsilon: float = 1e-5,
        norm: AdaNormKind = AdaNormKind.LAYER_NORM,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input, scale, shift, gradient],
            properties={"norm": word(norm), "epsilon": f64_attr(epsilon), "accumulate": accumulate},
        )

    @property
    def normalises(self) -> AdaNormKind:
        return word_of(self.norm, AdaNormKind)

    def infer(self) -> Sequence[Shaped]:
        require_epsilon(self.epsilon.value.data)
        value = gradient_of(self.input, self.gradient)
        if value.rank == 0:
            raise ShapeError(f"input must have rank 1 or more, got {value}")
        return [flattened((value, broadcasting(self.scale, value, "scale"), broadcasting(self.shift, value, "shift")))]


@irdl_op_definition
class GatedResidualBackwardOp(RlxOp):
    """
    The gradients of `rlx.gated_residual`, as one vector: `gradient` itself by its input, `gradient * gate` by its
    update, and `gradient * update` by its gate, summed to the gate's shape; each in row-major order.
    """

    name = "rlx.gated_residual_backward"

    input = operand_def(TensorType)
    update = operand_def(TensorType)
    gate = operand_def(TensorType)
    gradient = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $update `,` $gate `,` $gradient attr-dict `:` functional-type(operands, results)"

    def __init__(self, input: SSAValue, update: SSAValue, gate: SSAValue, gradient: SSAValue):
        super().__init__(operands=[input, update, gate, gradient])

    def infer(self) -> Sequence[Shaped]:
        value = gradient_of(self.input, self.gradient)
        update = same(value, shaped(self.update, "update"), "input", "update")
        return [flattened((update, update, broadcasting(self.gate, update, "gate")))]
