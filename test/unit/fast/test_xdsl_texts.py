"""Every text of xDSL's own lit tests is read, verified and printed as xDSL does."""

from pathlib import Path

import pytest
from exactness import XDSL, hold
from tools import long, need_xdsl_tests

SHARES = 12


def files() -> list[Path]:
    return sorted(need_xdsl_tests().rglob("*.mlir"))


def test_there_are_many():
    assert len(files()) >= 500


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # xDSL's own, of ops of its own
@pytest.mark.parametrize("share", [pytest.param(i, marks=[long] if i % 4 else []) for i in range(SHARES)])
def test_texts_of_xdsl(share: int):
    hold(files()[share::SHARES], XDSL)
