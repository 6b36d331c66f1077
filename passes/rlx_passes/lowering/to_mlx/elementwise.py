"""Elementwise ops."""

from xdsl.dialects.builtin import f32, f64, i1, i32
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.dtypes import is_float
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ErfcOp,
    Expm1Op,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    WhereOp,
)
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.conversion import Rules
from rlx_passes.lowering.to_mlx.calls import Calls, is_complex, is_integer, wide_element

ONE_CALL = {
    Activation.TANH: "mx.tanh",
    Activation.EXP: "mx.exp",
    Activation.LOG: "mx.log",
    Activation.SQRT: "mx.sqrt",
    Activation.RSQRT: "mx.rsqrt",
    Activation.NEG: "mx.negative",
    Activation.ABS: "mx.abs",
    Activation.SIN: "mx.sin",
    Activation.COS: "mx.cos",
    Activation.TAN: "mx.tan",
    Activation.ATAN: "mx.arctan",
    Activation.RECIP: "mx.reciprocal",
    Activation.ROUND: "mx.round",
    Activation.FLOOR: "mx.floor",
    Activation.CEIL: "mx.ceil",
}
"""Functions that MLX rounds once, whatever the float type."""

IN_F32 = {
    Activation.SIGMOID: "mx.sigmoid",
    Activation.ERF: "mx.erf",
    Activation.GELU: "lib.gelu",
    Activation.GELU_APPROX: "lib.gelu_approx",
    Activation.SILU: "lib.silu",
    Activation.SOFTPLUS: "lib.softplus",
    Activation.ELU: "lib.elu",
    Activation.HARD_SWISH: "lib.hard_swish",
    Activation.HARD_SIGMOID: "lib.hard_sigmoid",
    Activation.MISH: "lib.mish",
    Activation.SOFTSIGN: "lib.softsign",
    Activation.LOG_SIGMOID: "lib.log_sigmoid",
}
"""Functions of several steps: narrower floats are widened first, so that only the result is rounded."""

IN_F64 = {
    Activation.EXP: "lib.exp",
    Activation.SIN: "lib.sin",
    Activation.COS: "lib.cos",
    Activation.ERF: "lib.erf",
    Activation.SIGMOID: "lib.sigmoid",
}
"""Functions that MLX computes in single precision even for f64."""

BINARIES = {
    BinaryKind.ADD: "mx.add",
    BinaryKind.SUB: "mx.subtract",
    BinaryKind.MUL: "mx.multiply",
    BinaryKind.DIV: "mx.divide",
    BinaryKind.MAX: "mx.maximum",
    BinaryKind.MIN: "mx.minimum",
    BinaryKind.POW: "mx.power",
    BinaryKind.MOD: "lib.c_remainder",
    BinaryKind.BIT_AND: "mx.bitwise_and",
    BinaryKind.BIT_OR: "mx.bitwise_or",
    BinaryKind.BIT_XOR: "mx.bitwise_xor",
    BinaryKind.ATAN2: "mx.arctan2",
}

INTEGER_BINARIES = {
    BinaryKind.DIV: "lib.integer_divide",
    BinaryKind.MOD: "lib.integer_remainder",
    BinaryKind.POW: "lib.integer_power",
    BinaryKind.SHL: "lib.shift_left",
    BinaryKind.SHR: "lib.shift_right",
}
"""Kinds that are another function on integers. Truth values go through i32."""

COMPARISONS = {
    CompareKind.EQ: "mx.equal",
    CompareKind.NE: "mx.not_equal",
    CompareKind.LT: "mx.less",
    CompareKind.LE: "mx.less_equal",
    CompareKind.GT: "mx.greater",
    CompareKind.GE: "mx.greater_equal",
}


