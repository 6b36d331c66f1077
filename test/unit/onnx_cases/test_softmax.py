"""Softmax and the losses over it against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import softmax

CASES = cases_of(*sorted(softmax.RULES))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, {}, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(softmax.RULES)
