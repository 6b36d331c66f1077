"""
`a * b + c` rounded once, for floats narrower than f64.

The product of two such floats is an f64. Their sum with a third is rounded to odd: an inexact f64 has its last bit set,
so that the last rounding, to the narrower type, sees on which side of the middle the exact sum lies.
"""

from xdsl.dialects.builtin import BFloat16Type, f32, f64, i32, i64
from xdsl.ir import SSAValue

from rlx_dialect.ops import FmaOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo.attributes import ComparisonDirection
from rlx_passes.dialects.stablehlo.elementwise_binary import (
    AddOp,
    AndOp,
    CompareOp,
    MultiplyOp,
    SelectOp,
    SubtractOp,
)
from rlx_passes.dialects.stablehlo.elementwise_unary import AbsOp, BitcastConvertOp
from rlx_passes.lowerings.to_stablehlo.vocabulary import cast_to, splat, static
from rlx_passes.rewriting.conversion import Emitter, Rules


def _fma(op: FmaOp, emit: Emitter) -> SSAValue:
    element = static(op.result).element
    if element == f64:
        raise Refusal(
            "of f64 has no form in StableHLO, for its product fits into no wider type",
            "take f32, or a product and a sum",
        )
    a, b, c = (cast_to(emit, operand, f64) for operand in (op.a, op.b, op.c))
    product = emit(MultiplyOp(a, b))
    total = emit(AddOp(product, c))
    # What the sum of two floats lacks is a float.
    part = emit(SubtractOp(total, product))
    kept = emit(SubtractOp(total, part))
    error = emit(AddOp(emit(SubtractOp(product, kept)), emit(SubtractOp(c, part))))
    odd = _to_odd(emit, total, error)
    if isinstance(element, BFloat16Type):
        near = cast_to(emit, odd, f32)
        error = cast_to(emit, emit(SubtractOp(odd, cast_to(emit, near, f64))), f32)
        odd = _to_odd(emit, near, error)
    return cast_to(emit, odd, element)


def _to_odd(emit: Emitter, near: SSAValue, error: SSAValue) -> SSAValue:
    """`near`, or its neighbour in the direction of `error` where `near` is inexact and its last bit is not set."""
    value = shaped(near)
    words = Shaped(value.dims, i64 if value.element == f64 else i32)
    zero, one = splat(emit, value, 0), splat(emit, words, 1)
    bits = _bits_as(emit, near, words)
    even = emit(CompareOp(ComparisonDirection.EQ, emit(AndOp(bits, one)), splat(emit, words, 0)))
    inexact = emit(CompareOp(ComparisonDirection.GT, emit(AbsOp(error, value.type)), zero))
    above = emit(CompareOp(ComparisonDirection.GT, error, zero))
    below = emit(CompareOp(ComparisonDirection.LT, error, zero))
    positive = emit(CompareOp(ComparisonDirection.GT, near, zero))
    outwards = emit(SelectOp(positive, above, below))
    step = emit(SelectOp(outwards, one, splat(emit, words, -1)))
    moved = _bits_as(emit, emit(AddOp(bits, step)), value)
    return emit(SelectOp(emit(AndOp(inexact, even)), moved, near))


def _bits_as(emit: Emitter, value: SSAValue, target: Shaped) -> SSAValue:
    return emit(BitcastConvertOp.create(operands=[value], result_types=[target.type]))


RULES: Rules = {FmaOp: _fma}
