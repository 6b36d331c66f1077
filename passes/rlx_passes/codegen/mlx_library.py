"""The library that a program for MLX takes its functions from, and the formulas, as text."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rlx_passes.core.errors import CodegenError
from rlx_passes.lowerings.to_mlx.functions import source_of

LIBRARY = Path(__file__).parent.parent / "lowerings" / "to_mlx" / "library.py"


@dataclass(frozen=True)
class LibraryFunction:
    """The text of a function of the library, and which others it calls."""

    text: str
    calls: frozenset[str]


def read_library() -> dict[str, LibraryFunction]:
    """The functions of `library.py` by name, in their order there."""
    text = LIBRARY.read_text(encoding="utf-8")
    found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    names = {node.name for node in found}
    lines = text.splitlines(keepends=True)
    result: dict[str, LibraryFunction] = {}
    for node in found:
        read = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        body = "".join(lines[node.lineno - 1 : node.end_lineno])
        result[node.name] = LibraryFunction(body, frozenset(read & names - {node.name}))
    return result


def needed_functions(used: Iterable[str], library: dict[str, LibraryFunction]) -> list[str]:
    """The texts of the functions that `used` ones need, and their own: formulas by name, then the library in order."""
    needed: dict[str, LibraryFunction] = {}
    waiting = list(used)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = library[name] if name in library else _written(name)
            waiting += needed[name].calls
    return [needed[name].text for name in (*sorted(needed.keys() - library.keys()), *library) if name in needed]


def _written(name: str) -> LibraryFunction:
    try:
        return LibraryFunction(*source_of(name))
    except KeyError:
        raise CodegenError(f"the MLX library has no function '{name}'") from None
