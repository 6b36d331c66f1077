"""The tables of coefficients follow the functions that the tool which writes them names."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from truths import mpmath

from rlx_dialect.formulas import F32, F64, coefficients

TOOL = runpy.run_path(str(Path(__file__).parents[3] / "docs/formula_coefficients.py"))
LIMITS = {F32: 2.0**-22, F64: 2.0**-50}


@pytest.mark.parametrize("fit", TOOL["FITS"], ids=lambda fit: fit.name)
def test_polynomials_follow_their_functions(fit: Any):
    for form, table in getattr(coefficients, fit.name).items():
        low, high = fit.interval if form == F64 or fit.single is None else fit.single
        assert len(table) == fit.terms[form == F64]
        for i in range(6):
            with mpmath.workdps(60):
                t = mpmath.mpf(low) + (mpmath.mpf(high) - low) * i / 5
                assert abs(mpmath.polyval(table[::-1], t) - fit.function(t)) < LIMITS[form]


@pytest.mark.parametrize("name", TOOL["CONSTANTS"])
def test_constants_have_twice_the_digits(name: str):
    for form, (high, low) in getattr(coefficients, name).items():
        with mpmath.workdps(60):
            exact, short = TOOL["CONSTANTS"][name], name in TOOL["SHORT"]
            digits = form.fraction // 2 if short else form.fraction
            assert abs(mpmath.mpf(high) + low - exact) < abs(exact) * 2.0 ** -(form.fraction + digits)
            if short:
                assert (high * 2.0 ** (digits + 1)).is_integer()
