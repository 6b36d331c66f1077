"""Complex numbers: pairs of f32 as one element."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ComplexType, TensorType, f32
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.ops.base import RlxOp
from rlx_dialect.ops.elementwise import UnaryOp
from rlx_dialect.shapes import Shaped, require_element, same, same_dims, shaped

C64 = ComplexType(f32)


def require_complex(value: SSAValue, name: str = "input") -> Shaped:
    """The shape of a tensor of complex numbers. Raises `ShapeError` for other elements."""
    found = shaped(value, name)
    require_element(C64, found.element, name)
    return found


@irdl_op_definition
class ComplexOp(RlxOp):
    """`real + i imag` for each element: two f32 of equal shape give complex numbers."""

    name = "rlx.complex"

    real = operand_def(TensorType)
    imag = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$real `,` $imag attr-dict `:` functional-type(operands, results)"

    def __init__(self, real: SSAValue, imag: SSAValue):
        super().__init__(operands=[real, imag])

    def infer(self) -> Sequence[Shaped]:
        real = shaped(self.real, "real")
        require_element(f32, real.element, "real")
        return [Shaped(same(real, shaped(self.imag, "imag"), "real", "imag").dims, C64)]


class PartOp(RlxOp):
    """An op that makes one f32 of each complex number."""

    input = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, z: SSAValue):
        super().__init__(operands=[z])

    def infer(self) -> Sequence[Shaped]:
        return [Shaped(require_complex(self.input).dims, f32)]


@irdl_op_definition
class RealOp(PartOp):
    """The real part of each complex number, as f32."""

    name = "rlx.real"


@irdl_op_definition
class ImagOp(PartOp):
    """The imaginary part of each complex number, as f32."""

    name = "rlx.imag"


@irdl_op_definition
class ComplexNormSqOp(PartOp):
    """`real(z)^2 + imag(z)^2` for each complex number z, as f32."""

    name = "rlx.complex_norm_sq"


@irdl_op_definition
class ConjugateOp(UnaryOp):
    """`real(z) - i imag(z)` for each complex number z."""

    name = "rlx.conjugate"

    def infer(self) -> Sequence[Shaped]:
        return [require_complex(self.input)]


@irdl_op_definition
class ComplexNormSqBackwardOp(RlxOp):
    """
    The gradient of `rlx.complex_norm_sq` by its input: `2 z gradient` for each complex number z.

    gradient is f32 in the dims of the input. The real part of the result is the derivative by the real part of z, the
    imaginary part the one by the imaginary part.
    """

    name = "rlx.complex_norm_sq_backward"

    input = operand_def(TensorType)
    gradient = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$input `,` $gradient attr-dict `:` functional-type(operands, results)"

    def __init__(self, z: SSAValue, gradient: SSAValue):
        super().__init__(operands=[z, gradient])

    def infer(self) -> Sequence[Shaped]:
        value, gradient = require_complex(self.input), shaped(self.gradient, "gradient")
        require_element(f32, gradient.element, "gradient")
        return [value.with_dims(same_dims(value, gradient, "input", "gradient"))]
