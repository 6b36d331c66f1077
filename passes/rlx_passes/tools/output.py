"""Writing results: to standard output, or to a file that is there whole or not at all."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TextIO

from rlx_passes.core.errors import InputError
from rlx_passes.core.files import write_whole

STDOUT = "-"


def check_output(path: str) -> None:
    """Raise InputError when `path` cannot be an output file; called before any work is done."""
    if path == STDOUT:
        return
    if Path(path).is_dir():
        raise InputError(f"{path}: is a directory, not a file to write")
    check_parent(path)


def check_parent(path: str) -> None:
    """Raise InputError unless the folder is there in which `path` is to be."""
    if not Path(path).parent.is_dir():
        raise InputError(f"{path}: no such folder: {Path(path).parent}")


def write_output(path: str, text: str) -> None:
    """Write `text`; a file is there whole or not at all."""
    write_with(path, lambda stream: stream.write(text))


def write_with(path: str, save: Callable[[IO[str]], object]) -> None:
    """Have `save` write a text, which no one string has to hold; a file is there whole or not at all."""
    if path == STDOUT:
        if sys.stdout is None:
            raise InputError("standard output is closed: there is nowhere to write to (-o FILE)")
        with _gathered(sys.stdout):
            save(sys.stdout)
            sys.stdout.flush()
        return

    def encoded(stream: IO[bytes]) -> None:
        text = TextIOWrapper(stream, encoding="utf-8", newline="")
        save(text)
        text.detach()  # flushed, and left open for its owner

    write_whole(path, encoded)


@contextmanager
def _gathered(stream: TextIO) -> Generator[None]:
    """Within the block, pieces reach the system many at a time, under `python -u` too."""
    if not (isinstance(stream, TextIOWrapper) and stream.write_through):
        yield
        return
    stream.reconfigure(write_through=False)
    try:
        yield
    finally:
        if not stream.closed:
            stream.reconfigure(write_through=True)
