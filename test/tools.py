"""Finding the tools that tests run: an absent one skips the test by name, or fails it where CI asks for everything."""

import importlib.util
import os
import shutil
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from rlx_passes.core.toolchain import TOOLS

ABSENT = " was not found"
"""What follows the name of a tool in the reason of a skip; how to get the tool follows it."""

LONG = "length: "
"""What comes before how to run a test that was skipped for its length."""

ALL = os.environ.get("RLX_TESTS") == "all" or os.environ.get("RLX_REQUIRE_TOOLS") == "1"
"""Whether this is `make test-all`."""

long = pytest.mark.skipif(not ALL, reason=f"{LONG}`make test-all` runs them")
"""A test of minutes, whose kind has a shorter one that always runs."""


def shared(cases: Iterable[Any], every: int) -> list[Any]:
    """Parameters of a test of which each `every`th is always tried, the others in `make test-all`."""
    return [pytest.param(case, marks=[long] if number % every else []) for number, case in enumerate(cases)]


def sampled(every: int) -> pytest.MarkDecorator:
    """A test of many cases: one in `every` of those collected is always tried, the others in `make test-all`."""
    return pytest.mark.sampled(every)


ONLY_IN_TEST_ALL = frozenset({"torch", "transformers", "onnxscript"})
"""Packages that `make test` does without."""

_PACKAGES = {
    "g++": "g++",
    "gcc": "gcc",
    "spirv-val": "spirv-tools",
    "llvm-readelf": "llvm-22",
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
    "qemu-aarch64": "qemu-user",
}
"""The Debian package of each program that only tests run."""


def need_module(name: str) -> None:
    """
    Skip the calling test when the Python package `name` is absent.

    With `RLX_REQUIRE_TOOLS=1` it fails instead; with `RLX_REQUIRE_TOOLS=light` only if `make test` installs it.
    """
    if _is_installed(name.partition(".")[0]) and _is_installed(name):
        return
    everything = name in ONLY_IN_TEST_ALL
    required = ("1",) if everything else ("1", "light")
    _absent(f"Python package '{name}'", f"`make test{'-all' * everything}` installs it", required)


def _is_installed(name: str) -> bool:
    """Whether a package is there; a folder of tests with its name, which Python takes for a package, is not it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is not None:
        return spec is not None
    return any(Path(__file__).parent not in Path(place).parents for place in spec.submodule_search_locations or ())


def need_program(*names: str) -> str:
    """The first of `names` found on PATH; skips or fails the calling test like `need_module` when there is none."""
    for name in names:
        if found := shutil.which(name):
            return found
    plain = names[-1]
    how = TOOLS[plain].install if plain in TOOLS else f"Debian package '{_PACKAGES[plain]}'"
    _absent(f"program '{plain}'", f"install {how}", ("1", "light"))
    raise AssertionError


def need_xdsl_tests() -> Path:
    """
    The folder of the lit tests of the installed xDSL; skips or fails the calling test like `need_module` where it was
    not fetched.
    """
    folder = Path(__file__).parents[1] / "build" / "xdsl" / f"xdsl-{version('xdsl')}" / "tests" / "filecheck"
    if not folder.is_dir():
        _absent("the source of xDSL", "`make test` fetches it", ("1", "light"))
    return folder


def _absent(what: str, how: str, required: tuple[str, ...]) -> None:
    if os.environ.get("RLX_REQUIRE_TOOLS") in required:
        pytest.fail(f"{what} is required here and was not found: {how}")
    pytest.skip(f"{what}{ABSENT}; {how}", allow_module_level=True)
