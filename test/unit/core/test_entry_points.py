"""Whether packages may have entry points, told without loading what finds them."""

import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from zipfile import ZipFile

import pytest

from rlx_passes.core.entry_points import may_offer


class Finder:
    def find_distributions(self) -> Iterator[None]:
        yield from ()


@pytest.mark.parametrize("name", ["my_fusions-1.0.dist-info", "my_fusions.egg-info", "EGG-INFO"])
def test_a_package_that_names_the_group(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "nowhere")])
    monkeypatch.setattr(sys, "meta_path", [PathFinder])
    (tmp_path / name).mkdir()
    assert not may_offer("rlx_dialect.extensions")
    (tmp_path / name / "entry_points.txt").write_text("[rlx_dialect.extensions]\nmine = my_fusions:EXTENSION\n")
    assert may_offer("rlx_dialect.extensions")
    assert not may_offer("some.other.group")


def test_packages_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(sys, "meta_path", [PathFinder, Finder()])
    assert may_offer("some.group")
    monkeypatch.setattr(sys, "meta_path", [PathFinder])
    assert not may_offer("some.group")
    with ZipFile(tmp_path / "packages.zip", "w"):
        monkeypatch.setattr(sys, "path", [str(tmp_path / "packages.zip")])
    assert may_offer("some.group")
