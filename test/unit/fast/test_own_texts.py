"""Every text of this project is read, verified and printed as xDSL with the project's repairs does."""

import pytest
from exactness import OWN, TOOLS, hold
from tools import long


@pytest.mark.parametrize("share", [pytest.param(i, marks=[long] if i else []) for i in range(4)])
def test_texts_of_this_project(share: int):
    assert len(OWN) > 200
    hold(OWN[share::4], TOOLS)
