"""What several rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.constants import constant_op, dense
from rlx_dialect.dtypes import dtype_of, numpy_dtype
from rlx_dialect.ops import ActivationOp, BinaryOp, CompareOp, ExpandOp, ReshapeOp, WhereOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo.base import is_complex
from rlx_passes.rewriting.conversion import Emitter
from rlx_passes.rewriting.vocabulary import constant_array

if TYPE_CHECKING:
    pass


def real(value: SSAValue) -> Shaped:
    """Dims and element type of a tensor of numbers that RLX has and that are not complex."""
    if is_complex(value.type):
        raise Refusal(f"has an operand of complex numbers, {value.type}")
    found = shaped(value)
    try:
        dtype_of(found.element)
    except ValueError as error:
        raise Refusal(str(error)) from error
    return found


class Arithmetic:
    """
    Elementwise ops, each by its kind: `of(BinaryKind.ADD, x, 1.0)`. A Python number means a constant of `element`.
    """

    def __init__(self, emit: Emitter, element: Attribute):
        self.emit, self.element = emit, element

    def __call__(self, kind: Activation | BinaryKind | CompareKind, *operands: SSAValue | float) -> SSAValue:
        values = [self.value(operand) for operand in operands]
        match kind:
            case Activation():
                return self.emit(ActivationOp(kind, *values))
            case BinaryKind():
                return self.emit(BinaryOp(kind, *values))
            case CompareKind():
                return self.emit(CompareOp(kind, *values))

    def where(self, condition: SSAValue, on_true: SSAValue | float, on_false: SSAValue | float) -> SSAValue:
        return self.emit(WhereOp(condition, self.value(on_true), self.value(on_false)))

    def value(self, operand: SSAValue | float) -> SSAValue:
        return operand if isinstance(operand, SSAValue) else splat(self.emit, self.element, operand)


def splat(emit: Emitter, element: Attribute, number: float) -> SSAValue:
    """A constant of rank 0."""
    import numpy as np

    return emit(constant_op(dense(TensorType(element, []), np.array(number, dtype=numpy_dtype(element)))))


def counts_along(value: SSAValue, axis: int) -> bool:
    """Whether each element of `value` is its index along `axis`: a constant 0, 1, 2, .., stretched to other dims."""
    import numpy as np

    dims = shaped(value).dims
    wanted = [size if i == axis else 1 for i, size in enumerate(dims)]
    while isinstance(value.owner, ExpandOp):
        value = value.owner.input
    if [1] * (len(dims) - shaped(value).rank) + list(shaped(value).dims) not in (wanted, list(dims)):
        return False
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input
    array = constant_array(value)
    return array is not None and array.size == dims[axis] and bool((array.ravel() == np.arange(dims[axis])).all())


def require_static(value: SSAValue) -> Shaped:
    """Dims and element type of a value of which all dims are known."""
    found = shaped(value)
    if not found.static:
        raise Refusal(f"has the dynamic type {found}")
    return found
