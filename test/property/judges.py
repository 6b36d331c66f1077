"""
What PyTorch gives for ops of the dialect: a second opinion on the reference at edge values.

Floats are computed in f64 and rounded once, as the reference does; integers in i64, and cut to their width.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect import ops
from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.reference import Array
from rlx_dialect.shapes import of_any
from rlx_dialect.signature import Binding, arguments_of, find_function, results_of

Judge = Callable[[Any, Any, list[Any]], Any]
"""The result of an op, by torch, for operands that are tensors of f64, i64 or bool."""

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
    exact = (BinaryKind.ADD, BinaryKind.SUB, BinaryKind.MUL, BinaryKind.MAX, BinaryKind.MIN)
    return BINARIES[kind](t, x, y) if kind in exact and x.dtype == t.int64 else None


def _reduce(t: Any, op: ops.ReduceOp, given: list[Any]) -> Any:
    kind, axes = ReduceKind(op.kind.data), [int(each) for each in op.axes.get_values()]
    rule = REDUCTIONS.get(kind)
    if rule is None or not axes or given[0].numel() == 0 or not given[0].is_floating_point():
        return None
    return rule(t, given[0], axes, _flag(op.keep_dims))


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
    ops.ArgsortOp: _argsort,
    ops.BinaryOp: _binary,
    ops.CompareOp: _compare,
    ops.CummaxOp: _cumulative("cummax"),
    ops.CumprodOp: _cumulative("cumprod"),
    ops.CumsumOp: _cumulative("cumsum"),
    ops.LogicalNotOp: lambda t, op, given: ~given[0],
    ops.MatMulOp: _matmul,
    ops.ReduceOp: _reduce,
    ops.SoftmaxOp: _softmax,
    ops.SortOp: _sort,
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
    return None if found is None else {results_of(func)[0].name: _narrow(found.numpy(), op.results[0])}


def _wide(torch: Any, array: Array) -> Any:
    if array.dtype.kind in "iub":
        return torch.from_numpy(array.astype(np.bool_ if array.dtype.kind == "b" else np.int64))
    return torch.from_numpy(array.astype(np.float64))


def _narrow(array: Array, result: SSAValue) -> Array:
    from rlx_dialect.reference.numeric import rounded

    value = of_any(result.type)
    assert value is not None
    return array.astype(numpy_dtype(value.element)) if array.dtype.kind in "iub" else rounded(array, result)
