"""Reductions, extrema by place and prefix sums against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import reductions

CASES = cases_of(*sorted(reductions.RULES))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_sizes_known_at_run_time(case: Case):
    check_import(case, {}, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(reductions.RULES)
