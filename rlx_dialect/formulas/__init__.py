"""
Every elementwise function and its derivative, written once.

A formula (`@formula`) is text on `Num`s; what these compute is up to a `Machine`. `apply(name, machine, x)` is what a
backend or an importer calls. Errors, in units of the last place: at most 4 in f32 and f64, 8 for pow, trigonometry and
the gamma family, with the signs of zero, infinities and NaN of IEEE 754 and C. The NumPy reference does not use these
formulas: it judges them.
"""

from rlx_dialect.formulas import (
    activations,
    derivatives,
    error_function,
    exponential,
    gamma,
    hyperbolic,
    inverse_trigonometry,
    logarithm,
    power,
    remainder,
    rounding,
    trigonometry,
)
from rlx_dialect.formulas.machine import F32, F64, RESULTS, FloatFormat, Machine, Num, Primitive, Sort
from rlx_dialect.formulas.registry import DERIVATIVES, FUNCTIONS, apply, apply_derivative

__all__ = [
    "DERIVATIVES",
    "F32",
    "F64",
    "FUNCTIONS",
    "RESULTS",
    "FloatFormat",
    "Machine",
    "Num",
    "Primitive",
    "Sort",
    "activations",
    "apply",
    "apply_derivative",
    "derivatives",
    "error_function",
    "exponential",
    "gamma",
    "hyperbolic",
    "inverse_trigonometry",
    "logarithm",
    "power",
    "remainder",
    "rounding",
    "trigonometry",
]
