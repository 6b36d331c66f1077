"""Resampling against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import resize

CASES = cases_of(*sorted(resize.RULES))
RATIO = "keep_aspect_ratio_policy '{}' of dims [?, ?]"
SIZES = {
    f"test_resize_{way}sample_sizes_nearest_{policy}": RATIO.format(policy)
    for way in ("up", "down")
    for policy in ("not_larger", "not_smaller")
}
"""What is refused where only a run knows the sizes."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, SIZES, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(resize.RULES)
    assert set(SIZES) <= {case.name for case in CASES}