def activate(calls: Calls, kind: Activation, value: SSAValue) -> SSAValue:
    """`kind(value)`, of the type of `value`."""
    given = shaped(value)
    if kind is Activation.RELU:
        return calls.call("mx.maximum", value, calls.scalar(0, given.element), to=given)
    if kind is Activation.SIGN:
        return calls.call("lib.sign" if is_float(given.element) else "mx.sign", value, to=given)
    if kind is Activation.ABS and is_complex(given.element):
        return calls.astype(calls.call("mx.abs", value, to=Shaped(given.dims, f32)), given.element)
    if given.element == f64 and kind in IN_F64:
        return calls.call(IN_F64[kind], value, to=given)
    if kind in ONE_CALL:
        return calls.call(ONE_CALL[kind], value, to=given)
    return in_f32(calls, IN_F32[kind], value)


def in_f32(calls: Calls, callee: str, *operands: SSAValue) -> SSAValue:
    """A call on operands of one type, narrower floats widened to f32 for it."""
    given = shaped(operands[0])
    wide = Shaped(given.dims, wide_element(given.element))
    result = calls.call(callee, *(calls.astype(value, wide.element) for value in operands), to=wide)
    return calls.astype(result, given.element)


def _activation(op: ActivationOp, calls: Calls) -> SSAValue:
    return activate(calls, op.activation, op.input)


def _binary(op: BinaryOp, calls: Calls) -> SSAValue:
    kind, to = op.binary, shaped(op.result)
    if kind is BinaryKind.SUB and to.element == i1:
        return calls.call("mx.bitwise_xor", op.lhs, op.rhs, to=to)
    if is_integer(to.element) and kind is BinaryKind.ATAN2:
        return _through(f32, BINARIES[kind], op, calls)
    if is_integer(to.element) and kind in INTEGER_BINARIES:
        through = i32 if to.element == i1 else to.element
        return _through(through, INTEGER_BINARIES[kind], op, calls)
    through = wide_element(to.element) if kind is BinaryKind.MOD else to.element
    return _through(through, BINARIES[kind], op, calls)


def _through(element: Attribute, callee: str, op: BinaryOp, calls: Calls) -> SSAValue:
    """The call on operands cast to `element`, its result cast back."""
    to = shaped(op.result)
    operands = (calls.astype(op.lhs, element), calls.astype(op.rhs, element))
    return calls.astype(calls.call(callee, *operands, to=Shaped(to.dims, element)), to.element)


def _compare(op: CompareOp, calls: Calls) -> SSAValue:
    return calls.call(COMPARISONS[op.comparison], op.lhs, op.rhs, to=shaped(op.result))


def _cast(op: CastOp, calls: Calls) -> SSAValue:
    return calls.astype(op.input, shaped(op.result).element)


def _where(op: WhereOp, calls: Calls) -> SSAValue:
    return calls.call("mx.where", op.condition, op.on_true, op.on_false, to=shaped(op.result))


def _erfc(op: ErfcOp, calls: Calls) -> SSAValue:
    return in_f32(calls, "lib.erfc", op.input)


def _log1p(op: Log1pOp, calls: Calls) -> SSAValue:
    return calls.call("mx.log1p", op.input, to=shaped(op.result))


def _expm1(op: Expm1Op, calls: Calls) -> SSAValue:
    return calls.call("mx.expm1", op.input, to=shaped(op.result))


def _logical_not(op: LogicalNotOp, calls: Calls) -> SSAValue:
    return calls.call("mx.logical_not", op.input, to=shaped(op.result))


def _is_finite(op: IsFiniteOp, calls: Calls) -> SSAValue:
    return calls.call("mx.isfinite", op.input, to=shaped(op.result))


RULES: Rules = {
    ActivationOp: _activation,
    BinaryOp: _binary,
    CompareOp: _compare,
    CastOp: _cast,
    WhereOp: _where,
    ErfcOp: _erfc,
    Log1pOp: _log1p,
    Expm1Op: _expm1,
    LogicalNotOp: _logical_not,
    IsFiniteOp: _is_finite,
}
