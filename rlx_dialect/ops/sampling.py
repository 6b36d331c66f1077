"""The choice of a token."""

from collections.abc import Sequence
from math import isfinite

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.directives import Real
from rlx_dialect.ops.base import RlxOp, f64_attr, i64_attr
from rlx_dialect.ops.random import require_key
from rlx_dialect.shape_rules.ordering import INDEX, arg_reduce
from rlx_dialect.shapes import Shaped, ShapeError, require_floats, shaped


@irdl_op_definition
class SampleOp(RlxOp):
    """
    A token for each row of logits `[.., V]`: `[..]`, drawn by the softmax of what is left of the row.

    1. With `temperature(0.0)` the greatest logit wins, the first of equal ones. Otherwise all are divided by the
       temperature.
    2. The `top_k` greatest stay, as `rlx.top_k` orders them; 0 keeps all. `p` is their softmax.
    3. Of these a token stays while the sum of `p` before it is below `top_p`; the first always does.
    4. `u` is a multiple of 2^-24 below 1, the upper 24 bits of w0 that `rlx.rng_uniform` has for the row. The token is
       the first for which the sum of `p` up to it exceeds `u` times the sum of all that stayed.

    The key is `tensor<2xui32>`. Tokens are of any element type that holds V - 1. Where `u` lies within rounding of a
    sum compiled code may choose the neighbour.
    """

    name = "rlx.sample"

    logits = operand_def(TensorType)
    key = operand_def(TensorType)
    top_k = prop_def(IntegerAttr.constr(i64))
    top_p = prop_def(FloatAttr.constr(f64))
    temperature = prop_def(FloatAttr.constr(f64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$logits `,` $key `top_k` `(` $top_k `)` `top_p` `(` custom<Real>($top_p) `)` "
        "`temperature` `(` custom<Real>($temperature) `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        logits: SSAValue,
        key: SSAValue,
        *,
        top_k: int = 0,
        top_p: float = 1.0,
        temperature: float = 1.0,
        index: Attribute = INDEX,
    ):
        _, result = arg_reduce(shaped(logits, "logits"), -1, False, index, "logits")
        super().__init__(
            operands=[logits, key],
            properties={"top_k": i64_attr(top_k), "top_p": f64_attr(top_p), "temperature": f64_attr(temperature)},
            result_types=[result.type],
        )
        self.check()

    def infer(self) -> Sequence[Shaped]:
        logits = shaped(self.logits, "logits")
        require_floats(logits, "logits")
        require_key(self.key)
        top_k, top_p, temperature = self.top_k.value.data, self.top_p.value.data, self.temperature.value.data
        if top_k < 0:
            raise ShapeError(f"top_k must not be negative, got {top_k}")
        if not 0 < top_p <= 1:
            raise ShapeError(f"top_p must be above 0 and at most 1, got {top_p}")
        if not (isfinite(temperature) and temperature >= 0):
            raise ShapeError(f"temperature must be finite and not negative, got {temperature}")
        return [arg_reduce(logits, -1, False, shaped(self.result, "result").element, "logits")[1]]
