"""Contractions. MLX sums products of narrower floats in f32."""

from string import ascii_letters

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.ops import ConvOp, DequantGroupedMatMulMlxOp, DotGeneralOp, GroupedMatMulOp, MatMulOp
from rlx_dialect.shape_rules.windows import channel_axis
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls, is_integer, is_narrow, sum_element
from rlx_passes.rewriting.conversion import Rules


def product_element(element: Attribute, accumulate: Attribute | None) -> Attribute:
    """The type in which operands of `element` are multiplied so that the sum goes on in `accumulate`."""
    wanted = sum_element(element, accumulate)
    return element if is_narrow(element) and wanted == f32 else wanted


def matmul(calls: Calls, lhs: SSAValue, rhs: SSAValue, to: Shaped, accumulate: Attribute | None) -> SSAValue:
    """`lhs @ rhs` as `to`."""
    if is_integer(to.element):
        return calls.call("lib.integer_matmul", lhs, rhs, to=to)
    element = product_element(to.element, accumulate)
    operands = (calls.astype(lhs, element), calls.astype(rhs, element))
    return calls.astype(calls.call("mx.matmul", *operands, to=Shaped(to.dims, element)), to.element)


def _matmul(op: MatMulOp, calls: Calls) -> SSAValue:
    return matmul(calls, op.lhs, op.rhs, shaped(op.result), op.accumulate)


def _dot_general(op: DotGeneralOp, calls: Calls) -> SSAValue:
    to = shaped(op.result)
    subscripts = einsum_subscripts(op)
    if is_integer(to.element):
        return calls.call("lib.integer_einsum", op.lhs, op.rhs, to=to, subscripts=subscripts)
    element = product_element(to.element, op.accumulate)
    operands = (calls.astype(op.lhs, element), calls.astype(op.rhs, element))
    product = calls.call("mx.einsum", *operands, to=Shaped(to.dims, element), subscripts=subscripts)
    return calls.astype(product, to.element)


def _grouped_matmul(op: GroupedMatMulOp, calls: Calls) -> SSAValue:
    """`mx.gather_mm`, which is there for f32; other types take the matrix of each row first."""
    to = shaped(op.result)
    element = sum_element(to.element, op.accumulate)
    indices = calls.within(op.indices, op.weights, 0)
    row = calls.expand_dims(calls.astype(op.input, element), [to.rank - 1])
    weights = calls.astype(op.weights, element)
    product = Shaped((*to.dims[:-1], 1, to.dims[-1]), element)
    if element == f32:
        result = calls.call("mx.gather_mm", row, weights, indices, to=product)
    else:
        matrices = product.with_dims((*to.dims[:-1], *shaped(weights).dims[1:]))
        taken = calls.call("mx.take", weights, indices, to=matrices, axis=0)
        result = matmul(calls, row, taken, product, op.accumulate)
    squeezed = calls.call("mx.squeeze", result, to=Shaped(to.dims, element), axis=to.rank - 1)
    return calls.astype(squeezed, to.element)


def _dequant_grouped_matmul_mlx(op: DequantGroupedMatMulMlxOp, calls: Calls) -> SSAValue:
    """`mx.gather_qmm`, whose sums go on in f32; f64, which it does not take, goes through the plain form."""
    to = shaped(op.result)
    if to.element == f64:
        return calls.require_plain(op)[0]
    row = calls.expand_dims(calls.astype(op.input, f32), [to.rank - 1])
    scales, biases = (calls.astype(part, f32) for part in (op.scales, op.biases))
    product = calls.call(
        "mx.gather_qmm",
        *(row, op.weights, scales, biases, calls.within(op.indices, op.weights, 0)),
        to=Shaped((*to.dims[:-1], 1, to.dims[-1]), f32),
        group_size=op.group_size.value.data,
        bits=op.bits.value.data,
    )
    squeezed = calls.call("mx.squeeze", product, to=Shaped(to.dims, f32), axis=to.rank - 1)
    return calls.astype(squeezed, to.element)


def einsum_subscripts(op: DotGeneralOp) -> str:
    """The dims of the op as letters: `abc,acd->abd`."""
    letters = iter(ascii_letters)
    left = [next(letters) for _ in range(shaped(op.lhs).rank)]
    rank = shaped(op.rhs).rank
    lhs_batch, rhs_batch = op.lhs_batch.get_values(), op.rhs_batch.get_values()
    lhs_met = [axis % len(left) for axis in (*lhs_batch, *op.lhs_contracting.get_values())]
    rhs_met = [axis % rank for axis in (*rhs_batch, *op.rhs_contracting.get_values())]
    shared = {b: left[a] for a, b in zip(lhs_met, rhs_met)}
    right = [shared.get(axis) or next(letters) for axis in range(rank)]
    free = [letter for axis, letter in enumerate(left) if axis not in lhs_met]
    free += [letter for axis, letter in enumerate(right) if axis not in rhs_met]
    batch = [left[axis] for axis in lhs_met[: len(lhs_batch)]]
    return f"{''.join(left)},{''.join(right)}->{''.join((*batch, *free))}"


def _conv(op: ConvOp, calls: Calls) -> SSAValue:
    to, config, window = shaped(op.result), op.config, op.window
    element = sum_element(to.element, config.accumulate)
    last = channel_axis(config.layout, to.rank) == to.rank - 1
    input, weight = calls.astype(op.input, element), calls.astype(op.weight, element)
    if last:
        input = calls.transpose(input, [0, to.rank - 1, *range(1, to.rank - 1)])
    dims = (to.dims[0], to.dims[-1], *to.dims[1:-1]) if last else to.dims
    made = calls.call(
        "lib.conv",
        input,
        weight,
        to=Shaped(dims, element),
        stride=window.stride,
        low=window.low,
        high=window.high,
        dilation=window.dilation,
        input_dilation=window.input_dilation,
        groups=config.groups,
    )
    if last:
        made = calls.transpose(made, [0, *range(2, to.rank), 1])
    return calls.astype(made, to.element)


RULES: Rules = {
    ConvOp: _conv,
    DequantGroupedMatMulMlxOp: _dequant_grouped_matmul_mlx,
    MatMulOp: _matmul,
    DotGeneralOp: _dot_general,
    GroupedMatMulOp: _grouped_matmul,
}
