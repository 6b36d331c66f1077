"""Products of the quantised weights of experts in plain ops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import BinaryKind, CodeScheme
from rlx_dialect.decompose.plain import Decomposition, Plain, is_half, plain_form
from rlx_dialect.decompose.quantization import as_type, in_pairs, spread
from rlx_dialect.decompose.spectral import constant
from rlx_dialect.ops import (
    DequantGroupedMatMulMlxOp,
    DequantGroupedMatMulOp,
    DequantMoEWeightsOp,
    GatherOp,
    GroupedMatMulOp,
    ReshapeOp,
    ScaledGroupedMatMulOp,
    TransposeOp,
)
from rlx_dialect.ops.quantization import integer, is_single
from rlx_dialect.ops.quantized_grouped import WORD
from rlx_dialect.shapes import DYNAMIC, shaped

if TYPE_CHECKING:
    from rlx_dialect.arrays import Array


def _whole(to: Plain, op: DequantMoEWeightsOp | DequantGroupedMatMulOp, element: Attribute) -> SSAValue | None:
    """`(weights - zero_point) * scale` in a float type wide enough; None if it needs a number of rows not known."""
    block = integer(op.block)
    if shaped(op.weights).dims[1] == DYNAMIC and (block is not None or op.codes is not CodeScheme.PLAIN):
        return None
    plain = op.codes is CodeScheme.PLAIN
    whole = as_type(to, op.weights, element) if plain else in_pairs(to, op.weights, op.codes, element)

    def each(part: SSAValue) -> SSAValue:
        value, lies = as_type(to, part, element), shaped(part)
        if block is not None:
            spread_out = spread(to, value, whole, 1, block)
            return value if spread_out is None else spread_out
        if lies.rank < 2:
            return value if lies.rank == 0 else to.add(ReshapeOp(value, ())).result
        return to.add(ReshapeOp(value, (lies.dims[0], 1, lies.dims[1]), to.sizes(part))).result

    if op.zero_point is not None:
        whole = to.minus(whole, each(op.zero_point))
    return to.times(whole, each(op.scale))


@plain_form(DequantMoEWeightsOp)
def dequant_moe_weights(op: DequantMoEWeightsOp) -> Decomposition | None:
    """None where the number of rows of weights in codes, or in blocks, is not known."""
    to = Plain()
    element = shaped(op.result).element
    whole = _whole(to, op, f32 if is_half(element) else element)
    return None if whole is None else to.done(to.narrowed(whole, op.result))


@plain_form(DequantGroupedMatMulOp)
def dequant_grouped_matmul(op: DequantGroupedMatMulOp) -> Decomposition | None:
    """None where the number of rows of weights in codes, or in blocks, is not known."""
    to = Plain()
    value = to.widened(op.input)
    whole = _whole(to, op, shaped(value).element)
    if whole is None:
        return None
    return to.done(to.narrowed(to.add(GroupedMatMulOp(value, whole, op.indices)).result, op.result))


def _codes(to: Plain, words: SSAValue, bits: int, width: int) -> SSAValue:
    """The `[E, N, K]` codes of `bits` bits that lie one after the other in the words `[E, N, W]`."""
    import numpy as np

    element, first = shaped(words).element, np.arange(width) * bits

    def taken(places: Array) -> SSAValue:
        return to.add(GatherOp(words, constant(to, places, i32), axis=2)).result

    codes = to.binary(BinaryKind.SHR, taken(first // WORD), constant(to, first % WORD, element))
    if WORD % bits:
        # What lies beyond the word; moved in two steps, since none may be as long as a word.
        beyond = taken(np.minimum(first // WORD + 1, shaped(words).dims[2] - 1))
        moved = to.binary(BinaryKind.SHL, beyond, to.scalar(1, words))
        upper = to.binary(BinaryKind.SHL, moved, constant(to, WORD - 1 - first % WORD, element))
        codes = to.binary(BinaryKind.BIT_OR, codes, upper)
    return to.binary(BinaryKind.BIT_AND, codes, to.scalar(2**bits - 1, words))


@plain_form(DequantGroupedMatMulMlxOp)
def dequant_grouped_matmul_mlx(op: DequantGroupedMatMulMlxOp) -> Decomposition | None:
    """None where the number of words of a row is not known."""
    width, group = op.width, op.group_size.value.data
    if width == DYNAMIC:
        return None
    to = Plain()
    value = to.widened(op.input)
    element = shaped(value).element
    experts, columns, _ = shaped(op.weights).dims
    sizes = to.sizes(op.weights)

    def laid(part: SSAValue, last: int) -> SSAValue:
        return to.add(ReshapeOp(part, (experts, columns, width // group, last), sizes)).result

    codes = as_type(to, _codes(to, op.weights, op.bits.value.data, width), element)
    scales, biases = (laid(to.widened(part), 1) for part in (op.scales, op.biases))
    whole = to.plus(to.times(laid(codes, group), scales), biases)
    rows = to.add(ReshapeOp(whole, (experts, columns, width), sizes)).result
    turned = to.add(TransposeOp(rows, [0, 2, 1])).result
    return to.done(to.narrowed(to.add(GroupedMatMulOp(value, turned, op.indices)).result, op.result))


@plain_form(ScaledGroupedMatMulOp)
def scaled_grouped_matmul(op: ScaledGroupedMatMulOp) -> Decomposition:
    to = Plain()
    value, weights = as_type(to, op.input, f32), as_type(to, op.weights, f32)
    turned = to.add(TransposeOp(weights, [0, 2, 1])).result
    product = to.add(GroupedMatMulOp(value, turned, op.indices)).result

    def each(part: SSAValue, by_index: bool) -> SSAValue:
        lies = shaped(part)
        if is_single(lies):
            return part if lies.rank == 0 else to.add(ReshapeOp(part, ())).result
        row = to.add(GatherOp(part, op.indices)).result if by_index else part
        return to.add(ReshapeOp(row, (*shaped(row).dims, 1), to.sizes(row))).result

    scales = to.times(each(op.input_scale, False), each(op.weights_scale, True))
    return to.done(as_type(to, to.times(product, scales), shaped(op.result).element))
