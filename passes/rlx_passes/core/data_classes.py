"""
The methods of data classes, compiled once on a machine and not in every process.

Python writes `__init__`, `__eq__` and the like of each data class as text and compiles that when the class is made. It
takes nearly half of the time in which xDSL is loaded. What comes of a text depends on it and on the Python alone, so it
is kept where Python keeps the bytecode of this module, and as that is: not where bytecode is not to be written, and for
whoever may write there.
"""

import dataclasses
import marshal
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib.util import cache_from_source
from pathlib import Path

from rlx_passes.core.errors import InputError

MOST = 5000
"""As many texts are kept: those of all modules of this package and of xDSL are a third of it."""


def place() -> Path:
    """The file in which the methods are kept."""
    return Path(cache_from_source(__file__)).with_suffix(".methods")


@cache
def _kept(place: Path) -> dict[str, bytes]:
    """The bytecode by text; what is not of the kind is taken for nothing kept."""
    try:
        return dict(marshal.loads(place.read_bytes()))
    except (OSError, EOFError, TypeError, ValueError):
        return {}


@contextmanager
def compiled_once() -> Generator[None]:
    """Inside the block data classes take their methods from those that are kept, and new ones are kept at its end."""
    seen_first = dataclasses.__dict__  # before the built-in names
    if "exec" in seen_first:
        yield
        return
    file = place()
    kept = _kept(file)
    before = len(kept)

    def execute(text: str, *names: dict[str, object]) -> None:
        code = kept.get(text)
        if code is None:
            code = kept[text] = marshal.dumps(compile(text, "<string>", "exec", dont_inherit=True))
        exec(marshal.loads(code), *names)

    seen_first["exec"] = execute
    try:
        yield
    finally:
        del seen_first["exec"]
        if before < len(kept) <= MOST and not sys.dont_write_bytecode:
            _keep(file, kept)


def _keep(file: Path, kept: dict[str, bytes]) -> None:
    """No harm where that cannot be done."""
    from rlx_passes.core.files import write_whole

    with suppress(InputError):
        write_whole(file, partial(marshal.dump, kept))
