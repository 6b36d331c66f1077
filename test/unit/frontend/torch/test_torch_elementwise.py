"""Elementwise ops, reductions and sorts of PyTorch."""

import pytest
from torch_op_cases import BINARY, REDUCTION, UNARY, OpCase
from torch_oracle import check


@pytest.mark.parametrize("case", [*UNARY, *BINARY, *REDUCTION], ids=lambda case: case.name)
def test_op(case: OpCase):
    check(case.function, case.inputs, case.tolerance)
