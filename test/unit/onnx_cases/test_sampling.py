"""Images read between their elements, and boxes, against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, sized
from tolerances import FOUR_DIGITS, SAME_ROUNDING

from rlx_passes.frontends.onnx.rules import boxes, regions, sampling

READ = {**sampling.RULES, **regions.RULES, **boxes.RULES}
CASES = cases_of(*sorted(READ))
WRITTEN_OUT = {"test_gridsample_bicubic", "test_roialign_aligned_false", "test_roialign_aligned_true"}
"""The cases whose values are in the package's text."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_f24_case(case: Case):
    case.check_import(tolerances=FOUR_DIGITS if case.name in WRITTEN_OUT else SAME_ROUNDING)


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_f24_sizes_known_at_run_time(case: Case):
    case.check_import(symbolic=True, tolerances=FOUR_DIGITS if case.name in WRITTEN_OUT else SAME_ROUNDING)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(READ)
