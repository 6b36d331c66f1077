"""Whatever saves time in a run of the tool leaves what it makes of programs as it is."""

from pathlib import Path

import pytest
from digests import digests

from rlx_passes.core.index import Index
from rlx_passes.pipeline import unclaimed
from rlx_passes.rewriting import patterns

PROGRAMS = 6


def test_the_same_without_what_saves_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fast = list(digests(0, PROGRAMS, tmp_path))
    monkeypatch.setenv("RLX_STOCK_PARSER", "1")
    monkeypatch.setattr(patterns, "index_of", Index)
    monkeypatch.setattr(unclaimed, "POLICY", ())
    assert list(digests(0, PROGRAMS, tmp_path)) == fast
