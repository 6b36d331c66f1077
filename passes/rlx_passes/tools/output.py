"""Writing results: to standard output, or to a file that is there whole or not at all."""

import os
import sys
import tempfile
from pathlib import Path

from rlx_passes.errors import InputError

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
    """Write `text`; a file is written beside its place and then moved there in one step."""
    if path == STDOUT:
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] (it is None where file descriptor 1 is closed)
            raise InputError("standard output is closed: there is nowhere to write to (-o FILE)")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")  # a device or a pipe: there is nothing to replace
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.umask(mask := os.umask(0))
            Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise InputError(f"{path}: cannot be written: {problem.strerror or problem}") from None
