"""Complex numbers, in complex128 and rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import ComplexNormSqBackwardOp, ComplexNormSqOp, ComplexOp, ConjugateOp, ImagOp, RealOp
from rlx_dialect.reference.numeric import rounded, wide


@register_impls
class ComplexFunctions(InterpreterFunctions):
    @impl(ComplexOp)
    def complex(self, interpreter: Interpreter, op: ComplexOp, args: tuple[Any, ...]):
        result = np.empty(args[0].shape, np.complex64)
        # A sum would turn the infinite part of one into NaN in the other.
        result.real, result.imag = args
        return (result,)

    @impl(RealOp)
    def real(self, interpreter: Interpreter, op: RealOp, args: tuple[Any, ...]):
        return (args[0].real,)

    @impl(ImagOp)
    def imag(self, interpreter: Interpreter, op: ImagOp, args: tuple[Any, ...]):
        return (args[0].imag,)

    @impl(ConjugateOp)
    def conjugate(self, interpreter: Interpreter, op: ConjugateOp, args: tuple[Any, ...]):
        return (args[0].conj(),)

    @impl(ComplexNormSqOp)
    def complex_norm_sq(self, interpreter: Interpreter, op: ComplexNormSqOp, args: tuple[Any, ...]):
        z = wide(args[0])
        return (rounded(np.real(z) ** 2 + np.imag(z) ** 2, op.result),)

    @impl(ComplexNormSqBackwardOp)
    def complex_norm_sq_backward(self, interpreter: Interpreter, op: ComplexNormSqBackwardOp, args: tuple[Any, ...]):
        z, gradient = map(wide, args)
        result = np.empty(z.shape, np.complex128)
        result.real, result.imag = 2 * np.real(z) * gradient, 2 * np.imag(z) * gradient
        return (rounded(result, op.result),)
