"""Images read between their elements, and boxes, against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import boxes, regions, sampling

READ = {**sampling.RULES, **regions.RULES, **boxes.RULES}
CASES = cases_of(*sorted(READ))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_f24_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_f24_sizes_known_at_run_time(case: Case):
    check_import(case, {}, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(READ)
