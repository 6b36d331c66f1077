"""
What PyTorch gives for ops of the dialect: a second opinion on the reference at edge values.

Floats are computed in f64 and rounded once, as the reference does; integers in i64, and cut to their width.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect import ops
from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, Extremum, PoolKind, ReduceKind, SpatialLayout
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.reference import Array
from rlx_dialect.shapes import of_any, shaped
from rlx_dialect.signature import Binding, arguments_of, find_function, results_of

Judge = Callable[[Any, Any, list[Any]], Any]
"""
The result of an op, by torch, for operands that are tensors of f64, i64 or bool; a tuple where there are several. None
says that torch has no word on it.
"""

ACTIVATIONS: Mapping[Activation, Callable[[Any, Any], Any]] = {
    Activation.GELU: lambda t, x: t.nn.functional.gelu(x),
    Activation.GELU_APPROX: lambda t, x: t.nn.functional.gelu(x, approximate="tanh"),
    Activation.QUICK_GELU: lambda t, x: x * t.sigmoid(1.702 * x),
    Activation.SILU: lambda t, x: t.nn.functional.silu(x),
    Activation.RELU: lambda t, x: t.relu(x),
    Activation.SIGMOID: lambda t, x: t.sigmoid(x),
    Activation.TANH: lambda t, x: t.tanh(x),
    Activation.EXP: lambda t, x: t.exp(x),
    Activation.LOG: lambda t, x: t.log(x),
    Activation.SQRT: lambda t, x: t.sqrt(x),
    Activation.RSQRT: lambda t, x: t.rsqrt(x),
    Activation.NEG: lambda t, x: -x,
    Activation.ABS: lambda t, x: t.abs(x),
    Activation.SIN: lambda t, x: t.sin(x),
    Activation.COS: lambda t, x: t.cos(x),
    Activation.TAN: lambda t, x: t.tan(x),
    Activation.ATAN: lambda t, x: t.atan(x),
    Activation.RECIP: lambda t, x: t.reciprocal(x),
    Activation.ROUND: lambda t, x: t.round(x),
    Activation.FLOOR: lambda t, x: t.floor(x),
    Activation.CEIL: lambda t, x: t.ceil(x),
    Activation.SIGN: lambda t, x: t.where(t.isnan(x), x, t.sign(x)),  # torch's is 0 for NaN
    Activation.SOFTPLUS: lambda t, x: t.logaddexp(x, t.zeros_like(x)),
    Activation.ELU: lambda t, x: t.nn.functional.elu(x),
    Activation.ERF: lambda t, x: t.erf(x),
    Activation.HARD_SWISH: lambda t, x: x * t.clamp(x / 6 + 0.5, 0, 1),
    Activation.HARD_SIGMOID: lambda t, x: t.clamp(x / 6 + 0.5, 0, 1),
    Activation.MISH: lambda t, x: x * t.tanh(t.logaddexp(x, t.zeros_like(x))),
    Activation.SOFTSIGN: lambda t, x: x / (1 + t.abs(x)),
    Activation.LOG_SIGMOID: lambda t, x: t.nn.functional.logsigmoid(x),
}

BINARIES: Mapping[BinaryKind, Callable[[Any, Any, Any], Any]] = {
    BinaryKind.ADD: lambda t, x, y: x + y,
    BinaryKind.SUB: lambda t, x, y: x - y,
    BinaryKind.MUL: lambda t, x, y: x * y,
    BinaryKind.DIV: lambda t, x, y: x / y,
    BinaryKind.MAX: lambda t, x, y: t.maximum(x, y),
    BinaryKind.MIN: lambda t, x, y: t.minimum(x, y),
    BinaryKind.POW: lambda t, x, y: t.pow(x, y),
    BinaryKind.MOD: lambda t, x, y: t.fmod(x, y),
    BinaryKind.ATAN2: lambda t, x, y: t.atan2(x, y),
}
"""Of floats."""

INTEGERS: Mapping[BinaryKind, Callable[[Any, Any, Any], Any]] = {
    BinaryKind.ADD: lambda t, x, y: x + y,
    BinaryKind.SUB: lambda t, x, y: x - y,
    BinaryKind.MUL: lambda t, x, y: x * y,
    BinaryKind.DIV: lambda t, x, y: _divided(t, x, y, t.div(x, _divisor(t, x, y), rounding_mode="trunc")),
    BinaryKind.MOD: lambda t, x, y: _divided(t, x, y, t.fmod(x, _divisor(t, x, y)), by_minus_one=0),
    BinaryKind.MAX: lambda t, x, y: t.maximum(x, y),
    BinaryKind.MIN: lambda t, x, y: t.minimum(x, y),
    BinaryKind.BIT_AND: lambda t, x, y: t.bitwise_and(x, y),
    BinaryKind.BIT_OR: lambda t, x, y: t.bitwise_or(x, y),
    BinaryKind.BIT_XOR: lambda t, x, y: t.bitwise_xor(x, y),
}
"""Of integers in i64, which are cut to their width afterwards."""

TRUTHS: Mapping[BinaryKind, Callable[[Any, Any, Any], Any]] = {
    BinaryKind.MAX: lambda t, x, y: t.logical_or(x, y),
    BinaryKind.MIN: lambda t, x, y: t.logical_and(x, y),
    BinaryKind.BIT_AND: lambda t, x, y: t.logical_and(x, y),
    BinaryKind.BIT_OR: lambda t, x, y: t.logical_or(x, y),
    BinaryKind.BIT_XOR: lambda t, x, y: t.logical_xor(x, y),
}
"""Of i1."""

COMPARISONS: Mapping[CompareKind, Callable[[Any, Any], Any]] = {
    CompareKind.EQ: lambda x, y: x == y,
    CompareKind.NE: lambda x, y: x != y,
    CompareKind.LT: lambda x, y: x < y,
    CompareKind.LE: lambda x, y: x <= y,
    CompareKind.GT: lambda x, y: x > y,
    CompareKind.GE: lambda x, y: x >= y,
}

REDUCTIONS: Mapping[ReduceKind, Callable[[Any, Any, list[int], bool], Any]] = {
    ReduceKind.SUM: lambda t, x, axes, keep: t.sum(x, axes, keep),
    ReduceKind.MEAN: lambda t, x, axes, keep: t.mean(x, axes, keep),
    ReduceKind.MAX: lambda t, x, axes, keep: t.amax(x, axes, keep),
    ReduceKind.MIN: lambda t, x, axes, keep: t.amin(x, axes, keep),
    ReduceKind.ANY: lambda t, x, axes, keep: t.any(x, axes, keep),
    ReduceKind.ALL: lambda t, x, axes, keep: t.all(x, axes, keep),
}


def _integer(attribute: Any) -> int:
    return int(attribute.value.data)


def _flag(attribute: Any) -> bool:
    """An attribute that is there or not, or a number that is 1 or 0."""
    return attribute is not None and (isinstance(attribute, UnitAttr) or bool(_integer(attribute)))


def _binary(t: Any, op: ops.BinaryOp, given: list[Any]) -> Any:
    x, y = given
    kind = BinaryKind(op.kind.data)
    if x.is_floating_point():
        return BINARIES[kind](t, x, y)
    rule = (TRUTHS if x.dtype == t.bool else INTEGERS).get(kind)
    return None if rule is None else rule(t, x, y)


def _divisor(t: Any, x: Any, y: Any) -> Any:
    """`y` where the processor divides by it: not 0, nor -1, by which the lowest i64 traps."""
    return t.where((y == 0) | (y == -1), 1, y)


def _divided(t: Any, x: Any, y: Any, quotient: Any, by_minus_one: int | None = None) -> Any:
    """The op gives 0 for a zero divisor, on which torch raises; a quotient by -1 is a negation."""
    by_minus = -x if by_minus_one is None else t.full_like(x, by_minus_one)
    return t.where(y == 0, 0, t.where(y == -1, by_minus, quotient))


def _reduce(t: Any, op: ops.ReduceOp, given: list[Any]) -> Any:
    kind, axes, x = ReduceKind(op.kind.data), [int(each) for each in op.axes.get_values()], given[0]
    rule = REDUCTIONS.get(kind)
    if rule is None or not axes:
        return None
    if kind in (ReduceKind.MAX, ReduceKind.MIN) and x.numel() == 0:
        return None  # torch raises
    return rule(t, x, axes, _flag(op.keep_dims))


def _cumulative(name: str) -> Judge:
    def rule(t: Any, op: Any, given: list[Any]) -> Any:
        axis, x = _integer(op.axis), given[0]
        if _flag(op.exclusive) or x.dtype == t.bool or x.numel() == 0:
            return None
        backwards = _flag(op.reverse)
        x = x.flip(axis) if backwards else x
        found = getattr(t, name)(x, axis)
        found = found.values if name == "cummax" else found
        return found.flip(axis) if backwards else found

    return rule


def _sort(t: Any, op: ops.SortOp, given: list[Any]) -> Any:
    return t.sort(given[0], dim=_integer(op.axis), descending=_flag(op.descending), stable=True).values


def _argsort(t: Any, op: ops.ArgsortOp, given: list[Any]) -> Any:
    return t.sort(given[0], dim=_integer(op.axis), descending=_flag(op.descending), stable=True).indices


def _top_k(t: Any, op: ops.TopKOp, given: list[Any]) -> Any:
    """By a stable sort, since torch's own leaves open which of equal elements comes first."""
    axis = _integer(op.axis)
    found = t.sort(given[0], dim=axis, descending=not _flag(op.smallest), stable=True)
    return tuple(each.narrow(axis, 0, _integer(op.k)) for each in (found.values, found.indices))


