"""Writing results: to standard output, or to a file that is there whole or not at all."""

import sys
from pathlib import Path

from rlx_passes.errors import InputError
from rlx_passes.files import write_whole

STDOUT = "-"


def check_output(path: str) -> None:
    """Raise InputError when `path` cannot be an output file; called before any work is done."""
    if path == STDOUT:
        return
    if Path(path).is_dir():
        raise InputError(f"{path}: is a directory, not a file to write")
    if not Path(path).parent.is_dir():
        raise InputError(f"{path}: no such folder: {Path(path).parent}")


def write_output(path: str, text: str) -> None:
    """Write `text`; a file is there whole or not at all."""
    if path == STDOUT:
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] (it is None where file descriptor 1 is closed)
            raise InputError("standard output is closed: there is nowhere to write to (-o FILE)")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write_whole(path, lambda stream: stream.write(text.encode("utf-8")))
