"""Quantisation against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, foreign, sized

from rlx_passes.frontends.onnx.rules import quantization

CASES = cases_of(*sorted(quantization.RULES))
UNSUPPORTED: dict[str, str] = foreign(CASES)
KERNEL = "convolutions of bytes are read over two spatial dims, with a kernel of known sizes"
STATIC = {f"test_convinteger_{padding}_padding": KERNEL for padding in ("with", "without")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, UNSUPPORTED)


@pytest.mark.parametrize("case", sized(CASES, UNSUPPORTED), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, STATIC, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(quantization.RULES)
    assert set(UNSUPPORTED) | set(STATIC) <= {case.name for case in CASES}
