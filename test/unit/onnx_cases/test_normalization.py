"""Normalisations against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_passes.frontends.onnx.rules import channel_norms, normalization

WITHOUT_CASES = {"SimplifiedLayerNormalization", "com.microsoft.SimplifiedLayerNormalization"}
OPS = {*channel_norms.RULES, *normalization.RULES} - WITHOUT_CASES
CASES = cases_of(*sorted(OPS))

CHANNELS = "dim 1 of input must be known and a multiple of num_groups 2, got tensor<?x?x?x?xf32>"
STATIC = {"test_group_normalization_example": CHANNELS, "test_group_normalization_epsilon": CHANNELS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, STATIC, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == OPS
    assert set(STATIC) <= {case.name for case in CASES}
