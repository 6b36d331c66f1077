"""Methods of data classes out of a file that every process shares."""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlx_passes.core.data_classes import _kept, compiled_once, place  # pyright: ignore[reportPrivateUsage]


def make() -> Callable[..., Any]:
    """A class as in a process of its own."""
    _kept.cache_clear()
    with compiled_once(), compiled_once():
        return dataclasses.make_dataclass("Pair", [("left", int), ("right", int, 2)], frozen=True, order=True)


def check(pair: Callable[..., Any]) -> None:
    assert repr(pair(1)) == "Pair(left=1, right=2)"
    assert pair(1) == pair(1, 2) != pair(2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del pair(1).left
    assert "exec" not in vars(dataclasses)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    result = place()
    result.parent.mkdir(parents=True)
    return result


def test_the_methods_are_compiled_once(file: Path):
    check(make())
    first = file.stat()
    check(make())
    assert file.stat() == first
    assert [each for each in file.parent.iterdir() if "methods" in each.name] == [file]


@pytest.mark.parametrize("data", [b"", b"nonsense", b"i\x01\x00\x00\x00"])
def test_a_file_of_something_else_is_written_anew(file: Path, data: bytes):
    file.write_bytes(data)
    check(make())
    assert file.stat().st_size > len(data)


def test_nothing_is_written_where_no_bytecode_is(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    check(make())
    assert not file.exists()


def test_a_place_that_cannot_be_written_is_no_fault(file: Path):
    file.mkdir()
    check(make())
