"""Norms and softmax: the fused functions of `mx.fast`, which compute in f32, and the library's for f64."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.ops import LayerNormOp, NormOp, RmsNormOp, SoftmaxOp
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axis, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls, is_zero, sum_element
from rlx_passes.rewriting.conversion import Rules

Norm: TypeAlias = Callable[[Calls, SSAValue, SSAValue, SSAValue, float, Attribute | None], SSAValue]
"""A norm over the last axis: of a value, with gain, shift, epsilon and the type to sum in."""


def layer_norm(
    calls: Calls, value: SSAValue, gamma: SSAValue, beta: SSAValue, epsilon: float, accumulate: Attribute | None
) -> SSAValue:
    """Over the last axis, of the type of `value`."""
    given = shaped(value)
    if 0 in given.dims:
        return value
    wide = Shaped(given.dims, _norm_element((value, gamma, beta), accumulate))
    operands = [calls.astype(operand, wide.element) for operand in (value, gamma, beta)]
    callee = "lib.layer_norm" if wide.element == f64 else "mx.fast.layer_norm"
    return calls.astype(calls.call(callee, *operands, to=wide, eps=epsilon), given.element)


def rms_norm(
    calls: Calls, value: SSAValue, gamma: SSAValue, beta: SSAValue, epsilon: float, accumulate: Attribute | None
) -> SSAValue:
    """Over the last axis, of the type of `value`."""
    given = shaped(value)
    if 0 in given.dims:
        return value
    wide = Shaped(given.dims, _norm_element((value, gamma, beta), accumulate))
    operands = [calls.astype(operand, wide.element) for operand in (value, gamma)]
    callee = "lib.rms_norm" if wide.element == f64 else "mx.fast.rms_norm"
    scaled = calls.call(callee, *operands, to=wide, eps=epsilon)
    if is_zero(beta):
        return calls.astype(scaled, given.element)
    shifted = calls.call("mx.add", scaled, calls.astype(beta, wide.element), to=wide)
    return calls.astype(shifted, given.element)


def _norm_element(operands: Iterable[SSAValue], accumulate: Attribute | None) -> Attribute:
    """
    The type of the call. The fast functions take statistics of narrower floats in f32 and round only the result, so
    halves stay as they are, but beside a gain or a shift of f32.
    """
    element, *weights = (shaped(operand).element for operand in operands)
    if accumulate is not None:
        return sum_element(element, accumulate)
    return f32 if f32 in weights else element


def _over_any_axis(op: NormOp, calls: Calls, norm: Norm) -> SSAValue:
    """A norm over any axis, which is moved to the end for it."""
    rank = shaped(op.input).rank
    axis = normalize_axis(op.axis.value.data, rank)
    swapped = [*range(rank)]
    swapped[axis], swapped[-1] = rank - 1, axis
    value = op.input if axis == rank - 1 else calls.transpose(op.input, swapped)
    normed = norm(calls, value, op.gamma, op.beta, op.epsilon.value.data, op.accumulate)
    return normed if axis == rank - 1 else calls.transpose(normed, swapped)


def _layer_norm(op: LayerNormOp, calls: Calls) -> SSAValue:
    return _over_any_axis(op, calls, layer_norm)


def _rms_norm(op: RmsNormOp, calls: Calls) -> SSAValue:
    normed = _over_any_axis(op, calls, rms_norm)
    to = shaped(op.result)
    if to.rank == shaped(normed).rank:
        return normed
    rows, width = to.dims
    return calls.call("mx.reshape", normed, to=to, shape=(-1 if rows == DYNAMIC else rows, width))


def _softmax(op: SoftmaxOp, calls: Calls) -> SSAValue:
    given = shaped(op.input)
    axis = normalize_axis(op.axis.value.data, given.rank)
    if 0 in given.dims:
        return op.input
    wide = Shaped(given.dims, given.element if op.accumulate is None else op.accumulate)
    value = calls.astype(op.input, wide.element)
    if wide.element == f64:
        result = calls.call("lib.softmax", value, to=wide, axis=axis)
    else:
        result = calls.call("mx.softmax", value, to=wide, axis=axis, precise=True)
    return calls.astype(result, given.element)


RULES: Rules = {
    LayerNormOp: _layer_norm,
    RmsNormOp: _rms_norm,
    SoftmaxOp: _softmax,
}
