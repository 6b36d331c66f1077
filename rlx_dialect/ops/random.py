"""
Random numbers that follow from a key.

The generator is Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): a function
of a key of two words and a counter of two words that gives two words. Element g of a result, counted in row-major
order, has the counter `(g mod 2^32, g div 2^32)`; w0 and w1 are the words it gets. The same key gives the same numbers
on every target, up to the rounding of what is computed from the words; ops that must differ need different keys.
"""

from collections.abc import Sequence
from math import isfinite

from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerType, Signedness, TensorType, f64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

from rlx_dialect.directives import Real
from rlx_dialect.ops.base import RlxOp, f64_attr
from rlx_dialect.ops.shape import require_sizes
from rlx_dialect.shapes import Shaped, ShapeError, require_floats, require_vector, shaped

UI32 = IntegerType(32, Signedness.UNSIGNED)


def require_key(key: SSAValue) -> None:
    """Two words. Raises `ShapeError` for anything else."""
    require_vector(shaped(key, "key"), 2, UI32, "key", "the two words of a key")


class RngOp(RlxOp):
    """An op that makes floats of a key; `sizes` holds one index value for each `?` of the result."""

    key = operand_def(TensorType)
    sizes = var_operand_def(IndexType())
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def infer(self) -> Sequence[Shaped]:
        require_key(self.key)
        result = shaped(self.result, "result")
        require_floats(result, "result")
        require_sizes(self.result, len(self.sizes))
        return [result]


@irdl_op_definition
class RngUniformOp(RngOp):
    """
    Floats spread evenly over `[low, high)`: `low + (high - low) * u`.

    `u` is a multiple of 2^-p below 1 with the digits that the element type has: p is 24 for f32, 11 for f16, 8 for
    bf16, from the upper bits of w0; and 53 for f64, from the upper 27 bits of w0 and the upper 26 of w1. Rounding may
    give `high` itself. The key is `tensor<2xui32>`; Threefry-2x32 counts by the element's row-major number.
    """

    name = "rlx.rng_uniform"

    low = prop_def(FloatAttr.constr(f64))
    high = prop_def(FloatAttr.constr(f64))

    custom_directives = (Real,)
    assembly_format = (
        "$key `low` `(` custom<Real>($low) `)` `high` `(` custom<Real>($high) `)` (`sizes` `(` $sizes^ `)`)? attr-dict "
        "`:` type($key) `->` type($result)"
    )

    def __init__(
        self, key: SSAValue, result: Shaped, sizes: Sequence[SSAValue] = (), *, low: float = 0.0, high: float = 1.0
    ):
        super().__init__(
            operands=[key, sizes],
            properties={"low": f64_attr(low), "high": f64_attr(high)},
            result_types=[result.type],
        )
        self.check()

    def infer(self) -> Sequence[Shaped]:
        low, high = self.low.value.data, self.high.value.data
        if not (low <= high and isfinite(high - low)):
            raise ShapeError(f"low must not be above high and both finite, got {low} and {high}")
        return super().infer()


@irdl_op_definition
class RngNormalOp(RngOp):
    """
    Floats of a normal distribution: `mean + deviation * sqrt(-2 log u1) * cos(2 pi u2)`.

    `u1` is `(w0 div 2^8 + 1) * 2^-24` and `u2` is `(w1 div 2^8) * 2^-24`; for f64 all bits count, `(w0 + 1) * 2^-32`
    and `w1 * 2^-32`. The key is `tensor<2xui32>`; Threefry-2x32 counts by the element's row-major number.
    """

    name = "rlx.rng_normal"

    mean = prop_def(FloatAttr.constr(f64))
    deviation = prop_def(FloatAttr.constr(f64))

    custom_directives = (Real,)
    assembly_format = (
        "$key `mean` `(` custom<Real>($mean) `)` `deviation` `(` custom<Real>($deviation) `)` "
        "(`sizes` `(` $sizes^ `)`)? attr-dict `:` type($key) `->` type($result)"
    )

    def __init__(
        self,
        key: SSAValue,
        result: Shaped,
        sizes: Sequence[SSAValue] = (),
        *,
        mean: float = 0.0,
        deviation: float = 1.0,
    ):
        super().__init__(
            operands=[key, sizes],
            properties={"mean": f64_attr(mean), "deviation": f64_attr(deviation)},
            result_types=[result.type],
        )
        self.check()

    def infer(self) -> Sequence[Shaped]:
        mean, deviation = self.mean.value.data, self.deviation.value.data
        if not (isfinite(mean) and isfinite(deviation) and deviation >= 0):
            raise ShapeError(f"mean must be finite and deviation finite and not negative, got {mean} and {deviation}")
        return super().infer()