def _extremum(t: Any, kind: Extremum, op: Any, x: Any) -> tuple[Any, Any]:
    """Value and index; torch takes the first of equal elements, and NaN before all."""
    axis, last = _integer(op.axis), _flag(op.last)
    x = x.to(t.int64) if x.dtype == t.bool else x
    size = x.shape[axis]
    turned = x.flip(axis) if last else x
    index = (t.argmax if kind is Extremum.MAX else t.argmin)(turned, axis, keepdim=True)
    index = size - 1 - index if last else index
    found = t.take_along_dim(x, index, axis), index
    return found if _flag(op.keep_dims) else (found[0].squeeze(axis), found[1].squeeze(axis))


def _arg_reduce(t: Any, op: ops.ArgReduceOp, given: list[Any]) -> Any:
    return _extremum(t, Extremum(op.kind.data), op, given[0]) if given[0].numel() else None


def _arg_extremum(kind: Extremum) -> Judge:
    return lambda t, op, given: _extremum(t, kind, op, given[0])[1] if given[0].numel() else None


def _layer_norm(t: Any, op: ops.LayerNormOp, given: list[Any]) -> Any:
    """Of its steps: as one call it takes `x / s - mean / s`, which is not 0 at the mean, and so not NaN times inf."""
    x, gamma, beta = given
    if op.accumulate is not None or _integer(op.axis) not in (-1, x.ndim - 1):
        return None
    variance, mean = t.var_mean(x, -1, correction=0, keepdim=True)
    return (x - mean) / t.sqrt(variance + float(op.epsilon.value.data)) * gamma + beta


