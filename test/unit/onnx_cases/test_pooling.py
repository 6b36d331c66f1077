"""Pooling against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import pooling

WITHOUT_CASES = {"GlobalLpPool"}
CASES = cases_of(*sorted({*pooling.RULES} - WITHOUT_CASES))
INDICES = "the indices need spatial dims that are known on import"
SAME = "how much auto_pad adds to a dim known at run time only is known then only"
SIZES = {
    "test_maxpool_with_argmax_2d_precomputed_pads": INDICES,
    "test_maxpool_with_argmax_2d_precomputed_strides": INDICES,
    "test_maxpool_2d_precomputed_same_upper": SAME,
    "test_averagepool_2d_precomputed_same_upper": SAME,
    "test_maxunpool_export_with_output_shape": "how much larger the wanted dims are is known at run time only",
}
"""What is refused where only a run knows the sizes."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, SIZES, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == {*pooling.RULES} - WITHOUT_CASES
    assert set(SIZES) <= {case.name for case in CASES}
