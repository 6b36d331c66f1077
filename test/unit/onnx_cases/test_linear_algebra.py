"""Determinants against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import linear_algebra

CASES = cases_of(*sorted(linear_algebra.RULES))
UNSUPPORTED: dict[str, str] = {}
STATIC: dict[str, str] = {}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, UNSUPPORTED)


@pytest.mark.parametrize("case", sized(CASES, UNSUPPORTED), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, STATIC, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(linear_algebra.RULES)
    assert set(UNSUPPORTED) | set(STATIC) <= {case.name for case in CASES}
