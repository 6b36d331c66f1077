"""What raising has made it leaves alone: a second run changes nothing, byte for byte."""

import pytest
from lit_cases import LitCase, lit_cases

CASES = list(lit_cases("frontend/raising"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_second_run_changes_nothing(case: LitCase):
    module = case.module()
    case.run(module)
    once = str(module)
    case.run(module)
    assert str(module) == once


def test_there_are_cases():
    assert len(CASES) >= 8