def _rms_norm(t: Any, op: ops.RmsNormOp, given: list[Any]) -> Any:
    x, gamma, beta = given
    if op.accumulate is not None or op.flatten is not None or _integer(op.axis) not in (-1, x.ndim - 1):
        return None
    return t.nn.functional.rms_norm(x, x.shape[-1:], gamma, float(op.epsilon.value.data)) + beta


def _pool(t: Any, op: ops.PoolOp, given: list[Any]) -> Any:
    """Windows of floats with equal pads on both sides, of at most half a window, which is all that torch has."""
    config, x = op.config, given[0]
    window = config.window
    pads = list(window.low)
    halves = all(2 * pad <= size for pad, size in zip(pads, window.kernel, strict=True))
    if config.layout is not SpatialLayout.CHANNELS_FIRST or pads != list(window.high) or not halves:
        return None
    if (
        not x.is_floating_point()
        or config.ceil
        or op.accumulate is not None
        or x.numel() == 0
        or 0 in shaped(op.result).dims
    ):
        return None
    kind, rank = PoolKind(op.kind.data), len(config.kernel)
    name = f"{'max' if kind is PoolKind.MAX else 'avg'}_pool{rank}d"
    rule, sizes = getattr(t.nn.functional, name), (list(window.kernel), list(window.stride), pads)
    if kind is PoolKind.MAX:
        return rule(x, *sizes, dilation=list(window.dilation))
    if any(step != 1 for step in window.dilation):
        return None
    return rule(x, *sizes, count_include_pad=_flag(op.count_include_pad))


