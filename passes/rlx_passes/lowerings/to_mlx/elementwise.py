"""Elementwise ops."""

from xdsl.dialects.builtin import f32, f64, i1, i32
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.dtypes import dtype_of, is_float
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ComplexOp,
    ErfcOp,
    Expm1Op,
    FmaOp,
    ImagOp,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    RealOp,
    WhereOp,
)
from rlx_dialect.shapes import Dims, Shaped, broadcast_dims, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls, is_complex, is_integer, wide_element
from rlx_passes.lowerings.to_mlx.functions import CALLS, NATIVE
from rlx_passes.rewriting.conversion import Rules

BINARIES = {
    BinaryKind.ADD: "mx.add",
    BinaryKind.SUB: "mx.subtract",
    BinaryKind.MUL: "mx.multiply",
    BinaryKind.DIV: "mx.divide",
    BinaryKind.MAX: "mx.maximum",
    BinaryKind.MIN: "mx.minimum",
    BinaryKind.BIT_AND: "mx.bitwise_and",
    BinaryKind.BIT_OR: "mx.bitwise_or",
    BinaryKind.BIT_XOR: "mx.bitwise_xor",
}

OF_FLOATS = (BinaryKind.POW, BinaryKind.MOD, BinaryKind.ATAN2)
"""Kinds that are a function of the formulas on floats."""

INTEGER_BINARIES = {
    BinaryKind.DIV: "lib.integer_divide",
    BinaryKind.MOD: "lib.integer_remainder",
    BinaryKind.POW: "lib.integer_power",
    BinaryKind.SHL: "lib.shift_left",
    BinaryKind.SHR: "lib.shift_right",
}
"""Kinds that are another function on integers. Truth values go through i32."""

ON_OTHERS = {
    Activation.ABS: "mx.abs",
    Activation.EXP: "mx.exp",
    Activation.NEG: "mx.negative",
    Activation.SIGN: "mx.sign",
}
"""Activations of integers and complex numbers."""

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
    if is_float(given.element):
        return function_of(calls, kind.value, value)
    if kind is Activation.ABS and is_complex(given.element):
        return calls.astype(calls.call("mx.abs", value, to=Shaped(given.dims, f32)), given.element)
    return calls.call(ON_OTHERS[kind], value, to=given)


def function_of(calls: Calls, name: str, *operands: SSAValue) -> SSAValue:
    """A function of floats of one type. Types narrower than f32 are computed in f32 and rounded once unless native."""
    element = shaped(operands[0]).element
    wide = element if name in NATIVE.get(dtype_of(element).name, ()) else wide_element(element)
    callee = CALLS[name] if name in NATIVE[dtype_of(wide).name] else f"lib.{name}"
    dims: Dims = ()
    for operand in operands:
        dims = broadcast_dims(dims, shaped(operand).dims)
    result = calls.call(callee, *(calls.astype(value, wide) for value in operands), to=Shaped(dims, wide))
    return calls.astype(result, element)


def _activation(op: ActivationOp, calls: Calls) -> SSAValue:
    return activate(calls, op.activation, op.input)


def _binary(op: BinaryOp, calls: Calls) -> SSAValue:
    kind, to = op.binary, shaped(op.result)
    if kind is BinaryKind.SUB and to.element == i1:
        return calls.call("mx.bitwise_xor", op.lhs, op.rhs, to=to)
    if is_float(to.element) and kind in OF_FLOATS:
        return function_of(calls, kind.value, op.lhs, op.rhs)
    if to.element == i1 and kind in (BinaryKind.SHL, BinaryKind.SHR):
        return calls.call("mx.bitwise_and", op.lhs, calls.call("mx.logical_not", op.rhs, to=shaped(op.rhs)), to=to)
    if is_integer(to.element) and kind in INTEGER_BINARIES:
        through = i32 if to.element == i1 else to.element
        return _through(through, INTEGER_BINARIES[kind], op, calls)
    return calls.call(BINARIES[kind], op.lhs, op.rhs, to=to)


def _through(element: Attribute, callee: str, op: BinaryOp, calls: Calls) -> SSAValue:
    """The call on operands cast to `element`, its result cast back."""
    to = shaped(op.result)
    operands = (calls.astype(op.lhs, element), calls.astype(op.rhs, element))
    return calls.astype(calls.call(callee, *operands, to=Shaped(to.dims, element)), to.element)


def _compare(op: CompareOp, calls: Calls) -> SSAValue:
    return calls.call(COMPARISONS[op.comparison], op.lhs, op.rhs, to=shaped(op.result))


def _cast(op: CastOp, calls: Calls) -> SSAValue:
    given, to = shaped(op.input), shaped(op.result)
    if given.element == f64 and is_float(to.element) and to.element not in (f32, f64):
        return calls.call("lib.narrowed", op.input, to=to, dtype=to.element)
    if is_float(given.element) and is_integer(to.element) and to.element != i1:
        wide = calls.astype(op.input, wide_element(given.element))
        return calls.call("lib.to_integer", wide, to=to, dtype=to.element)
    return calls.astype(op.input, to.element)


def _where(op: WhereOp, calls: Calls) -> SSAValue:
    return calls.call("mx.where", op.condition, op.on_true, op.on_false, to=shaped(op.result))


def _erfc(op: ErfcOp, calls: Calls) -> SSAValue:
    return function_of(calls, "erfc", op.input)


def _log1p(op: Log1pOp, calls: Calls) -> SSAValue:
    return function_of(calls, "log1p", op.input)


def _expm1(op: Expm1Op, calls: Calls) -> SSAValue:
    return function_of(calls, "expm1", op.input)


def _logical_not(op: LogicalNotOp, calls: Calls) -> SSAValue:
    return calls.call("mx.logical_not", op.input, to=shaped(op.result))


def _fma(op: FmaOp, calls: Calls) -> SSAValue:
    """In f32 the product of two narrower floats is exact, and their sum to odd is rounded once."""
    to = shaped(op.result)
    wide = Shaped(to.dims, wide_element(to.element))
    a, b, c = (calls.astype(operand, wide.element) for operand in (op.a, op.b, op.c))
    if to == wide:
        return calls.call("lib.product_and_sum", a, b, c, to=to)
    product = calls.call("mx.multiply", a, b, to=wide)
    return calls.astype(calls.call("lib.sum_to_odd", product, c, to=wide), to.element)


def _is_finite(op: IsFiniteOp, calls: Calls) -> SSAValue:
    return calls.call("mx.isfinite", op.input, to=shaped(op.result))


def _complex(op: ComplexOp, calls: Calls) -> SSAValue:
    return calls.call("lib.complex_of", op.real, op.imag, to=shaped(op.result))


def _part(op: RealOp | ImagOp, calls: Calls) -> SSAValue:
    return calls.call("mx.real" if isinstance(op, RealOp) else "mx.imag", op.input, to=shaped(op.result))


RULES: Rules = {
    ActivationOp: _activation,
    BinaryOp: _binary,
    CompareOp: _compare,
    CastOp: _cast,
    WhereOp: _where,
    ComplexOp: _complex,
    RealOp: _part,
    ImagOp: _part,
    ErfcOp: _erfc,
    Log1pOp: _log1p,
    Expm1Op: _expm1,
    LogicalNotOp: _logical_not,
    FmaOp: _fma,
    IsFiniteOp: _is_finite,
}
