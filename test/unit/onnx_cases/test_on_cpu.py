"""The cases of the `onnx` package compiled for the cpu: each that the reference gets right is right there."""

from collections.abc import Mapping

import pytest
from onnx_cases import Case
from onnx_counts import compared
from tools import need_module, shared

need_module("onnx")

LACKING: Mapping[str, str] = {}
"""What the compiled cpu says of a case that it cannot run, by the name of the case."""


@pytest.mark.parametrize("case", shared(compared(), 25), ids=lambda case: case.name)
def test_case(case: Case):
    if case.name not in LACKING:
        case.check_on_cpu()
        return
    with pytest.raises(Exception) as problem:
        case.check_on_cpu()
    assert LACKING[case.name] in str(problem.value)


def test_what_is_lacking_is_there():
    assert set(LACKING) <= {case.name for case in compared()}