def _cast(t: Any, op: ops.CastOp, given: list[Any]) -> Any:
    """Floats to integers too: torch's own is open where a number does not fit, so it is cut to what does before."""
    to: np.dtype[Any] = numpy_dtype(shaped(op.result).element)
    x = given[0]
    if to.kind == "b":
        return x != 0
    if x.is_floating_point() and to.kind in "iu" and to.itemsize < 8:
        info = np.iinfo(to)
        return t.clamp(t.nan_to_num(x, nan=0.0), float(info.min), float(info.max)).trunc().to(t.int64)
    if x.dtype == t.int64 and to.kind in "iu":
        return x
    return x if x.is_floating_point() and to.kind not in "iu" else None


def _softmax(t: Any, op: ops.SoftmaxOp, given: list[Any]) -> Any:
    return t.softmax(given[0], _integer(op.axis))


def _matmul(t: Any, op: ops.MatMulOp, given: list[Any]) -> Any:
    return t.matmul(*given) if given[0].is_floating_point() else None


def _where(t: Any, op: ops.WhereOp, given: list[Any]) -> Any:
    return t.where(given[0] != 0, given[1], given[2])


def _compare(t: Any, op: ops.CompareOp, given: list[Any]) -> Any:
    return COMPARISONS[CompareKind(op.kind.data)](*given)


def _activation(t: Any, op: ops.ActivationOp, given: list[Any]) -> Any:
    return ACTIVATIONS[Activation(op.kind.data)](t, given[0]) if given[0].is_floating_point() else None


JUDGES: Mapping[type[Operation], Judge] = {
    ops.ActivationOp: _activation,
    ops.ArgMaxOp: _arg_extremum(Extremum.MAX),
    ops.ArgMinOp: _arg_extremum(Extremum.MIN),
    ops.ArgReduceOp: _arg_reduce,
    ops.ArgsortOp: _argsort,
    ops.BinaryOp: _binary,
    ops.CastOp: _cast,
    ops.CompareOp: _compare,
    ops.CummaxOp: _cumulative("cummax"),
    ops.CumprodOp: _cumulative("cumprod"),
    ops.CumsumOp: _cumulative("cumsum"),
    ops.ErfcOp: lambda t, op, given: t.erfc(given[0]),
    ops.Expm1Op: lambda t, op, given: t.expm1(given[0]),
    ops.IsFiniteOp: lambda t, op, given: t.isfinite(given[0]),
    ops.LayerNormOp: _layer_norm,
    ops.Log1pOp: lambda t, op, given: t.log1p(given[0]),
    ops.LogicalNotOp: lambda t, op, given: ~given[0],
    ops.MatMulOp: _matmul,
    ops.PoolOp: _pool,
    ops.ReduceOp: _reduce,
    ops.RmsNormOp: _rms_norm,
    ops.SoftmaxOp: _softmax,
    ops.SortOp: _sort,
    ops.TopKOp: _top_k,
    ops.WhereOp: _where,
}
"""By op. None for what torch has no word on: kinds and types that it lacks."""


def judged(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array] | None:
    """What torch gives for a function of one op, by the names of its results; None where it has no word on it."""
    torch: Any = importlib.import_module("torch")
    func = find_function(module)
    op = func.body.block.first_op
    last = func.body.block.last_op
    rule = JUDGES.get(type(op)) if op is not None else None
    if op is None or rule is None or op.next_op is not last or not isinstance(last, ReturnOp):
        return None
    places: dict[SSAValue, Binding] = dict(zip(func.args, arguments_of(func), strict=True))
    if any(array.dtype.kind == "c" for array in inputs.values()):
        return None
    given = [_wide(torch, inputs[places[value].name]) for value in op.operands if value in places]
    if len(given) < len(op.operands) or list(last.operands) != list(op.results):
        return None
    found = rule(torch, op, given)
    if found is None:
        return None
    each = cast("tuple[Any, ...]", found) if isinstance(found, tuple) else (found,)
    return {
        binding.name: _narrow(value.numpy(), result)
        for binding, value, result in zip(results_of(func), each, op.results, strict=True)
    }


def _wide(torch: Any, array: Array) -> Any:
    if array.dtype.kind in "iub":
        return torch.from_numpy(array.astype(np.bool_ if array.dtype.kind == "b" else np.int64))
    return torch.from_numpy(array.astype(np.float64))


def _narrow(array: Array, result: SSAValue) -> Array:
    from rlx_dialect.reference.numeric import rounded

    value = of_any(result.type)
    assert value is not None
    return array.astype(numpy_dtype(value.element)) if array.dtype.kind in "iub" else rounded(array, result)
