"""Elementwise functions against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, foreign, sized
from tools import sampled

from rlx_passes.frontends.onnx.rules import arithmetic, elementwise

OPS = {*arithmetic.RULES, *elementwise.RULES}
CASES = cases_of(*sorted(OPS))

TRAINING = "training_mode: elements are dropped at random"
UNSUPPORTED = foreign(CASES) | {
    "test_identity_sequence": "'x' is of type sequence; only tensors are read",
    "test_identity_opt": "'opt_in' is of type optional; only tensors are read",
    "test_training_dropout_default": TRAINING,
    "test_training_dropout_default_mask": TRAINING,
    "test_training_dropout": TRAINING,
    "test_training_dropout_mask": TRAINING,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_case(case: Case):
    check_import(case, UNSUPPORTED)


@sampled(6)
@pytest.mark.parametrize("case", sized(CASES, UNSUPPORTED), ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_sizes_known_at_run_time(case: Case):
    check_import(case, {}, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == OPS
    assert set(UNSUPPORTED) <= {case.name for case in CASES}
