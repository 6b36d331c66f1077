"""Splines with learned coefficients, the activations of Kolmogorov-Arnold networks, and their gradients."""

import math
from abc import ABC
from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import Real
from rlx_dialect.ops.base import Operands, RlxOp, f64_attr, i64_attr
from rlx_dialect.ops.gradients_elementwise import gradient_of
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    meet,
    require_element,
    require_floats,
    require_rank,
    shaped,
)

CUBIC = i64_attr(3)
_RANGE = "`range` `(` custom<Real>($low) `,` custom<Real>($high) `)` "
_DEGREE = "(`degree` `(` $degree^ `)`)? "
_TYPES = "attr-dict `:` functional-type(operands, results)"


class Grid(NamedTuple):
    """`intervals` of equal width from `low` to `high`, for pieces of polynomials of `degree`."""

    low: float
    high: float
    intervals: int
    degree: int

    @property
    def step(self) -> float:
        """The width of an interval."""
        return (self.high - self.low) / self.intervals

    @property
    def knots(self) -> int:
        """How many knots there are, `degree` of them beyond each end."""
        return self.intervals + 2 * self.degree + 1

    @property
    def functions(self) -> int:
        """How many B-splines there are."""
        return self.intervals + self.degree


class SplineOp(RlxOp, ABC):
    """An op on the B-splines of a grid."""

    low = prop_def(FloatAttr.constr(f64))
    high = prop_def(FloatAttr.constr(f64))
    degree = prop_def(IntegerAttr.constr(i64), default_value=CUBIC)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)

    def __init__(self, operands: Operands, low: float, high: float, degree: int, **more: IntegerAttr):
        super().__init__(
            operands=operands,
            properties={"low": f64_attr(low), "high": f64_attr(high), "degree": i64_attr(degree), **more},
        )

    def grid_of(self, intervals: int) -> Grid:
        """The grid of so many intervals. Raises `ShapeError` for one that is none."""
        low, high, degree = self.low.value.data, self.high.value.data, self.degree.value.data
        if not low < high or not math.isfinite(high - low):
            raise ShapeError(f"range must go from a finite number to a greater one, got {low} and {high}")
        if degree < 0:
            raise ShapeError(f"degree must not be negative, got {degree}")
        if intervals < 1:
            raise ShapeError(f"there must be 1 interval or more, got {intervals}")
        return Grid(low, high, intervals, degree)


def channels(value: Shaped) -> int:
    """The last dim of a spline's input."""
    if not value.dims:
        raise ShapeError(f"input must have rank 1 or more, got {value}")
    return value.dims[-1]


def check_coefficients(op: SplineOp, coefficients: SSAValue, value: Shaped) -> None:
    """Raises `ShapeError` unless there are splines for the channels of `value`."""
    given, degree = shaped(coefficients, "coefficients"), op.degree.value.data
    require_rank(given, 2, "coefficients")
    require_element(value.element, given.element, "coefficients")
    meet(given.dims[0], channels(value), f"dim 0 of coefficients {given} and the last dim of input {value}")
    if given.dims[1] == DYNAMIC or given.dims[1] <= degree:
        raise ShapeError(f"dim 1 of coefficients must be known and greater than degree {degree}, got {given}")
    grid_of(op, coefficients)


def grid_of(op: SplineOp, coefficients: SSAValue) -> Grid:
    """The grid that the splines of these coefficients have."""
    return op.grid_of(shaped(coefficients, "coefficients").dims[1] - op.degree.value.data)


