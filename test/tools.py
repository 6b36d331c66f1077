"""Finding the tools that tests run: an absent one skips the test by name, or fails it where CI asks for everything."""

import importlib.util
import os
import shutil

import pytest


def need_module(name: str) -> None:
    """Skip the calling test when the Python package `name` is absent; fail when `RLX_REQUIRE_TOOLS=1`."""
    if importlib.util.find_spec(name) is None:
        _absent(f"Python package '{name}'")


def need_program(*names: str) -> str:
    """The first of `names` found on PATH; skips or fails the calling test like `need_module` when there is none."""
    for name in names:
        if found := shutil.which(name):
            return found
    _absent(f"program '{names[0]}'")
    raise AssertionError


def _absent(what: str) -> None:
    if os.environ.get("RLX_REQUIRE_TOOLS") == "1":
        pytest.fail(f"{what} is required here and was not found")
    pytest.skip(f"{what} was not found", allow_module_level=True)
