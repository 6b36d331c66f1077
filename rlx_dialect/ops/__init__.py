"""
The ops of the dialect, one module per chapter.

Every public class of a chapter can be imported from here, which loads the chapter. Which one that is, their text
tells: a new op needs no line in this file, and a program loads the chapters that it uses. What type checkers and
editors know of it is `__init__.pyi`, which `make docs` writes.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import get_data, iter_modules
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from xdsl.irdl import IRDLOperation

_DEFINITION = re.compile(rb'\n(?:class ([A-Za-z]\w*)|    (name|KIND|CHAPTER)(?:: ClassVar\[str\])? = "([\w. ]+)")')


@cache
def _told() -> tuple[Mapping[str, str], Mapping[str, Mapping[str, str]]]:
    """The chapter of each public class, and the `name`, `KIND` and `CHAPTER` that its text gives it, if any."""
    chapters: dict[str, str] = {}
    given: dict[str, dict[str, str]] = {}
    for chapter in sorted(found.name for found in iter_modules(__path__)):
        last = ""
        for cls, key, text in _DEFINITION.findall(get_data(__name__, f"{chapter}.py") or b""):
            if cls:
                chapters[last := cls.decode()] = chapter
                given[last] = {}
            else:
                given[last][key.decode()] = text.decode()
    return chapters, given


@cache
def places() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The chapter of each public class, and the class of each op by its name; nothing is loaded for it."""
    chapters, given = _told()
    return chapters, {told["name"]: cls for cls, told in given.items() if "name" in told}


def kind_and_chapter(op: str) -> tuple[str, str]:
    """What the kind and the chapter of an op of the dialect are called, by its name; nothing is loaded for it."""
    chapters, given = _told()
    cls = places()[1][op]
    kind = given[cls].get("KIND", cls.removesuffix("Op"))
    return kind, given[cls].get("CHAPTER", chapters[cls].replace("_", " "))


def op_named(name: str) -> "type[IRDLOperation] | None":
    """The op of a name such as `rlx.matmul`, None where the dialect has none; its chapter is loaded."""
    cls = places()[1].get(name)
    return None if cls is None else cast("type[IRDLOperation]", __getattr__(cls))


def __getattr__(name: str) -> object:
    if name == "ALL_OPS":
        value: object = tuple(filter(None, map(op_named, sorted(places()[1]))))
    elif name in (classes := places()[0]):
        value = getattr(import_module(f"{__name__}.{classes[name]}"), name)
    else:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *places()[0], "ALL_OPS"})