@irdl_op_definition
class SplineActivationOp(SplineOp):
    """
    A spline for each channel: `y[.., c] = sum_i coefficients[c, i] * B_i(input[.., c])`.

    input `[.., C]` and coefficients `[C, G + degree]`, of one float type, give floats as input is. `range(low, high)`
    is cut into G >= 1 intervals of the width `h = (high - low) / G`, and `degree`, 3 by default, is that of the pieces.
    The knots are `t_j = low + (j - degree) * h` for j from 0 to G + 2 degree, so that `degree` of them lie beyond
    either end. `B_i = B_(i, degree)` for i from 0 to G + degree - 1, by the recursion of Cox and de Boor:

        B_(i, 0)(x) = 1 where t_i <= x < t_(i + 1), else 0
        B_(i, k)(x) = ((x - t_i) * B_(i, k - 1)(x) + (t_(i + k + 1) - x) * B_(i + 1, k - 1)(x)) / (k * h)

    They add up to 1 from `low` to `high`, short of `high` itself in degree 0; beyond, y falls to 0 within `degree`
    intervals and stays 0, also at infinity. NaN gives NaN. A base function beside it, mostly silu, is another op.
    """

    name = "rlx.spline_activation"

    input = operand_def(TensorType)
    coefficients = operand_def(TensorType)

    assembly_format = "$input `,` $coefficients " + _RANGE + _DEGREE + _TYPES

    def __init__(
        self, input: SSAValue, coefficients: SSAValue, *, low: float = -1.0, high: float = 1.0, degree: int = 3
    ):
        super().__init__([input, coefficients], low, high, degree)

    @property
    def grid(self) -> Grid:
        return grid_of(self, self.coefficients)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        require_floats(value, "input")
        check_coefficients(self, self.coefficients, value)
        return [value]


@irdl_op_definition
class SplineActivationBackwardXOp(SplineOp):
    """
    The gradient of `rlx.spline_activation` by its input: each channel's spline slope at `input` times `gradient`.

    With `B_(i, k)` as there, the slope is
    `sum_i coefficients[c, i] * (B_(i, degree - 1)(x) - B_(i + 1, degree - 1)(x)) / h`, which at a knot is that of the
    right side, and 0 in degree 0 and beyond the knots. gradient has the dims of input.
    """

    name = "rlx.spline_activation_backward_x"

    input = operand_def(TensorType)
    coefficients = operand_def(TensorType)
    gradient = operand_def(TensorType)

    assembly_format = "$input `,` $coefficients `,` $gradient " + _RANGE + _DEGREE + _TYPES

    def __init__(
        self,
        input: SSAValue,
        coefficients: SSAValue,
        gradient: SSAValue,
        *,
        low: float = -1.0,
        high: float = 1.0,
        degree: int = 3,
    ):
        super().__init__([input, coefficients, gradient], low, high, degree)

    @property
    def grid(self) -> Grid:
        return grid_of(self, self.coefficients)

    def infer(self) -> Sequence[Shaped]:
        value = gradient_of(self.input, self.gradient)
        check_coefficients(self, self.coefficients, value)
        return [value]


@irdl_op_definition
class SplineActivationBackwardCoeffOp(SplineOp):
    """
    The gradient of `rlx.spline_activation` by its coefficients: for channel c and i,
    `B_i(input[.., c]) * gradient[.., c]` summed over all dims but the last.

    input and gradient `[.., C]` give `[C, intervals + degree]`; `B_i` are those of `intervals` intervals, as there.
    Narrow floats are summed in f32.
    """

    name = "rlx.spline_activation_backward_coeff"

    input = operand_def(TensorType)
    gradient = operand_def(TensorType)
    intervals = prop_def(IntegerAttr.constr(i64))

    assembly_format = "$input `,` $gradient `intervals` `(` $intervals `)` " + _RANGE + _DEGREE + _TYPES

    def __init__(
        self,
        input: SSAValue,
        gradient: SSAValue,
        *,
        intervals: int,
        low: float = -1.0,
        high: float = 1.0,
        degree: int = 3,
    ):
        super().__init__([input, gradient], low, high, degree, intervals=i64_attr(intervals))

    @property
    def grid(self) -> Grid:
        return self.grid_of(self.intervals.value.data)

    def infer(self) -> Sequence[Shaped]:
        value = gradient_of(self.input, self.gradient)
        return [value.with_dims((channels(value), self.grid.functions))]
