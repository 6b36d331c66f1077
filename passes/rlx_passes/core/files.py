"""Files that are there whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from rlx_passes.core.errors import InputError


def write_whole(path: Path | str, save: Callable[[IO[bytes]], object]) -> None:
    """
    Have `save` write a file beside its place and move it there in one step.

    A new file gets the rights that the process gives, one that was there keeps its own; a device or a pipe is written
    as it is. Raises `InputError` where that cannot be done.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                save(stream)
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                save(stream)
            os.umask(mask := os.umask(0))
            Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise InputError(f"{path}: cannot be written: {problem.strerror or problem}") from None
