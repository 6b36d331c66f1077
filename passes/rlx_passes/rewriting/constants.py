"""Constants as patterns see them: through broadcasts, as Python numbers, compared in the tensor's own precision."""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AnyFloat, BytesAttr, DenseIntOrFPElementsAttr, TensorType, i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import scalar
from rlx_dialect.shapes import Shaped
from rlx_passes.rewriting.legality import require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

EPSILONS = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
"""The distance from 1 to the next number of a type, by the type's name."""

LOWEST = {
    "f64": -(2.0 - 2.0**-52) * 2.0**1023,
    "f32": -(2.0 - 2.0**-23) * 2.0**127,
    "f16": -65504.0,
    "bf16": -(2.0 - 2.0**-7) * 2.0**127,
}
"""The most negative finite number of a type, by the type's name."""


def require_scalar(value: SSAValue) -> float:
    """`scalar`, or a miss."""
    number = scalar(value)
    if number is None:
        raise Miss(Reason.NOT_PRODUCED_BY, value, detail="a constant number is wanted")
    return number


def is_close(number: float, wanted: float, element: Attribute, ulps: int = 4) -> bool:
    """Whether two numbers are one and the same in the precision of `element`, a few roundings allowed."""
    epsilon = EPSILONS.get(element.name, 0.0) if isinstance(element, AnyFloat) else 0.0
    return number == wanted or abs(number - wanted) <= ulps * epsilon * abs(wanted)


def require_close(number: float, wanted: float, value: SSAValue, ulps: int = 4) -> None:
    """`number` is `wanted` in the precision of `value`. Raises `Miss` otherwise."""
    element = tensor_type(value).element_type
    require(
        is_close(number, wanted, element, ulps),
        Reason.CONSTANT,
        value,
        detail=lambda: f"{number} where {wanted} is wanted",
    )


def shortest(number: float, element: Attribute) -> float:
    """The number of fewest digits that is `number` in the precision of `element`: 1e-12 for the f32 9.99999996e-13."""
    if not isinstance(element, AnyFloat):
        return number
    for digits in range(1, 17):
        candidate = float(f"{number:.{digits}g}")
        try:
            if element.unpack(element.pack([candidate]), 1)[0] == number:
                return candidate
        except OverflowError:  # rounded up beyond the largest number
            continue
    return number


def splat(element: Attribute, dims: Sequence[int], number: float) -> ConstantOp:
    """A new constant of equal floats."""
    type: TensorType[Attribute] = Shaped(tuple(dims), element).type
    if not isinstance(element, AnyFloat):
        raise ValueError(f"{element} is no float type")
    data = BytesAttr(element.pack([number]))
    return ConstantOp(DenseIntOrFPElementsAttr(type, data))  # pyright: ignore[reportArgumentType]


def is_truth(value: SSAValue) -> bool:
    """Whether the elements are i1."""
    return tensor_type(value).element_type == i1


def is_one(value: SSAValue) -> bool:
    """Whether `value` is a constant of ones."""
    return scalar(value) == 1.0


def is_positive_zero(value: SSAValue) -> bool:
    """Whether `value` is a constant of zeros without a sign."""
    number = scalar(value)
    return number is not None and str(number) == "0.0"
