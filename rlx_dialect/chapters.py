"""A package as chapters: modules that are found by a walk, so that no list of them is kept anywhere."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def chapters(package: str) -> Iterator[ModuleType]:
    """The modules of a package, by name; they are imported here."""
    for found in sorted(iter_modules(import_module(package).__path__), key=lambda found: found.name):
        yield import_module(f"{package}.{found.name}")


def defined(module: ModuleType, base: type[T]) -> Iterator[type[T]]:
    """The public classes under `base` that a module defines itself, in the order of its text."""
    for name, value in vars(module).items():
        own = isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_")
        if own and issubclass(value, base):
            yield value
