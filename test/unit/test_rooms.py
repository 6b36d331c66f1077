"""
Rooms import one way, as the table under "Rooms" in docs/design.md says; there is no other list.

Counted is every import: at the top, inside of functions and for types only. A string that names a module, for
`import_module`, counts between rooms; modules of one room may list each other so. The registries are the exception:
they offer the whole package by name, so what their strings name must exist, and is no import.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"rlx_dialect": ROOT / "rlx_dialect", "rlx_passes": ROOT / "passes" / "rlx_passes"}
REGISTRIES = ("rlx_passes", "rlx_passes.universe")

_NAME = re.compile(r"(?:rlx_dialect|rlx_passes)(?:\.\w+)+")
_ROW = re.compile(r"^\| `(\w+)` \| (.+?) \| (.*?) \|$", re.MULTILINE)


@cache
def modules() -> Mapping[str, ast.Module]:
    """Every module by its dotted name."""
    found: dict[str, ast.Module] = {}
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def names_in(tree: ast.Module, *, strings: bool) -> Iterator[str]:
    """The dotted names that a module imports, or has as strings."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                yield from (f"{module}.{alias.name}" for alias in node.names)
            case ast.Constant(value=str(text)) if strings and (name := _NAME.match(text)) and " " not in text:
                yield name[0]
            case _:
                pass


@cache
def imports(module: str, *, strings: bool = False) -> frozenset[str]:
    """The modules that `module` imports, the packages that it lies in left out: these are loaded anyway."""
    found: set[str] = set()
    for name in names_in(modules()[module], strings=strings and module not in REGISTRIES):
        while name and name not in modules():
            name = name.rpartition(".")[0]
        if name and not f"{module}.".startswith(f"{name}."):
            found.add(name)
    return frozenset(found)


def room_of(module: str) -> str:
    """The folder or loose module of `rlx_passes` that a module is in, or `rlx_dialect`."""
    package, *rest = module.split(".")
    return rest[0] if package == "rlx_passes" and rest else package


@cache
def table() -> Mapping[str, tuple[str, ...]]:
    """The rooms in order, each with those that it imports."""
    section = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").split("\n## Rooms\n")[1].split("\n## ")[0]
    return {row[1]: tuple(re.findall(r"`(\w+)`", row[3])) for row in _ROW.finditer(section)}


def cycle(graph: Mapping[str, frozenset[str]]) -> list[str]:
    """The names of one cycle, nothing where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return found.args[1]
    return []


def test_every_room_has_a_row_and_imports_rows_above_it():
    assert set(table()) == {room_of(module) for module in modules()} - {"rlx_passes"}
    rooms = list(table())
    for at, (room, imported) in enumerate(table().items()):
        assert set(imported) <= set(rooms[:at]), f"{room} imports what does not come before it"


@pytest.mark.parametrize("room", table())
def test_a_room_imports_what_the_table_says(room: str):
    edges = {
        room_of(target): f"{module} imports {target}"
        for module in modules()
        if room_of(module) == room
        for target in imports(module, strings=True)
        if room_of(target) != room
    }
    unknown = [edge for target, edge in edges.items() if target not in table()[room]]
    assert not unknown, f"not in the row of {room} in docs/design.md: {unknown}"
    assert set(table()[room]) == set(edges), f"the row of {room} in docs/design.md says more than is so"


@pytest.mark.parametrize("package", ["rlx_dialect", "rlx_passes"])
def test_no_modules_and_no_folders_import_each_other_in_a_circle(package: str):
    inside = [module for module in modules() if module.split(".")[0] == package]
    assert not cycle({module: imports(module) for module in inside})
    folders: dict[str, set[str]] = {}
    for module in inside:
        folder = ".".join(module.split(".")[:2])
        targets = {".".join(target.split(".")[:2]) for target in imports(module)}
        folders.setdefault(folder, set()).update(targets - {folder, package})
    assert not cycle({folder: frozenset(targets) for folder, targets in folders.items()})


@pytest.mark.parametrize("registry", REGISTRIES)
def test_what_a_registry_names_exists(registry: str):
    strings = [
        node.value
        for node in ast.walk(modules()[registry])
        if isinstance(node, ast.Constant) and type(node.value) is str
    ]
    places = [text.partition(":")[0] for text in strings if re.fullmatch(r"[a-z_]+(\.[a-z_0-9]+)+(:\w+)?", text)]
    assert places
    assert [place for place in places if f"rlx_passes.{place}" not in modules()] == []
