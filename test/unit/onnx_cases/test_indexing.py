"""Gathers and scatters against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import indexing

CASES = cases_of(*sorted(indexing.RULES))
DEPTH = "the last dim of indices must be known and at most {} for tensor<{}>, got ?"
SIZES = {
    "test_gathernd_example_int32": DEPTH.format(2, "?x?xi32"),
    "test_gathernd_example_float32": DEPTH.format(3, "?x?x?xf32"),
    "test_scatternd_max_with_element_indices": DEPTH.format(2, "?x?xf32"),
    "test_scatternd_min_with_element_indices": DEPTH.format(2, "?x?xf32"),
}
"""What is refused where only a run knows the sizes."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, SIZES, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(indexing.RULES)
    assert set(SIZES) <= {case.name for case in CASES}
