"""Functions of one number that RLX has no kind for: those of the formulas, and questions of formats."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, TensorType, f16, f32, f64
from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.attributes import Activation, CompareKind
from rlx_dialect.dtypes import dtype_of, element_type
from rlx_dialect.functions import function_of
from rlx_dialect.ops import CastOp, ExpandOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import chlo
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.frontends.stablehlo.vocabulary import Arithmetic, real, require_static, splat
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import splat_number


@dataclass(frozen=True)
class Function:
    """The rule of an op that is a function of the formulas."""

    name: str

    def __call__(self, op: chlo.UnaryOp | unary.UnaryOp, emit: Emitter) -> SSAValue:
        element = real(op.operand).element
        if not isinstance(element, AnyFloat):
            raise Refusal(f"needs floats, has {element}")
        return function_of(self.name, emit, op.operand)

    def ops(self) -> set[str]:
        """The names of the ops that it becomes, on halves too."""
        block = Block(arg_types=[TensorType(f16, [])])

        def emit(op: Operation) -> SSAValue:
            block.add_op(op)
            return op.results[0]

        function_of(self.name, emit, block.args[0])
        return {op.name for op in block.ops}


def _digamma(op: chlo.DigammaOp, emit: Emitter) -> SSAValue:
    """The formula has the infinities of C at zeros, CHLO has NaN."""
    of = Arithmetic(emit, real(op.operand).element)
    value = DIGAMMA(op, emit)
    return of.where(of(CompareKind.EQ, op.operand, 0.0), float("nan"), value)


def _is_inf(op: chlo.TruthOp, emit: Emitter) -> SSAValue:
    of = Arithmetic(emit, real(op.operand).element)
    if isinstance(op, chlo.IsInfOp):
        return of(CompareKind.EQ, of(Activation.ABS, op.operand), float("inf"))
    return of(CompareKind.EQ, op.operand, float("-inf") if isinstance(op, chlo.IsNegInfOp) else float("inf"))


def _next_after(op: chlo.NextAfterOp, emit: Emitter) -> SSAValue:
    """The next number of a known one is known."""
    import numpy as np

    result, start, towards = require_static(op.result), splat_number(op.lhs), splat_number(op.rhs)
    if not isinstance(start, float) or not isinstance(towards, float) or result.element not in (f32, f64):
        raise Refusal("steps to the next number of one that is not known")
    kind = np.float32 if result.element == f32 else np.float64
    return emit(ExpandOp(splat(emit, result.element, float(np.nextafter(kind(start), kind(towards)))), result.dims))


def _reduce_precision(op: unary.ReducePrecisionOp, emit: Emitter) -> SSAValue:
    """A cast there and back, where a type has that format and its small numbers are those of the operand's type."""
    element = shaped(op.operand).element
    wanted = (op.exponent_bits.value.data, op.mantissa_bits.value.data)
    own = FORMATS.get(dtype_of(element).name)
    if own is None:
        raise Refusal(f"reduces the precision of {element}")
    if wanted[0] >= own[0] and wanted[1] >= own[1]:
        return op.operand
    if wanted != FORMATS["bf16"] or own[0] != wanted[0]:
        raise Refusal(f"rounds to the format e{wanted[0]}m{wanted[1]}, which no cast of {element} gives")
    return emit(CastOp(emit(CastOp(op.operand, element_type("bf16"))), element))


FORMATS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}
"""Bits of exponent and fraction."""

DIGAMMA = Function("digamma")

RULES: Rules = {
    chlo.AcosOp: Function("acos"),
    chlo.AcoshOp: Function("acosh"),
    chlo.AsinOp: Function("asin"),
    chlo.AsinhOp: Function("asinh"),
    chlo.AtanhOp: Function("atanh"),
    chlo.CoshOp: Function("cosh"),
    chlo.DigammaOp: _digamma,
    chlo.ErfInvOp: Function("erf_inv"),
    chlo.IsInfOp: _is_inf,
    chlo.IsNegInfOp: _is_inf,
    chlo.IsPosInfOp: _is_inf,
    chlo.LgammaOp: Function("lgamma"),
    chlo.NextAfterOp: _next_after,
    chlo.SinhOp: Function("sinh"),
    unary.CbrtOp: Function("cbrt"),
    unary.ReducePrecisionOp: _reduce_precision,
    unary.RoundNearestAwayFromZeroOp: Function("round_away"),
}
