"""Entries that the data select against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import selection

CASES = cases_of(*sorted(selection.RULES))
UNSUPPORTED = {
    case.name: "how many different elements there are is known at run time only"
    for case in CASES
    if case.op_type == "Unique"
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, UNSUPPORTED)


@pytest.mark.parametrize("case", sized(CASES, UNSUPPORTED), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, {}, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(selection.RULES)
